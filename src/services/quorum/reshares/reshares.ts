import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { InputOf } from '../../../contract/operation.ts';
import type { quorumReshares, Reshare } from '../../../contract/quorum/reshares.ts';
import { headerText } from '../../../crypto/formats/quorum/document.ts';
import { Problem } from '../../../base/problem.ts';
import { once } from '../../../service/repeats.ts';
import { planJob } from '../../../platform/store/jobs/plans.ts';
import { desc, readPage, type Next } from '../../../platform/store/page.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import type { QuorumDocumentRow, QuorumReshareRow } from '../../../platform/store/tables/quorum.ts';
import { memberOf } from '../access.ts';
import { record } from '../audit/record.ts';
import { holdersOf } from '../documents/shares.ts';
import { assertInReach } from '../documents/too-few.ts';
import { assertActive, assertCounts } from '../documents/new-document.ts';
import { holdEpoch } from '../members/epochs.ts';
import { knownKey } from '../members/members.ts';
import { proposalRequired, reshareEnded, reshareNotFound } from '../problems.ts';
import { insertSession } from '../sessions/opening.ts';
import { actionFor, knownDocument, rightTo } from '../sessions/rights.ts';
import { abandonReshare, going, isGoing, reshareJob } from './ending.ts';
import { shownReshare, shownReshares } from './shown.ts';

type Input = InputOf<typeof quorumReshares.beginReshare>;

export async function beginReshare(ctx: Context, actor: Actor, input: Input): Promise<{ reshare: Reshare }> {
  const { documentId, rekey, reason } = input;
  const purpose = rekey ? 'rekey' : 'reshare';
  return await transaction(ctx, async (tx) => {
    const epoch = await holdEpoch(tx);
    const document = await knownDocument(tx, actor.memberId, documentId);
    const right = await rightTo(tx, actor.memberId, document, purpose);
    if (right === undefined) throw proposalRequired(actionFor(document, purpose));
    const ephemeralPublicKey = knownKey(input.ephemeralPublicKey, 'ephemeralPublicKey');
    return await once(tx, async () => {
      await assertAlone(tx, actor.memberId, documentId);
      await assertInReach(tx, actor, document);
      const { memberIds, sharesRequired } = await holdersWanted(tx, document, input);
      assertCounts(memberIds.length, sharesRequired);
      await assertActive(tx, memberIds);
      const now = tx.clock.now();
      const expiresAt = Math.min(now + tx.config.quorum.reshareMs, right.until);
      const requesterId = actor.memberId;
      const wanted = { document, purpose, requesterId, ephemeralPublicKey, reason, right, expiresAt } as const;
      const session = await insertSession(tx, wanted);
      const sorted = memberIds.toSorted();
      const toGeneration = document.generation + 1;
      const header = { documentId, creatorId: document.creator_id, memberIds: sorted, sharesRequired };
      const row: QuorumReshareRow = {
        id: recordId(now, tx.random),
        document_id: documentId,
        session_id: session.id,
        requester_id: requesterId,
        rekey: rekey ? 1 : 0,
        from_generation: document.generation,
        to_generation: toGeneration,
        epoch: epoch.number,
        member_ids: JSON.stringify(sorted),
        shares_required: sharesRequired,
        header: rekey ? headerText({ ...header, epochNumber: epoch.number, generation: toGeneration }) : null,
        new_block_id: null,
        size: null,
        status: 'collecting',
        reason: null,
        created_at: now,
        expires_at: expiresAt,
        ended_at: null,
      };
      await tx.db.insertInto('quorum_reshares').values(row).execute();
      const job = { id: reshareJob(row.id), kind: 'quorum-reshare', payload: { reshareId: row.id } };
      await planJob(tx.db, { ...job, runAt: expiresAt, now });
      const details = { documentId, sessionId: session.id, rekey, members: memberIds.length, sharesRequired };
      await record(tx, requesterId, { action: 'RESHARE_BEGUN', subject: `reshare/${row.id}`, details }, [
        ['quorum_reshares', row.id],
      ]);
      return { reshare: await shownReshare(tx, row) };
    });
  });
}

