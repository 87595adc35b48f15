import type { Context } from '../../../service/context.ts';
import {
  CHUNK,
  openHeader,
  sealedLength,
  segmentsOf,
} from '../../../crypto/formats/file-content/chunked-encryption.ts';
import { blockContext, openManifest, type Manifest } from '../../../crypto/formats/file-content/file-content.ts';
import { contentHash } from '../../../crypto/hash.ts';
import type { ByteRange } from '../../../service/raw-bodies.ts';
import { blockOf, type BlockReader } from '../../../platform/store/blocks/block-reader.ts';
import type { FileContentRow } from '../../../platform/store/tables/filevault.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { fileDamaged } from '../problems.ts';
import { contentKey } from './keys.ts';
import { asDamage } from './sealed.ts';

/** A content whose key and list of blocks are known. */
export interface OpenContent {
  readonly row: FileContentRow;
  readonly key: Uint8Array;
  readonly manifest: Manifest;
}

/** Segments that are read and opened together. */
const SEGMENTS_AT_ONCE = 16;

const selectContent = writtenQuery<FileContentRow>('select * from file_contents where id = $1');

/** The row of a content, which an upload may have lost. */
export async function findContent({ db }: Pick<Context, 'db'>, id: string): Promise<FileContentRow | undefined> {
  return (await db.executeQuery(selectContent(id))).rows[0];
}

/** The row of a content that a version has. @throws Problem internal FILE_DAMAGED */
export async function contentRow(ctx: Pick<Context, 'db'>, id: string): Promise<FileContentRow> {
  const row = await findContent(ctx, id);
  if (row === undefined) throw fileDamaged();
  return row;
}

/** @throws Problem internal FILE_DAMAGED; gone FILE_DESTROYED; unavailable ERASURE_KEYS_MISSING */
export async function openContent(ctx: Context, id: string): Promise<OpenContent> {
  const row = await contentRow(ctx, id);
  const key = await contentKey(ctx, row);
  return { row, key, manifest: manifestOf(key, row) };
}

/** @throws Problem internal FILE_DAMAGED, also if it is not the manifest of a content of this size */
function manifestOf(key: Uint8Array, row: FileContentRow): Manifest {
  const manifest = row.manifest === null ? undefined : openManifest(key, row, row.manifest);
  if (manifest?.size === row.size && manifest.chunkSize === row.chunk_size) return manifest;
  throw fileDamaged();
}

/** Decrypts a part of a content. Every piece was authenticated before it leaves. @throws Problem internal FILE_DAMAGED */
export async function* readContent(
  ctx: Pick<Context, 'db' | 'blocks'>,
  content: OpenContent,
  { start, end }: ByteRange,
): AsyncGenerator<Uint8Array> {
  const { chunkSize } = content.manifest;
  for (let place = Math.floor(start / chunkSize); place * chunkSize < end; place += 1) {
    const from = place * chunkSize;
    yield* readBlock(ctx, content, place, { start: Math.max(0, start - from), end: Math.min(chunkSize, end - from) });
  }
}

/** @param range within the block */
async function* readBlock(
  ctx: Pick<Context, 'db' | 'blocks'>,
  { row, key, manifest }: OpenContent,
  place: number,
  { start, end }: ByteRange,
): AsyncGenerator<Uint8Array> {
  const size = Math.min(manifest.chunkSize, manifest.size - place * manifest.chunkSize);
  const segments = segmentsOf(size);
  await using block = await storedBlock(ctx, row.id, place, manifest.hashes[place] ?? '', size);
  const header = await block.read({ start: 0, end: CHUNK.headerBytes }).catch(asDamage);
  const keys = openHeader(key, blockContext(row, place), header);
  if (keys === undefined) throw fileDamaged();
  const last = Math.floor((end - 1) / CHUNK.segmentBytes);
  const open = (first: number): Opening => {
    const count = Math.min(SEGMENTS_AT_ONCE, last + 1 - first);
    const opening = count > 0 ? block.openSegments(keys, first, count) : undefined;
    // Its error is that of the next `await`, which may come later or never.
    opening?.catch(() => undefined);
    return opening;
  };
  let index = Math.floor(start / CHUNK.segmentBytes);
  let opening = open(index);
  try {
    while (opening !== undefined) {
      const plaintext = await opening.catch(asDamage);
      if (plaintext === undefined) throw fileDamaged();
      const from = index * CHUNK.segmentBytes;
      index += SEGMENTS_AT_ONCE;
      // The next segments are opened while these are sent.
      opening = open(index);
      yield plaintext.subarray(Math.max(0, start - from), Math.min(plaintext.length, end - from));
    }
  } finally {
    // The file must not be closed meanwhile.
    await opening?.catch(() => undefined);
  }
  // A block that was cut at the border of a segment shows in its last segment alone, which is short.
  if (last + 1 === segments || end < size) return;
  if ((await block.openSegments(keys, segments - 1, 1).catch(asDamage)) === undefined) throw fileDamaged();
}

type Opening = Promise<Uint8Array | undefined> | undefined;

/** The ciphertext of a block: in the database, or in a file. The manifest says which hash it has. */
async function storedBlock(
  { db, blocks }: Pick<Context, 'db' | 'blocks'>,
  contentId: string,
  place: number,
  hash: string,
  size: number,
): Promise<Pick<BlockReader, 'read' | 'openSegments'> & AsyncDisposable> {
  const row = await db
    .selectFrom('file_blocks')
    .selectAll()
    .where('content_id', '=', contentId)
    .where('place', '=', place)
    .executeTakeFirst();
  if (row === undefined || row.hash !== hash || row.size !== size) throw fileDamaged();
  const { sealed } = row;
  if (sealed !== null) {
    if (sealed.length !== sealedLength(size) || contentHash(sealed) !== hash) throw fileDamaged();
    return blockOf(sealed);
  }
  if (row.block_id !== hash) throw fileDamaged();
  const block = await blocks.open(hash).catch(asDamage);
  if (block.size === sealedLength(size)) return block;
  await block[Symbol.asyncDispose]();
  throw fileDamaged();
}
