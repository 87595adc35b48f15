import type { Context } from '../../service/context.ts';
import type { NotificationCategory } from '../../contract/notifications/notification.ts';
import type { NotificationPreferences } from '../../contract/notifications/preferences.ts';
import type { NotificationPreferencesRow } from '../../platform/store/tables/notifications.ts';
import { categoryWish, channelWishes, isDoNotDisturb, wishesOf } from './wishes.ts';

/** What a member has chosen; undefined for a member who has chosen nothing. */
export async function storedPreferences(
  { db }: Pick<Context, 'db'>,
  memberId: string,
): Promise<NotificationPreferencesRow | undefined> {
  return await db
    .selectFrom('notification_preferences')
    .selectAll()
    .where('member_id', '=', memberId)
    .executeTakeFirst();
}

export function shownPreferences(row: NotificationPreferencesRow, now: number): NotificationPreferences {
  const wishes = wishesOf(row);
  const of = (name: NotificationCategory) => categoryWish(wishes, name);
  const isDnd = isDoNotDisturb(row, now);
  const until = isDnd ? row.dnd_until : null;
  return {
    userId: row.member_id,
    categorySettings: {
      social: of('social'),
      messages: of('messages'),
      connections: of('connections'),
      system: of('system'),
      quorum: of('quorum'),
      mail: of('mail'),
      files: of('files'),
      calendar: of('calendar'),
    },
    channelSettings: channelWishes(wishes),
    quietHours: {
      enabled: row.quiet_enabled === 1,
      startTime: row.quiet_start,
      endTime: row.quiet_end,
      timezone: row.quiet_zone,
    },
    dndConfig: { enabled: isDnd, expiresAt: until === null ? null : new Date(until).toISOString() },
    soundEnabled: row.sound === 1,
  };
}
