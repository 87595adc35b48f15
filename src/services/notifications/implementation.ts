import { notifications } from '../../contract/notifications.ts';
import { implement } from '../../service/implement.ts';

export const notificationsImplementation = implement(
  notifications,
  () => import('./notifications.ts'),
  () => import('./alerts.ts'),
  () => import('./reminders.ts'),
  () => import('./subscriptions.ts'),
  () => import('./preferences.ts'),
);
