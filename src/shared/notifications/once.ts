import type { About, NewNotification } from '../../service/ports/notification-rules.ts';
import type { Context } from '../../service/context.ts';
import type { NotificationOnceRow } from '../../platform/store/tables/notifications.ts';
import { insertRows, writtenList, writtenQuery } from '../../platform/store/written-query.ts';

/** So long a member is not told again of what was done, undone and done again. */
export const ONCE_MS = 24 * 60 * 60 * 1000;

interface Memory {
  readonly id: string;
  readonly at: number | null;
  readonly withdrawn: number | null;
  readonly stands: number;
}

const memoryOf = writtenList<Memory>(
  3,
  (members) => `
  select m.id, o.at, o.withdrawn, case when exists (
    select 1 from notifications n where n.recipient_id = m.id and n.type = $1 and n.target_id = $2 and (n.actor_id = $3 or exists (
      select 1 from notification_actors a where a.notification_id = n.id and a.actor_id = $3))) then 1 else 0 end as stands
  from members m left join notification_once o
    on o.recipient_id = m.id and o.type = $1 and o.target_id = $2 and o.actor_id = $3
  where m.id in ${members} order by m.id`,
);

/**
 * Which recipients were not told that this actor did this to this target, and notes that they are told now.
 * @param memberIds at least one
 * @returns `withdrawn`: they were told, and it was taken back since
 */
export async function notToldBefore(
  tx: Context,
  { type, targetId, actorId }: About,
  memberIds: readonly string[],
): Promise<ReadonlyMap<string, 'never' | 'withdrawn'>> {
  if (targetId === undefined || actorId === undefined) throw new Error('what happens once needs an actor and a target');
  const now = tx.clock.now();
  const found = new Map<string, 'never' | 'withdrawn'>();
  const rows: NotificationOnceRow[] = [];
  for (const { id, at, withdrawn, stands } of (await tx.db.executeQuery(memoryOf(memberIds, type, targetId, actorId)))
    .rows) {
    const recent = at !== null && at > now - ONCE_MS ? at : undefined;
    if (recent === undefined ? stands === 1 : withdrawn === 0) continue;
    // Whoever takes it back again and again begins no new day with it.
    const row = { recipient_id: id, type, target_id: targetId, actor_id: actorId, withdrawn: 0, at: recent ?? now };
    rows.push(row);
    found.set(id, recent === undefined ? 'never' : 'withdrawn');
  }
  const ending = 'on conflict (recipient_id, type, target_id, actor_id) do update set withdrawn = 0, at = excluded.at';
  await insertRows(tx.db, 'notification_once', rows, ending);
  return found;
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
