import { notificationAlerts } from '../../contract/notifications/alerts.ts';
import { notificationInbox } from '../../contract/notifications/inbox.ts';
import { notificationPreferences } from '../../contract/notifications/preferences.ts';
import { pushNotifications } from '../../contract/notifications/push.ts';
import { notificationReminders } from '../../contract/notifications/reminders.ts';
import { implement } from '../../service/implement.ts';

export const notificationsImplementation = {
  ...implement(notificationInbox, () => import('./inbox.ts')),
  ...implement(notificationAlerts, () => import('./alerts.ts')),
  ...implement(notificationReminders, () => import('./reminders.ts')),
  ...implement(notificationPreferences, () => import('./preferences.ts')),
  ...implement(pushNotifications, () => import('./push.ts')),
};
