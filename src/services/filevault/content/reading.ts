import type { Context } from '../../../context.ts';
import { CHUNK, openHeader, openSegment, sealedLength, segmentsOf } from '../../../crypto/chunked-encryption.ts';
import { blockContext, openManifest, type Manifest } from '../../../crypto/file-content.ts';
import { contentHash } from '../../../crypto/hash.ts';
import type { ByteRange } from '../../../raw-bodies.ts';
import type { FileBlockRow, FileContentRow } from '../../../store/tables/filevault.ts';
import { fileDamaged } from '../problems.ts';
import { contentKey } from './keys.ts';
import { asDamage } from './sealed.ts';

/** A content whose key and list of blocks are known. */
export interface OpenContent {
  readonly row: FileContentRow;
  readonly key: Uint8Array;
  readonly manifest: Manifest;
}

/** Segments that are read from the disk together. */
const SEGMENTS_AT_ONCE = 16;

/** @throws Problem internal FILE_DAMAGED; gone FILE_DESTROYED; unavailable ERASURE_KEYS_MISSING */
export async function openContent(ctx: Context, id: string): Promise<OpenContent> {
  const row = await ctx.db.selectFrom('file_contents').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw fileDamaged();
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
  content: OpenContent,
  place: number,
  { start, end }: ByteRange,
): AsyncGenerator<Uint8Array> {
  const { row, key, manifest } = content;
  const size = Math.min(manifest.chunkSize, manifest.size - place * manifest.chunkSize);
  const sealedAt = await sealedBytes(ctx, row.id, place, manifest.hashes[place] ?? '', size);
  const first = Math.floor(start / CHUNK.segmentBytes);
  const last = Math.floor((end - 1) / CHUNK.segmentBytes);
  const keys = openHeader(key, blockContext(row, place), await sealedAt({ start: 0, end: CHUNK.headerBytes }));
  if (keys === undefined) throw fileDamaged();
  const sealedSegment = CHUNK.segmentBytes + CHUNK.tagBytes;
  const whole = sealedLength(size);
  for (let index = first; index <= last; index += SEGMENTS_AT_ONCE) {
    const count = Math.min(SEGMENTS_AT_ONCE, last + 1 - index);
    const at = CHUNK.headerBytes + index * sealedSegment;
    const sealed = await sealedAt({ start: at, end: Math.min(whole, at + count * sealedSegment) });
    for (let step = 0; step < count; step += 1) {
      const segment = sealed.subarray(step * sealedSegment, (step + 1) * sealedSegment);
      const plaintext = openSegment(keys, index + step, segment);
      if (plaintext === undefined) throw fileDamaged();
      const from = (index + step) * CHUNK.segmentBytes;
      yield plaintext.subarray(Math.max(0, start - from), Math.min(plaintext.length, end - from));
    }
  }
  // A block that was cut at the border of a segment shows in its last segment alone, which is short.
  if (last + 1 < segmentsOf(size) && end === size) await assertEnd(sealedAt, keys, size);
}

async function assertEnd(
  sealedAt: (range: ByteRange) => Promise<Uint8Array>,
  keys: NonNullable<ReturnType<typeof openHeader>>,
  size: number,
): Promise<void> {
  const index = segmentsOf(size) - 1;
  const at = CHUNK.headerBytes + index * (CHUNK.segmentBytes + CHUNK.tagBytes);
  if (openSegment(keys, index, await sealedAt({ start: at, end: sealedLength(size) })) === undefined)
    throw fileDamaged();
}

/** Reads the ciphertext of a block: from the database, or from its file. The manifest says which hash it has. */
async function sealedBytes(
  { db, blocks }: Pick<Context, 'db' | 'blocks'>,
  contentId: string,
  place: number,
  hash: string,
  size: number,
): Promise<(range: ByteRange) => Promise<Uint8Array>> {
  const row = await db
    .selectFrom('file_blocks')
    .selectAll()
    .where('content_id', '=', contentId)
    .where('place', '=', place)
    .executeTakeFirst();
  if (row === undefined || row.hash !== hash || row.size !== size || !isWhole(row)) throw fileDamaged();
  const { sealed } = row;
  if (sealed !== null) return async ({ start, end }) => sealed.subarray(start, end);
  return async (range) => await blocks.get(hash, range).catch(asDamage);
}

function isWhole({ sealed, block_id, hash, size }: FileBlockRow): boolean {
  if (sealed === null) return block_id === hash;
  return sealed.length === sealedLength(size) && contentHash(sealed) === hash;
}
