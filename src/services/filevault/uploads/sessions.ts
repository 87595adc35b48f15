import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { sweep } from '../../../service/sweep.ts';
import { dropBlocks } from '../../../shared/attachments/blocks.ts';
import { Problem } from '../../../base/problem.ts';
import type { OpenUpload } from '../../../contract/filevault/uploads.ts';
import { asc, readPage, type Next, type PageRequest } from '../../../platform/store/page.ts';
import type { FileUploadRow } from '../../../platform/store/tables/filevault.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { requirePlace, type Place } from '../access/places.ts';
import { sealedUploadState } from '../client-keys/upload-state.ts';
import { record } from '../audit.ts';
import { freeSpaces, type Freed } from '../containers/space.ts';
import { findContent } from '../content/reading.ts';
import { finishErasures, planErasure } from '../destruction/erasures.ts';
import { uploadNotFound } from '../problems.ts';
import { statusOf } from './finalizing.ts';

const HOUR_MS = 3_600_000;
const QUIET_MS = 24 * HOUR_MS;
const LONGEST_MS = 7 * 24 * HOUR_MS;

/** How long an upload still waits for a chunk. */
export function expiryOf(now: number, createdAt: number): number {
  return Math.min(now + QUIET_MS, createdAt + LONGEST_MS);
}

const findUpload = writtenQuery<FileUploadRow>('select * from file_uploads where id = $1 and member_id = $2');

/** An upload that the actor began. By the clock it is gone when it expires, whenever its rows are removed. @throws Problem missing UPLOAD_NOT_FOUND */
export async function requireUpload(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  actor: Actor,
  sessionId: string,
): Promise<FileUploadRow> {
  const {
    rows: [row],
  } = await db.executeQuery(findUpload(sessionId, actor.memberId));
  if (row === undefined || row.expires_at <= clock.now()) throw uploadNotFound();
  return row;
}

/** Whether the actor may still do what the upload is for. @throws Problem as `requirePlace` does */
export async function requireTarget(
  ctx: Pick<Context, 'db' | 'clock' | 'config'>,
  actor: Actor,
  { folder_id, file_id, replaces }: Pick<FileUploadRow, 'folder_id' | 'file_id' | 'replaces'>,
): Promise<Place> {
  if (replaces === 1) return await requirePlace(ctx, actor, 1, file_id, { flag: 'write' });
  return await requirePlace(ctx, actor, 0, folder_id, { flag: 'write' });
}

/** The indexes of the chunks that are there, in order. */
async function receivedOf({ db }: Pick<Context, 'db'>, contentId: string): Promise<number[]> {
  const rows = await db
    .selectFrom('file_blocks')
    .select('place')
    .where('content_id', '=', contentId)
    .orderBy('place')
    .execute();
  return rows.map(({ place }) => place);
}

/** @returns ranges such as `0-3,7` */
export function missingRanges(received: readonly number[], chunks: number): string {
  const ranges: string[] = [];
  let next = 0;
  for (const index of [...received, chunks]) {
    if (index > next) ranges.push(index - 1 === next ? String(next) : `${next}-${index - 1}`);
    next = index + 1;
  }
  return ranges.join(',');
}

export async function showUpload(ctx: Context, actor: Actor, { sessionId }: { readonly sessionId: string }) {
  const row = await requireUpload(ctx, actor, sessionId);
  const received = row.finalized_at === null ? await receivedOf(ctx, row.content_id) : undefined;
  return {
    sessionId,
    status: received === undefined ? ('finalized' as const) : statusOf(ctx, row.id),
    chunkSize: row.chunk_size,
    chunksReceived: received?.length ?? row.chunks,
    totalChunks: row.chunks,
    missing: received === undefined ? '' : missingRanges(received, row.chunks),
    fileName: row.name,
    totalSizeBytes: row.size,
    ...(received === undefined && { fileId: row.file_id }),
    ...(await sealedUploadState(ctx, row)),
    expiresAt: new Date(row.expires_at).toISOString(),
  };
}

