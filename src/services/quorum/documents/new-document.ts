import type { NewBlock } from '../../../shared/attachments/blocks.ts';
import type { Context } from '../../../service/context.ts';
import { quorumLimits } from '../../../contract/quorum/limits.ts';
import { fromHex } from '../../../crypto/bytes.ts';
import {
  DOCUMENT_KEY_LENGTH,
  headerText,
  sealDocument,
  type DocumentHeader,
  type WrappedShare,
} from '../../../crypto/formats/quorum/document.ts';
import { assertStorageLeft, takeStorage } from '../../../shared/members/storage.ts';
import { fieldsProblem, Problem, type FieldProblem } from '../../../base/problem.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import type { QuorumDocumentRow } from '../../../platform/store/tables/quorum.ts';
import type { ChangedRow } from '../audit/row-digests.ts';
import { currentEpoch } from '../members/epochs.ts';
import { sealTask, wrapTask, type SealJob } from './tasks.ts';

/** Form, IV and tag of a sealed content; see crypto/sealing.ts. */
const OVERHEAD_BYTES = 1 + 16 + 16;
/** Content up to this size is encrypted in place, in half a millisecond. A thread would take longer to answer. */
const INLINE_BYTES = 1024 * 1024;

export interface Wanted {
  readonly kind: QuorumDocumentRow['kind'];
  /** the account that counts as its creator, and whose storage it takes */
  readonly creatorId: string;
  /** moves to a thread if it has memory of its own, and can't be used afterwards */
  readonly content: Uint8Array;
  readonly memberIds: readonly string[];
  /** default: the threshold of the quorum */
  readonly sharesRequired?: number | undefined;
}

/** A sealed document that is not stored. */
export interface NewDocument {
  readonly kind: QuorumDocumentRow['kind'];
  readonly header: DocumentHeader;
  /** in the order in which they were asked for */
  readonly memberIds: readonly string[];
  readonly now: number;
  /** the ciphertext, which belongs into a block */
  readonly sealed: Uint8Array;
  /** made in a thread while the block is written: they must be there when `storeDocument` is called */
  readonly shares: Promise<readonly WrappedShare[]>;
}

/**
 * Seals a content for members. Nothing is stored.
 * @throws Problem invalid VALIDATION_ERROR, INVALID_MEMBER_COUNT, INVALID_THRESHOLD; tooLarge STORAGE_QUOTA_EXCEEDED; unavailable OVERLOADED
 */
export async function newDocument(ctx: Context, wanted: Wanted): Promise<NewDocument> {
  const { kind, creatorId, content, memberIds } = wanted;
  const epoch = await currentEpoch(ctx);
  const sharesRequired = wanted.sharesRequired ?? epoch.threshold;
  assertCounts(memberIds.length, sharesRequired);
  const members = await assertActive(ctx, memberIds);
  await assertStorageLeft(ctx, creatorId, content.length + OVERHEAD_BYTES);
  const now = ctx.clock.now();
  const header: DocumentHeader = {
    documentId: recordId(now, ctx.random),
    creatorId,
    memberIds: memberIds.toSorted(),
    sharesRequired,
    epochNumber: epoch.number,
    generation: 1,
  };
  const key = ctx.random(DOCUMENT_KEY_LENGTH);
  const { documentId, epochNumber, generation } = header;
  const place = { documentId, epochNumber, generation };
  // A copy that moves to the thread: the job leaves later, when this key may be erased already.
  const own = Uint8Array.from(key);
  const job = { key: own, members, sharesRequired, place };
  const shares = ctx.offload.run(wrapTask, job, { transfer: [own.buffer] });
  // Whoever waits for them hears of it.
  shares.catch(() => undefined);
  const sealed = await sealContent(ctx, { key, header: headerText(header), content });
  key.fill(0);
  return { kind, header, memberIds, now, sealed, shares };
}

async function sealContent(ctx: Context, job: SealJob): Promise<Uint8Array> {
  const { content } = job;
  if (content.length <= INLINE_BYTES) return sealDocument(job.key, job.header, content, ctx.random);
  const own = content.byteLength === content.buffer.byteLength;
  return await ctx.offload.run(sealTask, job, { transfer: own ? [content.buffer as ArrayBuffer] : [] });
}

/**
 * Stores a new document. It must run in the transaction of `withBlock`, whose caller holds the epoch and records the change.
 * @returns the rows that changed, for `record`
 * @throws Problem as `newDocument`, if members were removed meanwhile
 */
export async function storeDocument(
  tx: Context,
  { kind, header, memberIds, now, shares }: NewDocument,
  block: NewBlock,
): Promise<ChangedRow[]> {
  const { documentId, creatorId, sharesRequired, epochNumber, generation } = header;
  await assertActive(tx, memberIds);
  await takeStorage(tx, creatorId, block.size);
  await block.keep();
  await tx.db
    .insertInto('quorum_documents')
    .values({
      id: documentId,
      kind,
      creator_id: creatorId,
      header: headerText(header),
      generation,
      epoch: epochNumber,
      shares_required: sharesRequired,
      block_id: block.id,
      size: block.size,
      created_at: now,
      reshared_at: null,
    })
    .execute();
  const wrapped = await shares;
  await tx.db
    .insertInto('quorum_shares')
    .values(
      wrapped.map(({ memberId, encryptedShare, salt, commitment }) => ({
        document_id: documentId,
        generation,
        member_id: memberId,
        encrypted_share: encryptedShare,
        salt,
        commitment,
        confirmation: null,
        confirmed_at: null,
      })),
    )
    .execute();
  return [
    ['quorum_documents', documentId],
    ...wrapped.map(({ memberId }): ChangedRow => ['quorum_shares', documentId, generation, memberId]),
  ];
}

export function assertCounts(members: number, sharesRequired: number): void {
  const most = quorumLimits.members;
  if (members < 2 || members > most)
    throw new Problem('invalid', 'INVALID_MEMBER_COUNT', `A document needs 2 to ${most} members, not ${members}.`, {
      fields: [{ path: 'memberIds', message: `must be 2 to ${most} members` }],
    });
  if (sharesRequired < 2 || sharesRequired > members)
    throw new Problem(
      'invalid',
      'INVALID_THRESHOLD',
      `${sharesRequired} shares would be required of ${members} members. It must be at least 2, and at most the number of members.`,
      { fields: [{ path: 'sharesRequired', message: `must be a whole number from 2 to ${members}` }] },
    );
}

/**
 * The members with their public keys, in the same order.
 * @throws Problem invalid VALIDATION_ERROR that names each who is there twice or no active member
 */
export async function assertActive(
  ctx: Context,
  memberIds: readonly string[],
): Promise<{ memberId: string; publicKey: Uint8Array }[]> {
  const rows = await ctx.db
    .selectFrom('quorum_members')
    .select(['id', 'public_key'])
    .where('id', 'in', memberIds)
    .where('active', '=', 1)
    .execute();
  const keys = new Map(rows.map((row) => [row.id, row.public_key]));
  const wrong: FieldProblem[] = [];
  const members = memberIds.map((memberId, at) => {
    const publicKey = keys.get(memberId);
    const path = `memberIds.${at}`;
    if (memberIds.indexOf(memberId) < at) wrong.push({ path, message: 'is there twice' });
    else if (publicKey === undefined) wrong.push({ path, message: 'is no active member of the quorum' });
    return { memberId, publicKey: fromHex(publicKey ?? '') };
  });
  if (wrong.length > 0) throw fieldsProblem(wrong);
  return members;
}
