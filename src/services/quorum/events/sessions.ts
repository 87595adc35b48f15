import type { Context } from '../../../service/context.ts';
import { quorumEvents } from '../../../contract/quorum/events.ts';
import { publish } from '../../../platform/realtime/publish.ts';
import type { QuorumSessionRow } from '../../../platform/store/tables/quorum.ts';
import { withdraw } from '../../../shared/notifications/withdraw.ts';
import { nameOf, noticeDone, noticeTo, quoted } from './notices.ts';
import { holderAccounts, tellAll } from './telling.ts';
import { accountTopic } from './topics.ts';

/** Tells the holders of a document that somebody asks for their shares, in the transaction of the new session. */
export async function tellUnsealRequest(tx: Context, session: QuorumSessionRow): Promise<void> {
  const holders = await holderAccounts(tx, session);
  await tellAll(tx, holders, quorumEvents.unsealRequested, {
    sessionId: session.id,
    documentId: session.document_id,
    purpose: session.purpose,
    reason: session.reason,
    requesterId: session.requester_id,
    expiresAt: new Date(session.expires_at).toISOString(),
  });
  const { requester_id: actorId, id: targetId } = session;
  const why = session.purpose === 'unseal' ? 'to open a document' : 'to share a document anew';
  const content = `${await nameOf(tx, actorId)} asks for your share ${why}: ${quoted(session.reason)}`;
  await noticeTo(tx, holders, { type: 'quorum_share_wanted', actorId, targetId, content });
}

/** Tells the requester who contributed, in the transaction of the contribution. @param memberId of the member of the quorum */
export async function tellContribution(
  tx: Context,
  session: QuorumSessionRow,
  memberId: string,
  sharesRequired: number,
): Promise<void> {
  await noticeDone(tx, 'quorum_share_wanted', session.id, memberId);
  const { count } = await tx.db
    .selectFrom('quorum_contributions')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('session_id', '=', session.id)
    .executeTakeFirstOrThrow();
  await publish(tx, accountTopic(session.requester_id), quorumEvents.contribution, {
    sessionId: session.id,
    documentId: session.document_id,
    memberId,
    contributed: count,
    sharesRequired,
  });
}

/** Tells the requester and the holders that a session is over, in the transaction that ends it. */
export async function tellSessionEnded(
  tx: Context,
  session: QuorumSessionRow,
  status: 'completed' | 'cancelled' | 'expired',
): Promise<void> {
  const { id: sessionId, document_id: documentId, purpose } = session;
  await withdraw(tx, { targetId: sessionId });
  const whom = new Set([session.requester_id, ...(await holderAccounts(tx, session))]);
  await tellAll(tx, whom, quorumEvents.sessionEnded, { sessionId, documentId, purpose, status });
}