export async function listUploads(
  ctx: Context,
  actor: Actor,
  { limit, cursor }: PageRequest,
): Promise<{ uploads: OpenUpload[] } & Next> {
  const query = ctx.db
    .selectFrom('file_uploads as u')
    .selectAll('u')
    .select((e) =>
      e
        .selectFrom('file_blocks as b')
        .select((b) => b.fn.countAll<number>().as('count'))
        .whereRef('b.content_id', '=', 'u.content_id')
        .as('received'),
    )
    .where('u.member_id', '=', actor.memberId)
    .where('u.finalized_at', 'is', null)
    .where('u.expires_at', '>', ctx.clock.now());
  const listing = {
    list: 'filevault.list-uploads',
    memberId: actor.memberId,
    by: [asc<FileUploadRow & { received: number | null }>('u.id', (row) => row.id)],
  };
  const { rows, next } = await readPage(ctx, query, listing, { limit, cursor });
  const uploads = rows.map((row) => ({
    sessionId: row.id,
    status: statusOf(ctx, row.id),
    chunkSize: row.chunk_size,
    chunksReceived: row.received ?? 0,
    totalChunks: row.chunks,
    fileName: row.name,
    totalSizeBytes: row.size,
    expiresAt: new Date(row.expires_at).toISOString(),
    targetFolderId: row.folder_id,
    vaultContainerId: row.container_id,
    modifiedAt: row.modified_at === null ? null : new Date(row.modified_at).toISOString(),
    createdAt: new Date(row.created_at).toISOString(),
  }));
  return { uploads, ...next };
}

export async function abortUpload(
  ctx: Context,
  actor: Actor,
  { sessionId }: { readonly sessionId: string },
): Promise<null> {
  return await transaction(ctx, async (tx) => {
    const row = await requireUpload(tx, actor, sessionId);
    if (row.finalized_at !== null) throw finalized();
    await freeSpaces(tx, 'reserved', await dropUpload(tx, row));
    const metadata = { uploadId: row.id };
    await record(tx, actor, { action: 'UPLOAD_ABORTED', containerId: row.container_id, nodeId: row.file_id, metadata });
    return null;
  });
}

export function finalized(): Problem {
  return new Problem('conflict', 'UPLOAD_FINALIZED', 'The upload is finished. Begin another one.');
}

/** Removes an upload, and what it stored if it was not finished. @returns what it had reserved, for `freeSpaces` */
async function dropUpload(tx: Context, row: FileUploadRow): Promise<Freed[]> {
  await tx.db.deleteFrom('file_uploads').where('id', '=', row.id).execute();
  if (row.finalized_at !== null) return [];
  const blocks = await tx.db
    .selectFrom('file_blocks')
    .select('block_id')
    .where('content_id', '=', row.content_id)
    .where('block_id', 'is not', null)
    .execute();
  await tx.db.deleteFrom('file_contents').where('id', '=', row.content_id).execute();
  await dropBlocks(
    tx,
    blocks.flatMap(({ block_id }) => block_id ?? []),
  );
  return [{ containerId: row.container_id, bytes: row.size }];
}

/** Removes the uploads into a container that is being destroyed. */
export async function purgeUploadsOf(ctx: Context, containerId: string): Promise<void> {
  const erasures: string[] = [];
  for (;;) {
    const done = await transaction(ctx, async (tx) => {
      const rows = await tx.db
        .selectFrom('file_uploads')
        .selectAll()
        .where('container_id', '=', containerId)
        .limit(BATCH)
        .execute();
      const slots = await dropUploads(tx, rows);
      return { count: rows.length, erasures: slots.length === 0 ? [] : [await planErasure(tx, slots)] };
    });
    erasures.push(...done.erasures);
    if (done.count < BATCH) break;
  }
  await finishErasures(ctx, erasures);
}

/**
 * Removes the uploads of new versions of a file that is being destroyed.
 * @returns the slots of their erasure keys, which have to go too: a backup may have what was sent
 */
export async function dropUploadsOf(tx: Context, fileId: string): Promise<number[]> {
  const rows = await tx.db.selectFrom('file_uploads').selectAll().where('file_id', '=', fileId).execute();
  return await dropUploads(tx, rows);
}

async function dropUploads(tx: Context, rows: readonly FileUploadRow[]): Promise<number[]> {
  const slots: number[] = [];
  const freed: Freed[] = [];
  for (const row of rows) {
    const content = await findContent(tx, row.content_id);
    if (content !== undefined && row.finalized_at === null) slots.push(content.slot);
    freed.push(...(await dropUpload(tx, row)));
  }
  await freeSpaces(tx, 'reserved', freed);
  return slots;
}

/** Uploads that one transaction removes. */
const BATCH = 20;

/** Removes uploads that have expired. */
export async function purgeUploads(ctx: Context): Promise<void> {
  await sweep(ctx, {
    what: 'removing an upload',
    most: BATCH,
    async step(tx, { most, without, found }) {
      const rows = await tx.db
        .selectFrom('file_uploads')
        .selectAll()
        .where('expires_at', '<=', tx.clock.now())
        .where('id', 'not in', without)
        .orderBy('expires_at')
        .orderBy('id')
        .limit(most)
        .execute();
      found(rows.map(({ id }) => id));
      const freed: Freed[] = [];
      for (const row of rows) freed.push(...(await dropUpload(tx, row)));
      await freeSpaces(tx, 'reserved', freed);
    },
  });
}