/** One at a time. One whose time is over, and that no job has ended, ends now. @throws Problem conflict RESHARE_IN_PROGRESS */
async function assertAlone(tx: Context, actorId: string, documentId: string): Promise<void> {
  const row = await tx.db
    .selectFrom('quorum_reshares')
    .selectAll()
    .where('document_id', '=', documentId)
    .where('status', 'in', [...going])
    .executeTakeFirst();
  if (row === undefined) return;
  if (isGoing(tx, row))
    throw new Problem(
      'conflict',
      'RESHARE_IN_PROGRESS',
      `The document is being shared anew (${row.id}). Wait for the end, or cancel it.`,
    );
  await abandonReshare(tx, actorId, row, { status: 'expired', reason: 'Its time was over.' });
}

/** What nobody named is as it was. */
async function holdersWanted(
  tx: Context,
  document: QuorumDocumentRow,
  { memberIds, sharesRequired }: Input,
): Promise<{ memberIds: readonly string[]; sharesRequired: number }> {
  const present = await holdersOf(tx, document);
  const active = present.flatMap((holder) => (holder.active === 1 ? [holder.member_id] : []));
  return { memberIds: memberIds ?? active, sharesRequired: sharesRequired ?? document.shares_required };
}

interface OfReshare {
  readonly documentId: string;
  readonly reshareId: string;
}

/** A re-sharing and its document, if the account may see them. @throws Problem missing RESHARE_NOT_FOUND */
export async function visibleReshare(
  ctx: Context,
  accountId: string,
  { documentId, reshareId }: OfReshare,
): Promise<{ row: QuorumReshareRow; document: QuorumDocumentRow }> {
  const row = await ctx.db.selectFrom('quorum_reshares').selectAll().where('id', '=', reshareId).executeTakeFirst();
  const id = row?.document_id ?? documentId;
  const document = await ctx.db.selectFrom('quorum_documents').selectAll().where('id', '=', id).executeTakeFirst();
  const own = await memberOf(ctx, { memberId: accountId });
  const mayKnow = own !== undefined || row?.requester_id === accountId || document?.creator_id === accountId;
  if (row === undefined || document === undefined || id !== documentId || !mayKnow) throw reshareNotFound();
  return { row, document };
}

export async function showReshare(ctx: Context, actor: Actor, input: OfReshare): Promise<{ reshare: Reshare }> {
  const { row } = await visibleReshare(ctx, actor.memberId, input);
  return { reshare: await shownReshare(ctx, row) };
}

export async function listReshares(
  ctx: Context,
  actor: Actor,
  { which, limit, cursor }: InputOf<typeof quorumReshares.listReshares>,
): Promise<{ reshares: Reshare[] } & Next> {
  const own = await memberOf(ctx, actor);
  const now = ctx.clock.now();
  const query = ctx.db
    .selectFrom('quorum_reshares as reshare')
    .selectAll('reshare')
    .where((e) => {
      const mine = e('requester_id', '=', actor.memberId);
      const unconfirmed = e.exists(
        e
          .selectFrom('quorum_shares as share')
          .select('share.member_id')
          .whereRef('share.document_id', '=', 'reshare.document_id')
          .whereRef('share.generation', '=', 'reshare.to_generation')
          .where('share.member_id', '=', own?.id ?? '')
          .where('share.confirmation', 'is', null),
      );
      const waiting = e.and([e('status', '=', 'confirming'), e('expires_at', '>', now), unconfirmed]);
      return which === 'mine' ? mine : which === 'waiting' ? waiting : e.or([mine, waiting]);
    });
  const by = [desc<QuorumReshareRow>('id', ({ id }) => id)];
  const listing = { list: 'quorum.list-reshares', memberId: actor.memberId, filter: { which }, by };
  const { rows, next } = await readPage(ctx, query, listing, { limit, cursor });
  return { reshares: await shownReshares(ctx, rows), ...next };
}

export async function cancelReshare(ctx: Context, actor: Actor, input: OfReshare): Promise<{ reshare: Reshare }> {
  return await transaction(ctx, async (tx) => {
    await holdEpoch(tx);
    const { row, document } = await visibleReshare(tx, actor.memberId, input);
    if (row.requester_id !== actor.memberId && document.creator_id !== actor.memberId)
      throw new Problem(
        'forbidden',
        'FORBIDDEN',
        'The re-sharing can be cancelled by whoever began it, and by the creator of the document.',
      );
    if (!isGoing(tx, row)) throw reshareEnded();
    await abandonReshare(tx, actor.memberId, row, { status: 'cancelled', reason: null });
    const { row: after } = await visibleReshare(tx, actor.memberId, input);
    return { reshare: await shownReshare(tx, after) };
  });
}
