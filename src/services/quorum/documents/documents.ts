import type { Actor } from '../../../service/actor.ts';
import { dropBlocks } from '../../../shared/attachments/blocks.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { ReplyOf } from '../../../contract/operation.ts';
import type { DocumentMetadata, quorumDocuments } from '../../../contract/quorum/documents.ts';
import { freeStorage } from '../../../shared/members/storage.ts';
import { Problem } from '../../../base/problem.ts';
import { desc, readPage, type Next, type PageRequest } from '../../../platform/store/page.ts';
import type { QuorumDocumentRow } from '../../../platform/store/tables/quorum.ts';
import { isInsider, memberOf } from '../access.ts';
import { record } from '../audit/record.ts';
import type { ChangedRow } from '../audit/row-digests.ts';
import { knownDocument } from '../sessions/rights.ts';
import { holdersOf } from './shares.ts';
import { holdersChanged } from './holders.ts';
import { tellDocumentGone } from '../events/documents.ts';
import { noticeHoldersKept } from '../events/holders.ts';
import { finishTransition } from '../members/transition.ts';

interface OfDocument {
  readonly documentId: string;
}

export async function showDocument(
  ctx: Context,
  actor: Actor,
  { documentId }: OfDocument,
): Promise<{ document: DocumentMetadata }> {
  const row = await knownDocument(ctx, actor.memberId, documentId);
  const [document] = await shownDocuments(ctx, [row], isInsider(actor, await memberOf(ctx, actor)));
  return { document: document as DocumentMetadata };
}

export async function listDocuments(
  ctx: Context,
  actor: Actor,
  { holdersChanged: filter, ...page }: PageRequest & { holdersChanged?: 'true' | 'false' | undefined },
): Promise<{ documents: DocumentMetadata[] } & Next> {
  const own = await memberOf(ctx, actor);
  const isMember = own !== undefined;
  let query = ctx.db.selectFrom('quorum_documents').selectAll();
  if (!isMember) query = query.where('creator_id', '=', actor.memberId);
  if (filter !== undefined)
    query = query.where((e) => (filter === 'true' ? holdersChanged(e) : e.not(holdersChanged(e))));
  const { rows, next } = await readPage(
    ctx,
    query,
    {
      list: 'quorum.list-documents',
      memberId: actor.memberId,
      filter: { holdersChanged: filter, isMember },
      by: [desc('id', (row) => row.id)],
    },
    page,
  );
  return { documents: await shownDocuments(ctx, rows, isInsider(actor, own)), ...next };
}

export async function canUnlock(
  ctx: Context,
  actor: Actor,
  { documentId, memberIds }: OfDocument & { memberIds: string },
): Promise<ReplyOf<typeof quorumDocuments.canUnlock>> {
  const row = await knownDocument(ctx, actor.memberId, documentId);
  const named = new Set(memberIds.split(','));
  const holders = await holdersOf(ctx, row);
  const active = holders.flatMap((holder) => (holder.active === 1 ? [holder.member_id] : []));
  const former = holders.flatMap((holder) => (holder.active === 1 ? [] : [holder.member_id]));
  const formerMembers = isInsider(actor, await memberOf(ctx, actor)) ? former : [];
  const missingMembers = active.filter((id) => !named.has(id));
  const sharesProvided = active.length - missingMembers.length;
  const { shares_required: sharesRequired } = row;
  return {
    canUnlock: sharesProvided >= sharesRequired,
    sharesProvided,
    sharesRequired,
    missingMembers,
    ...(formerMembers.length > 0 && { formerMembers }),
  };
}

/** Erases a document with all that belongs to it. */
export async function removeDocument(
  ctx: Context,
  actor: Actor,
  { documentId }: OfDocument,
): Promise<{ success: true; documentId: string }> {
  return await transaction(ctx, async (tx) => {
    const row = await knownDocument(tx, actor.memberId, documentId);
    if (row.creator_id !== actor.memberId)
      throw new Problem('forbidden', 'FORBIDDEN', 'Only the creator of a document can delete it.');
    await assertUnused(tx, row);
    const { changed, blockIds, bytes } = await belongings(tx, row);
    await tellDocumentGone(tx, documentId);
    await tx.db.deleteFrom('quorum_documents').where('id', '=', documentId).execute();
    await noticeHoldersKept(tx, [row.creator_id]);
    await freeStorage(tx, row.creator_id, bytes);
    const event = { action: 'DOCUMENT_DELETED', subject: `document/${documentId}`, details: { documentId } };
    await record(tx, actor.memberId, event, changed);
    await finishTransition(tx, actor.memberId);
    await dropBlocks(tx, blockIds);
    return { success: true as const, documentId };
  });
}

