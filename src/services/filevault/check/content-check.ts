import type { Context } from '../../../service/context.ts';
import { sealedLength } from '../../../crypto/formats/file-content/chunked-encryption.ts';
import { openManifest, type Manifest } from '../../../crypto/formats/file-content/file-content.ts';
import { contentHash } from '../../../crypto/hash.ts';
import { Problem } from '../../../base/problem.ts';
import type { FileBlockRow, FileContentRow } from '../../../platform/store/tables/filevault.ts';
import { contentKey } from '../content/keys.ts';
import { readContent } from '../content/reading.ts';

export type Level = 'quick' | 'full';

/** What looking at a row, and at the presence of a block, counts as, in bytes. */
const LOOK_BYTES = 64 * 1024;

/** Where a check of a content stopped, and what it found. */
export interface Looked {
  readonly faults: readonly string[];
  readonly bytes: number;
  /** the block at which it goes on; undefined: the content is checked to its end */
  readonly next: number | undefined;
}

type BlockFacts = Pick<FileBlockRow, 'place' | 'hash' | 'block_id' | 'size'>;

/**
 * Checks a content: its key opens, its list opens and is the list of its rows, its blocks are there; in full also that each has its hash and
 * opens in its place.
 *
 * @param from the first block; 0 begins with key and list
 * @param budget bytes after which it stops at the end of a block
 */
export async function checkContent(
  ctx: Context,
  row: FileContentRow,
  { level, from, budget, sealedOnly }: { level: Level; from: number; budget: number; sealedOnly: boolean },
): Promise<Looked> {
  const key = sealedOnly ? undefined : await keyOf(ctx, row);
  if (typeof key === 'string') return { faults: [key], bytes: LOOK_BYTES, next: undefined };
  const blocks = await ctx.db
    .selectFrom('file_blocks')
    .select(['place', 'hash', 'block_id', 'size'])
    .where('content_id', '=', row.id)
    .orderBy('place')
    .execute();
  let manifest: Manifest | undefined;
  if (key !== undefined && row.manifest !== null) {
    manifest = openManifest(key, row, row.manifest);
    const fault = manifest === undefined ? 'its list of blocks does not open' : faultOfList(manifest, row, blocks);
    if (fault !== undefined) return { faults: [fault], bytes: LOOK_BYTES, next: undefined };
  }
  const faults: string[] = [];
  let bytes = LOOK_BYTES;
  for (const block of blocks) {
    if (block.place < from) continue;
    if (bytes >= budget) return { faults, bytes, next: block.place };
    bytes += LOOK_BYTES;
    const open = key !== undefined && manifest !== undefined ? { row, key, manifest } : undefined;
    const fault = await faultOfBlock(ctx, row, block, level, open);
    if (level === 'full') bytes += block.size;
    if (fault !== undefined) faults.push(`block ${block.place} ${fault}`);
  }
  return { faults, bytes, next: undefined };
}

/** @returns what is wrong, if it doesn't open */
async function keyOf(ctx: Context, row: FileContentRow): Promise<Uint8Array | string> {
  try {
    return await contentKey(ctx, row);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.code === 'FILE_DESTROYED') return 'its erasure key is gone, so nothing opens it';
    if (error.code === 'FILE_KEYS_LOST') return 'its keys were lost before the store was restored, so nothing opens it';
    if (error.code === 'FILE_DAMAGED') return 'its key does not open';
    throw error;
  }
}

function faultOfList(manifest: Manifest, row: FileContentRow, blocks: readonly BlockFacts[]): string | undefined {
  if (manifest.size !== row.size || manifest.chunkSize !== row.chunk_size)
    return 'its row has another size than its list of blocks';
  const { size, chunkSize, hashes } = manifest;
  const isListed = ({ place, hash, block_id, size: bytes }: BlockFacts, index: number): boolean =>
    place === index &&
    hash === hashes[index] &&
    (block_id === null || block_id === hash) &&
    bytes === Math.min(chunkSize, size - index * chunkSize);
  const isWhole = blocks.length === hashes.length && blocks.every(isListed);
  return isWhole ? undefined : 'its rows are not those of its list of blocks';
}

type Open = { readonly row: FileContentRow; readonly key: Uint8Array; readonly manifest: Manifest };

async function faultOfBlock(
  ctx: Context,
  row: FileContentRow,
  { place, hash, block_id, size }: BlockFacts,
  level: Level,
  open: Open | undefined,
): Promise<string | undefined> {
  const { db, blocks } = ctx;
  if (block_id === null) {
    const kept = await db
      .selectFrom('file_blocks')
      .select('sealed')
      .where('content_id', '=', row.id)
      .where('place', '=', place)
      .executeTakeFirst();
    // Blocks in rows are small.
    if (kept?.sealed == null) return 'is missing';
    if (kept.sealed.length !== sealedLength(size)) return 'has the wrong size';
    if (contentHash(kept.sealed) !== hash) return 'does not have its hash';
  } else {
    const info = await blocks.head(block_id);
    if (info === undefined) return 'is missing';
    if (info.size !== sealedLength(size)) return 'has the wrong size';
    // A thread hashes it.
    if (level === 'full' && !(await blocks.verify(block_id))) return 'does not have its hash';
  }
  if (level === 'full' && open !== undefined && !(await opens(ctx, open, place)))
    return 'does not open: it was changed, or belongs elsewhere';
  return undefined;
}

/** Reads all segments of a block, some hundred kilobytes at a time. */
async function opens(ctx: Context, open: Open, place: number): Promise<boolean> {
  const { chunkSize, size } = open.manifest;
  const range = { start: place * chunkSize, end: Math.min(size, (place + 1) * chunkSize) };
  try {
    for await (const piece of readContent(ctx, open, range)) void piece;
    return true;
  } catch (error) {
    if (error instanceof Problem && error.code === 'FILE_DAMAGED') return false;
    throw error;
  }
}
