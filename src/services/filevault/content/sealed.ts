import type { Context } from '../../../service/context.ts';
import { sealedLength } from '../../../crypto/formats/file-content/chunked-encryption.ts';
import { Problem } from '../../../base/problem.ts';
import type { ByteRange, Content } from '../../../service/raw-bodies.ts';
import type { FileContentRow } from '../../../platform/store/tables/filevault.ts';
import { contentHash } from '../../../crypto/hash.ts';
import { fileDamaged } from '../problems.ts';

/** Bytes that are read together. */
const PIECE_BYTES = 256 * 1024;

type Sized = Pick<FileContentRow, 'id' | 'size' | 'chunk_size'>;

/** @returns the bytes of `sealedContent` */
export function sealedSize({ size, chunk_size }: Omit<Sized, 'id'>): number {
  const chunks = Math.ceil(size / chunk_size);
  return (chunks - 1) * sealedLength(chunk_size) + sealedLength(size - (chunks - 1) * chunk_size);
}

/**
 * A content as it is stored: its blocks one after another, encrypted. It is for those who hold its key themselves, and who check it against
 * its manifest: readers of client-encrypted containers, and of links whose key the node does not have. All blocks but the last one are
 * `sealedLength(chunk_size)` bytes long, so that a reader finds each of them. Each block is opened before its first byte leaves, or compared
 * with its hash if the node has no key for it.
 *
 * @param opened the plaintext, where the node has the key; otherwise readers alone notice that whole blocks were exchanged
 */
export function sealedContent(
  ctx: Pick<Context, 'db' | 'blocks'>,
  row: Sized,
  opened?: (range: ByteRange) => AsyncIterable<unknown>,
): Content {
  const whole = sealedLength(row.chunk_size);
  return {
    size: sealedSize(row),
    async *read({ start, end }: ByteRange) {
      for (let place = Math.floor(start / whole); place * whole < end; place += 1) {
        const from = place * whole;
        const size = Math.min(row.chunk_size, row.size - place * row.chunk_size);
        const inside = { start: Math.max(0, start - from), end: Math.min(sealedLength(size), end - from) };
        const first = place * row.chunk_size;
        if (opened !== undefined) for await (const _ of opened({ start: first, end: first + size }));
        yield* readSealed(ctx, { contentId: row.id, place, size, known: opened !== undefined }, inside);
      }
    },
  };
}

interface Wanted {
  readonly contentId: string;
  readonly place: number;
  /** of the plaintext */
  readonly size: number;
  /** it was opened just now */
  readonly known: boolean;
}

async function* readSealed(
  { db, blocks }: Pick<Context, 'db' | 'blocks'>,
  { contentId, place, size, known }: Wanted,
  { start, end }: ByteRange,
): AsyncGenerator<Uint8Array> {
  const row = await db
    .selectFrom('file_blocks')
    .select(['block_id', 'hash', 'sealed', 'size'])
    .where('content_id', '=', contentId)
    .where('place', '=', place)
    .executeTakeFirst();
  if (row === undefined || row.size !== size) throw fileDamaged();
  const { block_id: blockId, sealed } = row;
  if (sealed !== null) {
    if (sealed.length !== sealedLength(size) || (!known && contentHash(sealed) !== row.hash)) throw fileDamaged();
    yield sealed.subarray(start, end);
    return;
  }
  if (blockId === null || blockId !== row.hash) throw fileDamaged();
  const head = await blocks.head(blockId);
  if (head?.size !== sealedLength(size)) throw fileDamaged();
  if (!known && !(await blocks.verify(blockId).catch(asDamage))) throw fileDamaged();
  for (let at = start; at < end; at += PIECE_BYTES)
    yield await blocks.get(blockId, { start: at, end: Math.min(end, at + PIECE_BYTES) }).catch(asDamage);
}

/** What the store of blocks says of a block that is missing, cut or changed. */
export function asDamage(cause: unknown): never {
  const isDamage = cause instanceof Problem && ['missing', 'invalid', 'internal'].includes(cause.kind);
  throw isDamage ? fileDamaged(cause) : cause;
}
