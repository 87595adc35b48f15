import type { NotificationCategory, NotificationType } from '../../../contract/notifications/notification.ts';

export interface NotificationTables {
  notifications: NotificationRow;
  notification_actors: NotificationActorRow;
  notification_once: NotificationOnceRow;
  notification_preferences: NotificationPreferencesRow;
  absence_reminders: AbsenceReminderRow;
  push_subscriptions: PushSubscriptionRow;
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
  /** 0: it is in the list; 1: it waits for the end of quiet hours or Do Not Disturb; 2: it is for other channels than the list alone */
  held: number;
  created_at: number;
  /** of the last one of several */
  updated_at: number;
  /** JSON: ids of the members who caused it, the latest first, at most `notificationLimits.actors`; null: only `actor_id`, if that */
  actors: string | null;
  /** different members who caused it */
  actor_count: number;
  /** 0: it is in no digest; 1: the next digest has it, if it is unread then; 2: a digest had it */
  digest: number;
  /** when it is or was pushed last */
  pushed_at: number | null;
}

/** A member who caused a notification, one of several maybe. Primary key: notification_id, actor_id. */
export interface NotificationActorRow {
  notification_id: string;
  actor_id: string;
  /** what the notification says while this member is the last one */
  content: string;
  /** how often */
  times: number;
  at: number;
}

/** What a member was told and is told once, however often it happens. Primary key: recipient_id, type, target_id, actor_id. */
export interface NotificationOnceRow {
  recipient_id: string;
  type: NotificationType;
  target_id: string;
  actor_id: string;
  /** 1: it was taken back since */
  withdrawn: number;
  at: number;
}

/** When a member was reminded that they have not been here for long. */
export interface AbsenceReminderRow {
  member_id: string;
  reminded_at: number;
}

/** A browser that gets push messages. Unique: member_id, endpoint_tag. It goes with the session that made it. */
export interface PushSubscriptionRow {
  id: string;
  member_id: string;
  session_id: string;
  /** HMAC of the endpoint, hex */
  endpoint_tag: string;
  /** of the push service */
  origin: string;
  /** the endpoint and the browser's keys, under a key of the node */
  sealed: Uint8Array;
  user_agent: string;
  /** messages in a row that could not be delivered */
  failures: number;
  created_at: number;
  pushed_at: number | null;
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
