import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { quorumLimits } from '../../../contract/quorum/limits.ts';
import type { quorumSessions, UnsealSession } from '../../../contract/quorum/sessions.ts';
import type { InputOf } from '../../../contract/operation.ts';
import { Problem } from '../../../base/problem.ts';
import { once } from '../../../service/repeats.ts';
import { planJob } from '../../../platform/store/jobs/plans.ts';
import { desc, readPage, type Next } from '../../../platform/store/page.ts';
import type { QuorumDocumentRow, QuorumSessionRow } from '../../../platform/store/tables/quorum.ts';
import { memberOf } from '../access.ts';
import { assertInReach, tooFewShares } from '../documents/too-few.ts';
import { holdEpoch } from '../members/epochs.ts';
import { knownKey } from '../members/members.ts';
import { proposalRequired, sessionEnded, sessionNotFound } from '../problems.ts';
import { expiryJob, isOpen } from './closing.ts';
import { endAndRecord } from './ending.ts';
import { insertSession } from './opening.ts';
import { actionFor, rightTo, knownDocument } from './rights.ts';
import { shownSession, shownSessions, shownToRequester } from './shown.ts';

export async function openSession(
  ctx: Context,
  actor: Actor,
  { documentId, ephemeralPublicKey, reason }: InputOf<typeof quorumSessions.openSession>,
): Promise<{ session: UnsealSession }> {
  return await transaction(ctx, async (tx) => {
    await holdEpoch(tx);
    const document = await knownDocument(tx, actor.memberId, documentId);
    const right = await rightTo(tx, actor.memberId, document, 'unseal');
    if (right === undefined) throw proposalRequired(actionFor(document, 'unseal'));
    const key = knownKey(ephemeralPublicKey, 'ephemeralPublicKey');
    return await once(tx, async () => {
      await assertInReach(tx, actor, document);
      await assertFewOpen(tx, actor.memberId, documentId);
      const now = tx.clock.now();
      const row = await insertSession(tx, {
        document,
        purpose: 'unseal',
        requesterId: actor.memberId,
        ephemeralPublicKey: key,
        reason,
        right,
        expiresAt: Math.min(now + tx.config.quorum.sessionMs, right.until),
      });
      const job = { id: expiryJob(row.id), kind: 'quorum-session', payload: { sessionId: row.id } };
      await planJob(tx.db, { ...job, runAt: row.expires_at, now });
      return { session: await shownToRequester(tx, row, document) };
    });
  });
}

/** @throws Problem conflict UNSEAL_SESSIONS_FULL */
async function assertFewOpen(tx: Context, accountId: string, documentId: string): Promise<void> {
  const open = await tx.db
    .selectFrom('quorum_sessions')
    .select('document_id')
    .where('requester_id', '=', accountId)
    .where('status', '=', 'open')
    .where('purpose', '=', 'unseal')
    .where('expires_at', '>', tx.clock.now())
    .execute();
  const { sessionsOfRequester, sessionsOfDocument } = quorumLimits;
  const ofDocument = open.filter((row) => row.document_id === documentId).length;
  const [count, of] = ofDocument >= sessionsOfDocument ? [ofDocument, ' for this document'] : [open.length, ''];
  if (of === '' && count < sessionsOfRequester) return;
  throw new Problem('conflict', 'UNSEAL_SESSIONS_FULL', `You have ${count} open sessions${of}. End one first.`);
}

/** A session and its document, if the account may see them. @throws Problem missing UNSEAL_SESSION_NOT_FOUND */
export async function visibleSession(
  ctx: Context,
  accountId: string,
  { documentId, sessionId }: { readonly documentId: string; readonly sessionId: string },
): Promise<{ row: QuorumSessionRow; document: QuorumDocumentRow }> {
  const row = await ctx.db.selectFrom('quorum_sessions').selectAll().where('id', '=', sessionId).executeTakeFirst();
  const id = row?.document_id ?? documentId;
  const document = await ctx.db.selectFrom('quorum_documents').selectAll().where('id', '=', id).executeTakeFirst();
  const own = await memberOf(ctx, { memberId: accountId });
  const mayKnow = own !== undefined || row?.requester_id === accountId || document?.creator_id === accountId;
  if (row === undefined || document === undefined || id !== documentId || !mayKnow) throw sessionNotFound();
  return { row, document };
}

