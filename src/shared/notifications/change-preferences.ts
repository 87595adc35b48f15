import type { Actor } from '../../service/actor.ts';
import { transaction, type Context } from '../../service/context.ts';
import type { NotificationPreferences } from '../../contract/notifications/preferences.ts';
import type { NotificationPreferencesRow } from '../../platform/store/tables/notifications.ts';
import { deliverHeld } from './held.ts';
import { shownPreferences, storedPreferences } from './preferences.ts';

type Changes = Partial<Omit<NotificationPreferencesRow, 'member_id' | 'updated_at'>>;

/** What nobody has chosen. */
const initial = {
  categories: '{}',
  channels: '{}',
  quiet_enabled: 0,
  quiet_start: '22:00',
  quiet_end: '07:00',
  quiet_zone: 'UTC',
  dnd_enabled: 0,
  dnd_until: null,
  sound: 1,
};

/** Stores a change, and delivers what waits if it waits for nothing any more. */
export async function changePreferences(
  ctx: Context,
  { memberId }: Pick<Actor, 'memberId'>,
  change: (row: NotificationPreferencesRow | undefined) => Changes,
): Promise<NotificationPreferences> {
  return await transaction(ctx, async (tx) => {
    const before = await storedPreferences(tx, memberId);
    const now = tx.clock.now();
    const row = { ...initial, ...before, ...change(before), member_id: memberId, updated_at: now };
    const { member_id: _, ...columns } = row;
    await tx.db
      .insertInto('notification_preferences')
      .values(row)
      .onConflict((conflict) => conflict.column('member_id').doUpdateSet(columns))
      .execute();
    await deliverHeld(tx, memberId);
    return shownPreferences(row, now);
  });
}
