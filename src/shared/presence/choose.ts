import { transaction, type Context } from '../../service/context.ts';
import type { ChosenStatus } from '../../contract/chat/presence.ts';
import { changePreferences } from '../notifications/change-preferences.ts';
import { storedPreferences } from '../notifications/preferences.ts';
import { isDoNotDisturb } from '../notifications/wishes.ts';
import { touchPresence } from './board.ts';

/** What a member has set. Do Not Disturb of notifications is one thing with the status, wherever it was turned on. */
export async function chosenStatus(ctx: Pick<Context, 'db' | 'clock'>, memberId: string): Promise<ChosenStatus> {
  const preferences = await storedPreferences(ctx, memberId);
  const row = await ctx.db.selectFrom('presence').select('status').where('member_id', '=', memberId).executeTakeFirst();
  if (preferences !== undefined && isDoNotDisturb(preferences, ctx.clock.now())) return 'dnd';
  return row?.status === 'idle' ? 'idle' : 'online';
}

/** `dnd` turns Do Not Disturb on without an end, unless it is on; any other status turns it off, and delivers what waited. */
export async function choosePresence(ctx: Context, memberId: string, status: ChosenStatus): Promise<void> {
  await transaction(ctx, async (tx) => {
    if (status !== 'dnd')
      await tx.db
        .insertInto('presence')
        .values({ member_id: memberId, status, told: 'offline' })
        .onConflict((conflict) => conflict.column('member_id').doUpdateSet({ status }))
        .execute();
    const preferences = await storedPreferences(tx, memberId);
    const isDnd = preferences !== undefined && isDoNotDisturb(preferences, tx.clock.now());
    if (isDnd !== (status === 'dnd'))
      await changePreferences(tx, { memberId }, () => ({ dnd_enabled: isDnd ? 0 : 1, dnd_until: null }));
    touchPresence(tx, memberId);
  });
}
