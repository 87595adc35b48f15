import type { Actor } from '../../../service/actor.ts';
import { withBlock } from '../../../shared/attachments/blocks.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { InputOf, ReplyOf } from '../../../contract/operation.ts';
import type { quorumReshares, Reshare } from '../../../contract/quorum/reshares.ts';
import { fromHex, toHex } from '../../../crypto/bytes.ts';
import { takeStorage } from '../../../shared/members/storage.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import type { Upload } from '../../../service/raw-bodies.ts';
import type { QuorumDocumentRow, QuorumReshareRow, QuorumShareRow } from '../../../platform/store/tables/quorum.ts';
import { memberOf } from '../access.ts';
import { tooFewShares } from '../documents/too-few.ts';
import { record } from '../audit/record.ts';
import type { ChangedRow } from '../audit/row-digests.ts';
import { tellConfirmationsWanted } from '../events/reshares.ts';
import { holdEpoch } from '../members/epochs.ts';
import { noShare, reshareEnded } from '../problems.ts';
import { closeSession } from '../sessions/closing.ts';
import { isLive, visibleSession } from '../sessions/sessions.ts';
import { dropNewContent, isGoing } from './ending.ts';
import { visibleReshare } from './reshares.ts';
import { shownReshare } from './shown.ts';

type OfReshare = InputOf<typeof quorumReshares.showReshare>;

/**
 * The re-sharing while its requester may still change it: it collects, and the session of the old shares is live.
 * @throws Problem missing RESHARE_NOT_FOUND; forbidden FORBIDDEN; conflict RESHARE_ENDED
 */
async function collecting(
  ctx: Context,
  actor: Actor,
  input: OfReshare,
): Promise<{ row: QuorumReshareRow; document: QuorumDocumentRow }> {
  const { row, document } = await visibleReshare(ctx, actor.memberId, input);
  if (row.requester_id !== actor.memberId)
    throw new Problem('forbidden', 'FORBIDDEN', 'New shares come from whoever began the re-sharing.');
  if (!isGoing(ctx, row) || row.status !== 'collecting') throw reshareEnded();
  const place = { documentId: document.id, sessionId: row.session_id };
  const { row: session } = await visibleSession(ctx, actor.memberId, place);
  if (!(await isLive(ctx, session, document))) throw reshareEnded();
  return { row, document };
}

export async function putReshareContent(
  ctx: Context,
  actor: Actor,
  input: OfReshare,
  { body }: Upload,
): Promise<{ reshare: Reshare }> {
  assertRekey((await collecting(ctx, actor, input)).row);
  return await withBlock(ctx, body, async (tx, block) => {
    await holdEpoch(tx);
    const { row, document } = await collecting(tx, actor, input);
    assertRekey(row);
    // The same content under another key is as long as before.
    if (block.size !== document.size)
      throw new Problem(
        'invalid',
        'VALIDATION_ERROR',
        `The content must be ${document.size} bytes, as long as the one that it replaces.`,
      );
    await dropNewContent(tx, row);
    await takeStorage(tx, document.creator_id, block.size);
    await block.keep();
    const { id } = row;
    const stored = { new_block_id: block.id, size: block.size };
    await tx.db.updateTable('quorum_reshares').set(stored).where('id', '=', id).execute();
    const details = { documentId: document.id };
    const event = { action: 'RESHARE_CONTENT_STORED', subject: `reshare/${id}`, details };
    await record(tx, actor.memberId, event, [['quorum_reshares', id]]);
    return { reshare: await shownReshare(tx, { ...row, ...stored }) };
  });
}

function assertRekey({ rekey }: QuorumReshareRow): void {
  if (rekey === 0)
    throw new Problem('conflict', 'RESHARE_ENDED', 'This re-sharing keeps the key, so the content stays as it is.');
}

