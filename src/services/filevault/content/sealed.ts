import type { Context } from '../../../context.ts';
import { sealedLength } from '../../../crypto/chunked-encryption.ts';
import { Problem } from '../../../problem.ts';
import type { ByteRange, Content } from '../../../raw-bodies.ts';
import type { FileContentRow } from '../../../store/tables/filevault.ts';
import { fileDamaged } from '../problems.ts';

/** Bytes that are read together. */
const PIECE_BYTES = 256 * 1024;

type Sized = Pick<FileContentRow, 'id' | 'size' | 'chunk_size'>;

/**
 * A content as it is stored: its blocks one after another, encrypted. It is for those who hold its key themselves, and who check it against
 * its manifest: readers of client-encrypted containers, and of links whose key the node does not have. All blocks but the last one are
 * `sealedLength(chunk_size)` bytes long, so that a reader finds each of them.
 */
export function sealedContent(ctx: Pick<Context, 'db' | 'blocks'>, row: Sized): Content {
  const whole = sealedLength(row.chunk_size);
  const chunks = Math.ceil(row.size / row.chunk_size);
  const last = sealedLength(row.size - (chunks - 1) * row.chunk_size);
  return {
    size: (chunks - 1) * whole + last,
    async *read({ start, end }: ByteRange) {
      for (let place = Math.floor(start / whole); place * whole < end; place += 1) {
        const from = place * whole;
        const length = place === chunks - 1 ? last : whole;
        const inside = { start: Math.max(0, start - from), end: Math.min(length, end - from) };
        yield* readSealed(ctx, row.id, place, length, inside);
      }
    },
  };
}

async function* readSealed(
  { db, blocks }: Pick<Context, 'db' | 'blocks'>,
  contentId: string,
  place: number,
  length: number,
  { start, end }: ByteRange,
): AsyncGenerator<Uint8Array> {
  const row = await db
    .selectFrom('file_blocks')
    .select(['block_id', 'sealed'])
    .where('content_id', '=', contentId)
    .where('place', '=', place)
    .executeTakeFirst();
  const sealed = row?.sealed ?? undefined;
  const blockId = row?.block_id ?? undefined;
  if (sealed !== undefined) {
    if (sealed.length !== length) throw fileDamaged();
    yield sealed.subarray(start, end);
    return;
  }
  if (blockId === undefined) throw fileDamaged();
  for (let at = start; at < end; at += PIECE_BYTES)
    yield await blocks.get(blockId, { start: at, end: Math.min(end, at + PIECE_BYTES) }).catch(asDamage);
}

/** What the store of blocks says of a block that is missing, cut or changed. */
export function asDamage(cause: unknown): never {
  const isDamage = cause instanceof Problem && ['missing', 'invalid', 'internal'].includes(cause.kind);
  throw isDamage ? fileDamaged(cause) : cause;
}
