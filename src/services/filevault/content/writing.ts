import { createHash } from 'node:crypto';
import { announceBlock, withdrawBlocks } from '../../../shared/attachments/blocks.ts';
import type { Context } from '../../../service/context.ts';
import { beginMessage, sealedLength, sealMessage } from '../../../crypto/formats/file-content/chunked-encryption.ts';
import { concat, toHex } from '../../../crypto/bytes.ts';
import { blockContext } from '../../../crypto/formats/file-content/file-content.ts';
import { contentHash } from '../../../crypto/hash.ts';
import { giveOn } from '../../../base/given-pieces.ts';
import { Problem } from '../../../base/problem.ts';
import type { Sealing } from '../../../platform/store/blocks/seal-file.ts';
import type { FileBlockRow, FileContentRow } from '../../../platform/store/tables/filevault.ts';
import type { Checksum } from '../uploads/checksum.ts';

/** Smaller blocks lie in the database, so that a small file is one commit. */
const INLINE_BYTES = 32 * 1024;
const SALT_BYTES = 24;

export interface Incoming {
  readonly content: Pick<FileContentRow, 'id' | 'file_id'>;
  readonly key: Uint8Array;
  /** of the block in the content, from 0 */
  readonly place: number;
  /** bytes that it must have */
  readonly size: number;
  /** what the client says of the bytes */
  readonly checksum: Checksum | undefined;
}

export interface WrittenBlock extends Omit<FileBlockRow, 'content_id'> {
  /** SHA-256 of the plaintext, hex */
  readonly sha256: string;
}

/**
 * Encrypts a block while it arrives, under a salt of its own: a block that is sent again never meets the nonces of the earlier one. A block
 * file is announced, and must be kept by a transaction, or withdrawn.
 *
 * @throws Problem invalid CHUNK_SIZE_WRONG, CHECKSUM_MISMATCH; full INSUFFICIENT_STORAGE
 */
export async function writeBlock(
  ctx: Context,
  incoming: Incoming,
  body: AsyncIterable<Uint8Array>,
): Promise<WrittenBlock> {
  const { content, key, place, size, checksum } = incoming;
  const context = blockContext(content, place);
  const salt = ctx.random(SALT_BYTES);
  const arriving = giveOn(body, sized(body, size));
  if (size <= INLINE_BYTES) {
    const plaintext = await whole(arriving);
    const sha256 = compared(checksum, digestsOf(checksum, plaintext));
    const sealed = sealMessage(key, context, salt, plaintext);
    return { place, hash: contentHash(sealed), block_id: null, sealed, size, sha256 };
  }
  let sha256 = '';
  const id = await putBlock(ctx, arriving, {
    ...beginMessage(key, context, salt),
    checksums: algorithmsOf(checksum),
    accept: (digests) => void (sha256 = compared(checksum, digests)),
  });
  return { place, hash: id, block_id: id, sealed: null, size, sha256 };
}

/** Stores a block that its client has encrypted, as it comes. The sizes are of the plaintext; hash and checksum are of what comes. */
export async function writeSealedBlock(
  ctx: Context,
  { place, size, checksum }: Omit<Incoming, 'content' | 'key'>,
  body: AsyncIterable<Uint8Array>,
): Promise<WrittenBlock> {
  const arriving = sized(body, sealedLength(size));
  if (size <= INLINE_BYTES) {
    const sealed = await whole(arriving);
    const sha256 = compared(checksum, digestsOf(checksum, sealed));
    return { place, hash: contentHash(sealed), block_id: null, sealed, size, sha256 };
  }
  let sha256 = '';
  const hashed = async function* (): AsyncGenerator<Uint8Array> {
    const hashes = algorithmsOf(checksum).map((name) => createHash(name));
    for await (const piece of arriving) {
      for (const hash of hashes) hash.update(piece);
      yield piece;
    }
    const digests = hashes.map((hash) => hash.digest());
    sha256 = compared(checksum, digests);
  };
  const id = await putBlock(ctx, hashed());
  return { place, hash: id, block_id: id, sealed: null, size, sha256 };
}

/** @param message that the block becomes, if the body is not encrypted yet. @returns the id of the block, which is announced */
async function putBlock(ctx: Context, body: AsyncIterable<Uint8Array>, message?: Sealing): Promise<string> {
  let announced: string | undefined;
  const announce = async (blockId: string): Promise<void> => {
    announced = blockId;
    await announceBlock(ctx, blockId);
  };
  try {
    const { id } = await ctx.blocks.put(body, announce, message);
    return id;
  } catch (error) {
    if (announced !== undefined) await withdrawBlocks(ctx, [announced]);
    throw error instanceof Problem && error.code === 'STORE_FULL' ? noRoom(error) : error;
  }
}

export function noRoom(cause?: unknown): Problem {
  const words =
    'The disk of the node has no room for it. What was uploaded before stays. Try again when there is space.';
  return new Problem('full', 'INSUFFICIENT_STORAGE', words, { cause });
}

/** The bytes of a body, which end with an error unless there are as many as were announced. */
async function* sized(body: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  let arrived = 0;
  for await (const piece of body) {
    arrived += piece.length;
    if (arrived > size) throw wrongSize(size);
    yield piece;
  }
  if (arrived !== size) throw wrongSize(size);
}

async function whole(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return concat(...pieces);
}

/** SHA-256, which the answer tells, and what the client's checksum is of, which is the last. */
function algorithmsOf(checksum: Checksum | undefined): readonly string[] {
  return checksum === undefined || checksum.algorithm === 'sha256' ? ['sha256'] : ['sha256', checksum.algorithm];
}

function digestsOf(checksum: Checksum | undefined, bytes: Uint8Array): readonly Uint8Array[] {
  return algorithmsOf(checksum).map((name) => createHash(name).update(bytes).digest());
}

/** @param digests of what came, by `algorithmsOf`. @returns SHA-256, hex. @throws Problem CHECKSUM_MISMATCH */
function compared(checksum: Checksum | undefined, digests: readonly Uint8Array[]): string {
  const [sha256, last] = [digests[0], digests.at(-1)] as [Uint8Array, Uint8Array];
  if (checksum === undefined || checksum.equals(last)) return toHex(sha256);
  throw new Problem('invalid', 'CHECKSUM_MISMATCH', 'The body does not match its X-Chunk-Checksum. Send it again.');
}

export function wrongSize(size: number): Problem {
  return new Problem('invalid', 'CHUNK_SIZE_WRONG', `This chunk must have exactly ${size} bytes.`);
}
