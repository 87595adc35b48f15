import { transaction, type Context } from '../../service/context.ts';
import { recordDeed } from '../groups/log.ts';
import { requireSeat, roomOf } from './conversation.ts';
import { tell } from './events.ts';
import { requirePermission } from './voice.ts';

export interface GroupFacts {
  readonly id: string;
  readonly name: string;
  readonly slowModeSeconds: number;
}

/**
 * Changes what a group is. Fields that are missing stay.
 * @returns what it is then
 * @throws Problem missing CONVERSATION_NOT_FOUND; forbidden FORBIDDEN
 */
export async function updateGroup(
  ctx: Context,
  memberId: string,
  id: string,
  change: { readonly [K in keyof Omit<GroupFacts, 'id'>]?: GroupFacts[K] | undefined },
): Promise<GroupFacts> {
  return await transaction(ctx, async (tx) => {
    const seat = await requireSeat(tx, { memberId }, ['group'], id);
    requirePermission(seat, 'MANAGE_CHANNEL');
    const before: GroupFacts = { id, name: seat.name ?? '', slowModeSeconds: seat.slow_seconds };
    const { name = before.name, slowModeSeconds = before.slowModeSeconds } = change;
    const after: GroupFacts = { id, name, slowModeSeconds };
    const changed = (Object.keys(after) as (keyof GroupFacts)[]).filter((key) => after[key] !== before[key]);
    if (changed.length === 0) return after;
    await tx.db
      .updateTable('conversations')
      .set({ name, slow_seconds: slowModeSeconds })
      .where('id', '=', id)
      .execute();
    await recordDeed(tx, roomOf(id), { by: memberId, action: 'settings', reason: changed.join(', ') });
    await tell(tx, seat, 'groupUpdated', { name, slowModeSeconds, updatedBy: memberId });
    return after;
  });
}