/** Whether the session takes contributions, and gives them to its requester. */
export async function isLive(ctx: Context, row: QuorumSessionRow, document: QuorumDocumentRow): Promise<boolean> {
  if (!isOpen(ctx, row) || row.generation !== document.generation) return false;
  return (await rightTo(ctx, row.requester_id, document, row.purpose)) !== undefined;
}

export async function showSession(
  ctx: Context,
  actor: Actor,
  input: InputOf<typeof quorumSessions.showSession>,
): Promise<{ session: UnsealSession }> {
  const { row, document } = await visibleSession(ctx, actor.memberId, input);
  const live = await isLive(ctx, row, document);
  if (live && row.requester_id === actor.memberId) return { session: await shownToRequester(ctx, row, document) };
  const session = await shownSession(ctx, row);
  // Whatever took the right away ends the session as well.
  return { session: !live && session.status === 'open' ? { ...session, status: 'cancelled' } : session };
}

export async function listUnsealSessions(
  ctx: Context,
  actor: Actor,
  { which, limit, cursor }: InputOf<typeof quorumSessions.listUnsealSessions>,
): Promise<{ sessions: UnsealSession[] } & Next> {
  const own = await memberOf(ctx, actor);
  const now = ctx.clock.now();
  const query = ctx.db
    .selectFrom('quorum_sessions as session')
    .selectAll('session')
    .where((e) => {
      const mine = e('requester_id', '=', actor.memberId);
      const holds = e.exists(
        e
          .selectFrom('quorum_shares as share')
          .select('share.member_id')
          .whereRef('share.document_id', '=', 'session.document_id')
          .whereRef('share.generation', '=', 'session.generation')
          .where('share.member_id', '=', own?.id ?? ''),
      );
      const gave = e.exists(
        e
          .selectFrom('quorum_contributions as given')
          .select('given.member_id')
          .whereRef('given.session_id', '=', 'session.id')
          .where('given.member_id', '=', own?.id ?? ''),
      );
      const waiting = e.and([e('status', '=', 'open'), e('expires_at', '>', now), holds, e.not(gave)]);
      return which === 'mine' ? mine : which === 'waiting' ? waiting : e.or([mine, waiting]);
    });
  const by = [desc<QuorumSessionRow>('id', ({ id }) => id)];
  const listing = { list: 'quorum.list-sessions', memberId: actor.memberId, filter: { which }, by };
  const { rows, next } = await readPage(ctx, query, listing, { limit, cursor });
  return { sessions: await shownSessions(ctx, rows), ...next };
}

export async function endSession(
  ctx: Context,
  actor: Actor,
  { outcome, ...input }: InputOf<typeof quorumSessions.endSession>,
): Promise<{ session: UnsealSession }> {
  return await transaction(ctx, async (tx) => {
    await holdEpoch(tx);
    const { row, document } = await visibleSession(tx, actor.memberId, input);
    if (row.requester_id !== actor.memberId)
      throw new Problem('forbidden', 'FORBIDDEN', 'The session can be ended by whoever opened it.');
    if (row.purpose !== 'unseal')
      throw new Problem('conflict', 'RESHARE_IN_PROGRESS', 'The session belongs to a re-sharing. Cancel that.');
    if (!isOpen(tx, row)) throw sessionEnded();
    if (outcome === 'completed') await assertEnough(tx, actor, row, document);
    await endAndRecord(tx, actor.memberId, row, outcome, 'REQUESTER');
    return { session: await shownSession(tx, { ...row, status: outcome, ended_at: tx.clock.now() }) };
  });
}

/** @throws Problem invalid INSUFFICIENT_SHARES: nobody opened the document with so few */
async function assertEnough(
  tx: Context,
  actor: Actor,
  row: QuorumSessionRow,
  document: QuorumDocumentRow,
): Promise<void> {
  const { contributions, sharesRequired } = await shownSession(tx, row);
  if (contributions.length >= sharesRequired) return;
  const sentence = `${contributions.length} members have contributed, and ${sharesRequired} are needed. Cancel the session instead.`;
  throw await tooFewShares(tx, actor, document, sentence);
}
