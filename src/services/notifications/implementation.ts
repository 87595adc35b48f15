import type { notifications } from '../../contract/notifications.ts';
import { lazily } from '../../service/service-parts.ts';

export const notificationsImplementation = lazily<typeof notifications>({
  list: () => import('./notifications.ts'),
  unreadCount: () => import('./notifications.ts'),
  markRead: () => import('./notifications.ts'),
  markAllRead: () => import('./notifications.ts'),
  remove: () => import('./notifications.ts'),
  removeAll: () => import('./notifications.ts'),
  sendAlert: () => import('./alerts.ts'),
  remindAbsent: () => import('./reminders.ts'),
  vapidKey: () => import('./subscriptions.ts'),
  listSubscriptions: () => import('./subscriptions.ts'),
  subscribe: () => import('./subscriptions.ts'),
  unsubscribe: () => import('./subscriptions.ts'),
  showPreferences: () => import('./preferences.ts'),
  updatePreferences: () => import('./preferences.ts'),
  setQuietHours: () => import('./preferences.ts'),
  setDoNotDisturb: () => import('./preferences.ts'),
});
