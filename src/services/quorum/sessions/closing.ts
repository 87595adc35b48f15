import type { Context } from '../../../service/context.ts';
import { cancelJob } from '../../../platform/store/jobs/plans.ts';
import type { QuorumSessionRow } from '../../../platform/store/tables/quorum.ts';
import type { ChangedRow } from '../audit/row-digests.ts';
import { tellSessionEnded } from '../events/sessions.ts';

/** The job that ends a session when its time is over. */
export function expiryJob(sessionId: string): string {
  return `quorum-session/${sessionId}`;
}

/** Whether a session takes contributions: one whose time is over doesn't, even if no job has ended it. */
export function isOpen({ clock }: Pick<Context, 'clock'>, row: QuorumSessionRow): boolean {
  return row.status === 'open' && row.expires_at > clock.now();
}

/** Ends an open session in the transaction, and erases its encrypted shares. @returns the rows that changed, for `record` */
export async function closeSession(
  tx: Context,
  { id }: Pick<QuorumSessionRow, 'id'>,
  status: 'completed' | 'cancelled' | 'expired',
): Promise<ChangedRow[]> {
  const ended = await tx.db
    .updateTable('quorum_sessions')
    .set({ status, ended_at: tx.clock.now() })
    .where('id', '=', id)
    .where('status', '=', 'open')
    .returningAll()
    .executeTakeFirst();
  const erased = await tx.db
    .updateTable('quorum_contributions')
    .set({ encrypted_share: null })
    .where('session_id', '=', id)
    .returning('member_id')
    .execute();
  await cancelJob(tx.db, expiryJob(id));
  if (ended !== undefined) await tellSessionEnded(tx, ended, status);
  const contributions = erased.map((row): ChangedRow => ['quorum_contributions', id, row.member_id]);
  return [['quorum_sessions', id], ...contributions];
}
