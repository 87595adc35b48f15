import type { NewNotification } from '../../service/ports/notification-rules.ts';
import type { Context } from '../../service/context.ts';
import { insertRows, onlyRow, writtenQuery } from '../../platform/store/written-query.ts';

/** So long a member is not told again of what was done, undone and done again. */
export const ONCE_MS = 24 * 60 * 60 * 1000;

const memoryOf = writtenQuery<{ at: number | null; withdrawn: number | null; stands: number }>(`
  select o.at, o.withdrawn, case when exists (
    select 1 from notifications n where n.recipient_id = $1 and n.type = $2 and n.target_id = $3 and (n.actor_id = $4 or exists (
      select 1 from notification_actors a where a.notification_id = n.id and a.actor_id = $4))) then 1 else 0 end as stands
  from (select 1 as one) as nobody left join notification_once o
    on o.recipient_id = $1 and o.type = $2 and o.target_id = $3 and o.actor_id = $4`);

/**
 * Whether the recipient was told that this actor did this to this target, and notes that they are told now.
 * @returns `withdrawn`: they were, and it was taken back since
 */
export async function toldBefore(tx: Context, wanted: NewNotification): Promise<'never' | 'told' | 'withdrawn'> {
  const { recipientId, type, targetId, actorId } = wanted;
  if (targetId === undefined || actorId === undefined) throw new Error('what happens once needs an actor and a target');
  const now = tx.clock.now();
  const known = onlyRow((await tx.db.executeQuery(memoryOf(recipientId, type, targetId, actorId))).rows);
  const recent = known.at !== null && known.at > now - ONCE_MS ? known.at : undefined;
  if (recent === undefined ? known.stands === 1 : known.withdrawn === 0) return 'told';
  const row = { recipient_id: recipientId, type, target_id: targetId, actor_id: actorId, withdrawn: 0 };
  // Whoever takes it back again and again begins no new day with it.
  await insertRows(
    tx.db,
    'notification_once',
    [{ ...row, at: recent ?? now }],
    'on conflict (recipient_id, type, target_id, actor_id) do update set withdrawn = 0, at = excluded.at',
  );
  return recent === undefined ? 'never' : 'withdrawn';
}

const takeBack = writtenQuery(`
  update notification_once set withdrawn = 1
  where recipient_id = $1 and type = $2 and target_id = $3 and actor_id = $4`);

/** Notes that what a recipient was told of was taken back. */
export async function noteWithdrawn(
  { db }: Context,
  { recipientId, type, targetId, actorId }: Pick<NewNotification, 'recipientId' | 'type' | 'targetId' | 'actorId'>,
): Promise<void> {
  await db.executeQuery(takeBack(recipientId, type, targetId, actorId));
}
