import { transaction, type Context } from '../../service/context.ts';
import { recordDeed } from '../groups/log.ts';
import { requireSeat, roomOf } from './conversation.ts';
import { tell } from './events.ts';
import { tellRenamed } from './inbox.ts';
import { keptMs } from './retention.ts';
import { requirePermission, requireVoice } from './voice.ts';

export interface GroupFacts {
  readonly id: string;
  readonly name: string;
  readonly slowModeSeconds: number;
  readonly retentionMs: number | null;
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
    const before: GroupFacts = {
      id,
      name: seat.name ?? '',
      slowModeSeconds: seat.slow_seconds,
      retentionMs: seat.retention_ms,
    };
    const { name = before.name, slowModeSeconds = before.slowModeSeconds, retentionMs = before.retentionMs } = change;
    const after: GroupFacts = { id, name, slowModeSeconds, retentionMs };
    const shown = { ...after, retentionMs: keptMs(tx, { ...seat, retention_ms: retentionMs }) };
    const changed = (Object.keys(after) as (keyof GroupFacts)[]).filter((key) => after[key] !== before[key]);
    if (changed.length === 0) return shown;
    await tx.db
      .updateTable('conversations')
      .set({ name, slow_seconds: slowModeSeconds, retention_ms: retentionMs })
      .where('id', '=', id)
      .execute();
    await recordDeed(tx, roomOf(id), { by: memberId, action: 'settings', reason: changed.join(', ') });
    const { id: _, ...facts } = shown;
    await tell(tx, seat, 'groupUpdated', { ...facts, updatedBy: memberId });
    if (name !== before.name) await tellRenamed(tx, seat, name);
    return shown;
  });
}

/**
 * Decides how long a conversation of two keeps its messages. Either of them can, and both hear of it.
 * @returns what holds then
 * @throws Problem missing CONVERSATION_NOT_FOUND, MEMBER_NOT_FOUND if a block parts them; forbidden FORBIDDEN
 */
export async function setRetentionOfTwo(
  ctx: Context,
  memberId: string,
  id: string,
  retentionMs: number | null,
): Promise<number | null> {
  return await transaction(ctx, async (tx) => {
    const seat = await requireSeat(tx, { memberId }, ['direct'], id);
    await requireVoice(tx, seat, memberId);
    const kept = keptMs(tx, { ...seat, retention_ms: retentionMs });
    if (seat.retention_ms === retentionMs) return kept;
    await tx.db.updateTable('conversations').set({ retention_ms: retentionMs }).where('id', '=', id).execute();
    await tell(tx, seat, 'retentionChanged', { retentionMs: kept, updatedBy: memberId });
    return kept;
  });
}
