import type { Context } from '../../../service/context.ts';
import { Problem } from '../../../base/problem.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';

const count = writtenQuery<{ count: number }>(`
  insert into calendar_inviting (member_id, since, count) values ($1, $2, $3)
  on conflict (member_id) do update set
    since = case when calendar_inviting.since <= $4 then excluded.since else calendar_inviting.since end,
    count = case when calendar_inviting.since <= $4 then excluded.count else calendar_inviting.count + excluded.count end
  returning count`);

/**
 * Counts those whom a member invites, in the transaction that does it.
 * @throws Problem tooMany RATE_LIMITED
 */
export async function countInvited(tx: Context, memberId: string, invited: number): Promise<void> {
  const { enabled, rates } = tx.config.limits;
  const rate = rates.calendarInviting.perAccount;
  if (!enabled || rate === undefined || invited === 0) return;
  const now = tx.clock.now();
  const { rows } = await tx.db.executeQuery(count(memberId, now, invited, now - rate.seconds * 1000));
  if ((rows[0]?.count ?? 0) > rate.points)
    throw new Problem(
      'tooMany',
      'RATE_LIMITED',
      `You have invited as many people as is possible for now. Invite fewer, or try again tomorrow.`,
    );
}
