import { notificationAlerts } from './notifications/alerts.ts';
import { notificationInbox } from './notifications/inbox.ts';
import { notificationPreferences } from './notifications/preferences.ts';
import { pushNotifications } from './notifications/push.ts';
import { notificationReminders } from './notifications/reminders.ts';

/** What a member should know of, prefix `/api/social/notifications`. */
export const notifications = {
  ...notificationInbox,
  ...notificationAlerts,
  ...notificationReminders,
  ...notificationPreferences,
  ...pushNotifications,
};
