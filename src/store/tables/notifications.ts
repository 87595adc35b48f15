import type { NotificationCategory, NotificationType } from '../../contract/notifications/notification.ts';

export interface NotificationTables {
  notifications: NotificationRow;
  notification_preferences: NotificationPreferencesRow;
}

export interface NotificationRow {
  id: string;
  recipient_id: string;
  type: NotificationType;
  category: NotificationCategory;
  /** the member who caused it, the last one of several */
  actor_id: string | null;
  /** id of what it is about */
  target_id: string | null;
  /** type and target; the id of the notification if it has no target */
  group_key: string;
  content: string;
  /** so many within an hour became this one */
  count: number;
  is_read: number;
  /** 1 while it waits for the end of quiet hours or Do Not Disturb */
  held: number;
  created_at: number;
  /** of the last one of several */
  updated_at: number;
}

/** What a member wants. Without a row, all of it. */
export interface NotificationPreferencesRow {
  member_id: string;
  /** JSON: category to `{enabled, channels}`; a missing category is on */
  categories: string;
  /** JSON: channel to boolean; a missing channel is on */
  channels: string;
  quiet_enabled: number;
  /** HH:MM */
  quiet_start: string;
  quiet_end: string;
  /** IANA time zone */
  quiet_zone: string;
  dnd_enabled: number;
  /** null: until it is turned off */
  dnd_until: number | null;
  sound: number;
  updated_at: number;
}
