import type { Actor } from '../../../service/actor.ts';
import { dropBlocks } from '../../../shared/attachments/blocks.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { InputOf } from '../../../contract/operation.ts';
import type { quorumReshares, Reshare } from '../../../contract/quorum/reshares.ts';
import { fromHex } from '../../../crypto/bytes.ts';
import { confirmationStatement } from '../../../crypto/formats/quorum/statements.ts';
import { verify } from '../../../crypto/signature.ts';
import { freeStorage } from '../../../shared/members/storage.ts';
import { cancelJob } from '../../../platform/store/jobs/plans.ts';
import type { QuorumDocumentRow, QuorumReshareRow, QuorumShareRow } from '../../../platform/store/tables/quorum.ts';
import { record } from '../audit/record.ts';
import type { ChangedRow } from '../audit/row-digests.ts';
import { tellConfirmation, tellReshared } from '../events/reshares.ts';
import { holdEpoch, type Epoch } from '../members/epochs.ts';
import { finishTransition } from '../members/transition.ts';
import { reshareEnded, wrongSignature } from '../problems.ts';
import { endSessionsOf } from '../sessions/ending.ts';
import { reshareJob } from './ending.ts';
import { newShareOf } from './new-shares.ts';
import { visibleReshare } from './reshares.ts';
import { shownReshare } from './shown.ts';

/** A holder says that the new share is readable. The last one that is needed puts the new shares in place of the old ones. */
export async function confirmReshare(
  ctx: Context,
  actor: Actor,
  { signature, ...input }: InputOf<typeof quorumReshares.confirmReshare>,
): Promise<{ reshare: Reshare }> {
  return await transaction(ctx, async (tx) => {
    const epoch = await holdEpoch(tx);
    const { row, document } = await visibleReshare(tx, actor.memberId, input);
    const share = await newShareOf(tx, actor, row);
    if (document.generation !== row.from_generation) throw reshareEnded();
    await assertSigned(tx, row, share, signature);
    if (share.confirmation === null) {
      await confirm(tx, share, signature);
      await tellConfirmation(tx, row, share.member_id);
      const confirmed: ChangedRow = ['quorum_shares', document.id, share.generation, share.member_id];
      if (await isProven(tx, row, epoch)) await replaceShares(tx, actor.memberId, { row, document, confirmed });
      else {
        const details = { documentId: document.id, memberId: share.member_id };
        const event = { action: 'RESHARE_CONFIRMED', subject: `reshare/${row.id}`, details };
        await record(tx, actor.memberId, event, [confirmed]);
      }
    }
    const { row: after } = await visibleReshare(tx, actor.memberId, input);
    return { reshare: await shownReshare(tx, after) };
  });
}

/** @throws Problem invalid INVALID_SIGNATURE */
async function assertSigned(
  tx: Context,
  row: QuorumReshareRow,
  { document_id: documentId, generation, member_id: memberId, commitment }: QuorumShareRow,
  signature: string,
): Promise<void> {
  const { public_key: publicKey } = await tx.db
    .selectFrom('quorum_members')
    .select('public_key')
    .where('id', '=', memberId)
    .executeTakeFirstOrThrow();
  const statement = confirmationStatement({ reshareId: row.id, documentId, generation, memberId, commitment });
  if (!verify(fromHex(publicKey), statement, fromHex(signature))) throw wrongSignature();
}

async function confirm(tx: Context, share: QuorumShareRow, signature: string): Promise<void> {
  await tx.db
    .updateTable('quorum_shares')
    .set({ confirmation: signature, confirmed_at: tx.clock.now() })
    .where('document_id', '=', share.document_id)
    .where('generation', '=', share.generation)
    .where('member_id', '=', share.member_id)
    .execute();
}

/** Whether so many holders have read their new shares that they can open the document. All new holders have to be active members. */
async function isProven(tx: Context, row: QuorumReshareRow, { memberIds }: Epoch): Promise<boolean> {
  const shares = await tx.db
    .selectFrom('quorum_shares')
    .select(['member_id', 'confirmation'])
    .where('document_id', '=', row.document_id)
    .where('generation', '=', row.to_generation)
    .execute();
  if (!shares.every((share) => memberIds.includes(share.member_id))) throw reshareEnded();
  return shares.filter((share) => share.confirmation !== null).length >= row.shares_required;
}

interface Replacement {
  readonly row: QuorumReshareRow;
  readonly document: QuorumDocumentRow;
  readonly confirmed: ChangedRow;
}

/** Puts the new shares, and for a new key the new ciphertext, in place of the old ones. Sessions for the old shares end. */
async function replaceShares(tx: Context, actorId: string, { row, document, confirmed }: Replacement): Promise<void> {
  const now = tx.clock.now();
  const { id: documentId } = document;
  const content = row.rekey === 1 ? newContentOf(row) : {};
  // While the old shares are there: their holders are told that nobody wants them any more.
  await endSessionsOf(tx, actorId, { documentId }, 'RESHARED');
  await tx.db
    .updateTable('quorum_documents')
    .set({
      ...content,
      generation: row.to_generation,
      epoch: row.epoch,
      shares_required: row.shares_required,
      reshared_at: now,
    })
    .where('id', '=', documentId)
    .execute();
  const old = await tx.db
    .deleteFrom('quorum_shares')
    .where('document_id', '=', documentId)
    .where('generation', '!=', row.to_generation)
    .returning(['generation', 'member_id'])
    .execute();
  await tx.db
    .updateTable('quorum_reshares')
    .set({ status: 'done', new_block_id: null, ended_at: now })
    .where('id', '=', row.id)
    .execute();
  await cancelJob(tx.db, reshareJob(row.id));
  if (row.rekey === 1) {
    await freeStorage(tx, document.creator_id, document.size);
    await dropBlocks(tx, [document.block_id]);
  }
  const details = { documentId, generation: row.to_generation, rekey: row.rekey === 1 };
  await record(tx, actorId, { action: 'DOCUMENT_RESHARED', subject: `document/${documentId}`, details }, [
    ['quorum_documents', documentId],
    ['quorum_reshares', row.id],
    confirmed,
    ...old.map((one): ChangedRow => ['quorum_shares', documentId, one.generation, one.member_id]),
  ]);
  await tellReshared(tx, row, document.creator_id);
  await finishTransition(tx, actorId);
}

function newContentOf({ header, new_block_id: blockId, size }: QuorumReshareRow) {
  // Shares of a new key are stored after its ciphertext alone.
  if (header === null || blockId === null || size === null) throw new Error('a new key has no content');
  return { header, block_id: blockId, size };
}
