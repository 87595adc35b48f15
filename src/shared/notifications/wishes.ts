import type { Context } from '../../service/context.ts';
import type { NotificationCategory, NotificationType } from '../../contract/notifications/notification.ts';
import type { NotificationPreferences } from '../../contract/notifications/preferences.ts';
import { nextMoment } from '../../platform/store/jobs/schedule.ts';
import type { NotificationPreferencesRow } from '../../platform/store/tables/notifications.ts';

type Category = NotificationPreferences['categorySettings']['social'];
type Channels = NotificationPreferences['channelSettings'];

/** What a member may have stored of each; the rest is on. */
export interface Wishes {
  readonly categories: Partial<Record<NotificationCategory, Category>>;
  readonly channels: Partial<Channels>;
}

/** A member without preferences wants everything at any time. */
export type Preferences = NotificationPreferencesRow | undefined;

const everything: Category = { enabled: true, channels: ['in_app', 'email', 'push'] };

const categoryOf: Readonly<Record<NotificationType, NotificationCategory>> = {
  like: 'social',
  reply: 'social',
  mention: 'social',
  follow: 'connections',
  follow_request: 'connections',
  repost: 'social',
  quote: 'social',
  hub_moderation: 'social',
  new_message: 'messages',
  message_request: 'messages',
  message_reaction: 'messages',
  message_mention: 'messages',
  room_added: 'messages',
  system_alert: 'system',
  security_alert: 'system',
  feature_announcement: 'system',
  reconnect_reminder: 'connections',
  quorum_vote_wanted: 'quorum',
  quorum_decision: 'quorum',
  quorum_share_wanted: 'quorum',
  quorum_confirmation_wanted: 'quorum',
  quorum_holders_changed: 'quorum',
  new_email: 'mail',
  email_failed: 'mail',
  file_shared: 'files',
  file_share_revoked: 'files',
  file_link_opened: 'files',
  file_approval_wanted: 'files',
  file_approval_decided: 'files',
  file_destruction: 'files',
  file_quota: 'files',
  file_canary: 'files',
  booking_created: 'calendar',
  booking_cancelled: 'calendar',
  event_invitation: 'calendar',
  event_changed: 'calendar',
  event_cancelled: 'calendar',
  event_reply: 'calendar',
  event_reminder: 'calendar',
};

export function categoryOfType(type: NotificationType): NotificationCategory {
  return categoryOf[type];
}

/**
 * Whether a notification is in the list and on its way at once, whatever its recipient wants: whoever has taken an account could switch off what
 * its member has to hear of it.
 */
function isUnconditional(type: NotificationType): boolean {
  return type === 'security_alert';
}

export function wishesOf(preferences: Preferences): Wishes {
  if (preferences === undefined) return { categories: {}, channels: {} };
  return {
    categories: JSON.parse(preferences.categories) as Wishes['categories'],
    channels: JSON.parse(preferences.channels) as Wishes['channels'],
  };
}

export function categoryWish({ categories }: Wishes, category: NotificationCategory): Category {
  return categories[category] ?? everything;
}

export function channelWishes({ channels }: Wishes): Channels {
  return { in_app: true, email: true, push: true, ...channels };
}

type Channel = Category['channels'][number];
export type WantedChannels = ReadonlySet<Channel>;

/**
 * The channels by which the member wants notifications of a type, of those that the node has. Each is switched for itself: somebody can have
 * push messages without a list. No digest tells of e-mail, since whoever reads it is in their mailbox.
 */
export function wantedChannels(
  { notifications: node }: Pick<Context['config'], 'notifications'>,
  preferences: Preferences,
  type: NotificationType,
): WantedChannels {
  const category = categoryOf[type];
  const always: readonly Channel[] = isUnconditional(type) ? ['in_app'] : [];
  const wishes = wishesOf(preferences);
  const { enabled, channels } = categoryWish(wishes, category);
  if (!enabled) return new Set(always);
  const on = channelWishes(wishes);
  const has: Readonly<Record<Channel, boolean>> = {
    in_app: true,
    email: node.email && category !== 'mail',
    push: node.push,
  };
  return new Set([...always, ...channels.filter((channel) => on[channel] && has[channel])]);
}

/** Whether Do Not Disturb is on and has not expired. */
export function isDoNotDisturb(
  { dnd_enabled: enabled, dnd_until: until }: Pick<NotificationPreferencesRow, 'dnd_enabled' | 'dnd_until'>,
  now: number,
): boolean {
  return enabled === 1 && (until === null || until > now);
}

/** Until when a notification of a type waits, as `quietUntil` says it of others. */
export function waitsUntil(preferences: Preferences, type: NotificationType, now: number): number | undefined {
  if (isUnconditional(type)) return undefined;
  // Whoever sets a reminder for the night wants to be woken.
  if (type === 'event_reminder')
    return preferences !== undefined && isDoNotDisturb(preferences, now)
      ? (preferences.dnd_until ?? Infinity)
      : undefined;
  return quietUntil(preferences, now);
}

/**
 * Until when notifications wait, in milliseconds since 1970: undefined if they don't, Infinity if nobody knows when. At that moment it has
 * to be asked again, because quiet hours may go on where Do Not Disturb ends.
 */
export function quietUntil(preferences: Preferences, now: number): number | undefined {
  if (preferences === undefined) return undefined;
  if (isDoNotDisturb(preferences, now)) return preferences.dnd_until ?? Infinity;
  if (preferences.quiet_enabled === 0) return undefined;
  const { quiet_start: start, quiet_end: end, quiet_zone: timeZone } = preferences;
  // Moments are compared and not times of the clock, because a clock that is put back shows some of them twice.
  const ends = nextMoment({ at: end, timeZone }, now);
  return ends < nextMoment({ at: start, timeZone }, now) ? ends : undefined;
}
