import { operatorId } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import { scheduled } from '../../../service/scheduled.ts';
import type { QuorumSessionRow } from '../../../platform/store/tables/quorum.ts';
import { record } from '../audit/record.ts';
import type { ChangedRow } from '../audit/row-digests.ts';
import { holdEpoch } from '../members/epochs.ts';
import { endResharesOf } from '../reshares/ending.ts';
import { closeSession, isOpen } from './closing.ts';

/** Ends a session and records it. @param why for the audit trail, such as `MEMBER_REMOVED` */
export async function endAndRecord(
  tx: Context,
  actorId: string,
  session: QuorumSessionRow,
  status: 'completed' | 'cancelled' | 'expired',
  why: string,
): Promise<void> {
  const changed = await closeSession(tx, session, status);
  const details = { documentId: session.document_id, purpose: session.purpose, status, why };
  await record(tx, actorId, { action: 'UNSEAL_ENDED', subject: `session/${session.id}`, details }, changed);
}

/** Why re-sharings end as well, for people. */
const reasons = {
  MEMBER_REMOVED: 'A new holder, or the member who began it, was removed from the quorum.',
  MEMBER_LINKED: 'The account that began it is no member any more.',
  PERMISSION_ENDED: 'What the proposal allowed has ended.',
  RESHARED: 'The document has new shares.',
};
type Why = keyof typeof reasons;

/** Whose open sessions end. */
export type Whose =
  | { readonly memberId: string }
  | { readonly requesterId: string }
  | { readonly documentId: string }
  | { readonly proposalId: string };

/**
 * Ends the open sessions, and the re-sharings, that something ends: the removal of a member (those that the member asked for; of others the member's
 * contributions are deleted), an account that is linked to nobody any more, new shares of a document, or a proposal whose permission ended.
 * It must run in the transaction of that change, under `holdEpoch`.
 *
 * @param why for the audit trail
 */
export async function endSessionsOf(tx: Context, actorId: string, whose: Whose, why: Why): Promise<void> {
  // With a re-sharing its session ends.
  if (!('documentId' in whose)) await endResharesOf(tx, actorId, whose, reasons[why]);
  for (const session of await openSessionsOf(tx, whose)) await endAndRecord(tx, actorId, session, 'cancelled', why);
  if ('memberId' in whose) await withdrawContributions(tx, actorId, whose.memberId, why);
}

async function openSessionsOf(tx: Context, whose: Whose): Promise<QuorumSessionRow[]> {
  const open = tx.db.selectFrom('quorum_sessions').selectAll().where('status', '=', 'open').orderBy('id');
  if ('documentId' in whose) return await open.where('document_id', '=', whose.documentId).execute();
  if ('proposalId' in whose) return await open.where('proposal_id', '=', whose.proposalId).execute();
  if ('requesterId' in whose) return await open.where('requester_id', '=', whose.requesterId).execute();
  const accounts = tx.db.selectFrom('quorum_members').select('account_id').where('id', '=', whose.memberId);
  return await open.where('requester_id', 'in', accounts.$castTo<{ account_id: string }>()).execute();
}

/** What a removed member contributed must not count, nor be read any more. */
async function withdrawContributions(tx: Context, actorId: string, memberId: string, why: Why): Promise<void> {
  const open = tx.db.selectFrom('quorum_sessions').select('id').where('status', '=', 'open');
  const gone = await tx.db
    .deleteFrom('quorum_contributions')
    .where('member_id', '=', memberId)
    .where('session_id', 'in', open)
    .returning('session_id')
    .execute();
  const changed = gone.map((row): ChangedRow => ['quorum_contributions', row.session_id, memberId]);
  if (changed.length === 0) return;
  const details = { memberId, sessions: changed.length, why };
  await record(tx, actorId, { action: 'CONTRIBUTIONS_WITHDRAWN', subject: `member/${memberId}`, details }, changed);
}

/** Ends a session whose time is over. */
export const sessionExpiryHandler = scheduled(async (tx, payload) => {
  const { sessionId } = payload as { readonly sessionId: string };
  await holdEpoch(tx);
  const row = await tx.db.selectFrom('quorum_sessions').selectAll().where('id', '=', sessionId).executeTakeFirst();
  if (row?.status !== 'open' || isOpen(tx, row)) return;
  await endAndRecord(tx, operatorId, row, 'expired', 'EXPIRED');
});