async function assertUnused(tx: Context, { id, kind }: QuorumDocumentRow): Promise<void> {
  if (kind !== 'identity') return;
  const alias = await tx.db
    .selectFrom('quorum_aliases')
    .select('name')
    .where('document_id', '=', id)
    .executeTakeFirst();
  if (alias !== undefined)
    throw new Problem(
      'conflict',
      'DOCUMENT_IN_USE',
      `The alias ${alias.name} refers to the document. Deregister it by a proposal DEREGISTER_ALIAS first.`,
    );
}

/** The rows that go with a document, its blocks, and the bytes that they take. */
async function belongings(
  tx: Context,
  { id, block_id: blockId, size }: QuorumDocumentRow,
): Promise<{ changed: ChangedRow[]; blockIds: string[]; bytes: number }> {
  const shares = await tx.db
    .selectFrom('quorum_shares')
    .select(['generation', 'member_id'])
    .where('document_id', '=', id)
    .execute();
  const sessions = await tx.db.selectFrom('quorum_sessions').select('id').where('document_id', '=', id).execute();
  const contributions = await tx.db
    .selectFrom('quorum_contributions as c')
    .innerJoin('quorum_sessions as s', 's.id', 'c.session_id')
    .select(['c.session_id', 'c.member_id'])
    .where('s.document_id', '=', id)
    .execute();
  const reshares = await tx.db.selectFrom('quorum_reshares').selectAll().where('document_id', '=', id).execute();
  // The new ciphertext of a re-keying that has not ended takes storage of its own.
  const waiting = reshares.filter(({ status }) => status === 'collecting' || status === 'confirming');
  const blocks = [{ id: blockId, size }];
  for (const one of waiting) if (one.new_block_id !== null) blocks.push({ id: one.new_block_id, size: one.size ?? 0 });
  return {
    changed: [
      ['quorum_documents', id],
      ...shares.map((one): ChangedRow => ['quorum_shares', id, one.generation, one.member_id]),
      ...sessions.map((one): ChangedRow => ['quorum_sessions', one.id]),
      ...contributions.map((one): ChangedRow => ['quorum_contributions', one.session_id, one.member_id]),
      ...reshares.map((one): ChangedRow => ['quorum_reshares', one.id]),
    ],
    blockIds: blocks.map((block) => block.id),
    bytes: blocks.reduce((sum, block) => sum + block.size, 0),
  };
}

/** @param whole with what is for insiders: who was removed from the quorum. Others are told that somebody was. */
async function shownDocuments(
  ctx: Context,
  rows: readonly QuorumDocumentRow[],
  whole: boolean,
): Promise<DocumentMetadata[]> {
  if (rows.length === 0) return [];
  const shares = await ctx.db
    .selectFrom('quorum_shares as s')
    .innerJoin('quorum_documents as d', (join) =>
      join.onRef('d.id', '=', 's.document_id').onRef('d.generation', '=', 's.generation'),
    )
    .innerJoin('quorum_members as m', 'm.id', 's.member_id')
    .select(['s.document_id', 's.member_id', 'm.active'])
    .where(
      'd.id',
      'in',
      rows.map(({ id }) => id),
    )
    .orderBy('s.member_id')
    .execute();
  const holders = new Map<string, typeof shares>(rows.map(({ id }) => [id, []]));
  for (const share of shares) holders.get(share.document_id)?.push(share);
  return rows.map((row) => shown(row, holders.get(row.id) ?? [], whole));
}

function shown(
  row: QuorumDocumentRow,
  holders: readonly { readonly member_id: string; readonly active: number }[],
  whole: boolean,
): DocumentMetadata {
  const active = holders.filter((holder) => holder.active === 1);
  const former = holders.filter((holder) => holder.active === 0);
  return {
    id: row.id,
    kind: row.kind,
    memberIds: (whole ? holders : active).map((holder) => holder.member_id),
    sharesRequired: row.shares_required,
    createdAt: new Date(row.created_at).toISOString(),
    creatorId: row.creator_id,
    epochNumber: row.epoch,
    generation: row.generation,
    size: row.size,
    holdersChanged: former.length > 0,
    formerMemberIds: whole ? former.map((holder) => holder.member_id) : [],
    outOfReach: active.length < row.shares_required,
    ...(row.reshared_at !== null && { resharedAt: new Date(row.reshared_at).toISOString() }),
  };
}