export async function putReshareShares(
  ctx: Context,
  actor: Actor,
  { shares, ...input }: InputOf<typeof quorumReshares.putReshareShares>,
): Promise<{ reshare: Reshare }> {
  return await transaction(ctx, async (tx) => {
    const epoch = await holdEpoch(tx);
    const { row, document } = await collecting(tx, actor, input);
    const holders = JSON.parse(row.member_ids) as string[];
    // The end of a membership ends the re-sharing; shares are never stored for somebody who is none.
    if (!holders.every((id) => epoch.memberIds.includes(id))) throw reshareEnded();
    if (
      shares
        .map(({ memberId }) => memberId)
        .toSorted()
        .join() !== holders.join()
    )
      throw fieldProblem('shares', 'must have one share for each new holder');
    if (row.rekey === 1 && row.new_block_id === null)
      throw new Problem('conflict', 'RESHARE_ENDED', 'Store the content under its new key first, and the shares then.');
    await assertAgreed(tx, actor, row, document);
    const { id, to_generation: generation } = row;
    await tx.db
      .insertInto('quorum_shares')
      .values(
        shares.map(({ memberId, encryptedShare, salt, commitment }) => ({
          document_id: document.id,
          generation,
          member_id: memberId,
          encrypted_share: fromHex(encryptedShare),
          salt: fromHex(salt),
          commitment,
          confirmation: null,
          confirmed_at: null,
        })),
      )
      .execute();
    await tx.db.updateTable('quorum_reshares').set({ status: 'confirming' }).where('id', '=', id).execute();
    const closed = await closeSession(tx, { id: row.session_id }, 'completed');
    const details = { documentId: document.id, generation };
    await record(tx, actor.memberId, { action: 'RESHARE_SHARES_STORED', subject: `reshare/${id}`, details }, [
      ['quorum_reshares', id],
      ...closed,
      ...holders.map((memberId): ChangedRow => ['quorum_shares', document.id, generation, memberId]),
    ]);
    await tellConfirmationsWanted(tx, row);
    return { reshare: await shownReshare(tx, { ...row, status: 'confirming' }) };
  });
}

/** Whoever knows the key from before needs the holders as well. @throws Problem invalid INSUFFICIENT_SHARES */
async function assertAgreed(
  tx: Context,
  actor: Actor,
  row: QuorumReshareRow,
  document: QuorumDocumentRow,
): Promise<void> {
  const given = await tx.db
    .selectFrom('quorum_contributions')
    .select('member_id')
    .where('session_id', '=', row.session_id)
    .execute();
  if (given.length >= document.shares_required) return;
  const sentence = `${given.length} holders have contributed, and ${document.shares_required} are needed.`;
  throw await tooFewShares(tx, actor, document, sentence);
}

export async function showMyNewShare(
  ctx: Context,
  actor: Actor,
  input: OfReshare,
): Promise<ReplyOf<typeof quorumReshares.showMyNewShare>> {
  const { row } = await visibleReshare(ctx, actor.memberId, input);
  const share = await newShareOf(ctx, actor, row);
  return {
    share: {
      documentId: row.document_id,
      memberId: share.member_id,
      generation: share.generation,
      epochNumber: row.epoch,
      encryptedShare: toHex(share.encrypted_share),
      salt: toHex(share.salt),
      commitment: share.commitment,
    },
  };
}

/** The actor's new share while it is looked at. @throws Problem forbidden FORBIDDEN; conflict RESHARE_ENDED */
export async function newShareOf(ctx: Context, actor: Actor, row: QuorumReshareRow): Promise<QuorumShareRow> {
  const own = await memberOf(ctx, actor);
  if (own === undefined || !(JSON.parse(row.member_ids) as string[]).includes(own.id)) throw noShare();
  if (!isGoing(ctx, row) || row.status !== 'confirming') throw reshareEnded();
  return await ctx.db
    .selectFrom('quorum_shares')
    .selectAll()
    .where('document_id', '=', row.document_id)
    .where('generation', '=', row.to_generation)
    .where('member_id', '=', own.id)
    .executeTakeFirstOrThrow();
}
