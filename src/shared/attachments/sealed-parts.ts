import type { Context } from '../../service/context.ts';
import { contentHash } from '../../crypto/hash.ts';
import { Problem } from '../../base/problem.ts';
import { announceBlock, withdrawBlocks } from './blocks.ts';
import { FRAME_BYTES, framePlace, framesOf, intoFrames, openFrame, sealFrame } from './sealed-frames.ts';

/**
 * Content under a key of its own, such as a part of a message or a picture. Small and medium blocks, below 64 KiB, lie in the database, so
 * that short content is one commit. Large and huge ones, below 1 MiB and 16 MiB, are block files, and what is larger is a list of them.
 */
export interface Part {
  /** 32 bytes */
  readonly key: Uint8Array;
  /** bytes of the plaintext */
  readonly size: number;
  readonly blocks: readonly PartBlock[];
}

export interface PartBlock {
  /** SHA3-512 of the ciphertext */
  readonly hash: string;
  /** undefined: it is a block file under its hash */
  readonly sealed: Uint8Array | undefined;
  /** bytes of the plaintext */
  readonly size: number;
}

const MEDIUM = 64 * 1024;
/** 63 frames with their overhead are below 16 MiB. */
const FRAMES_PER_BLOCK = 63;
const KEY_BYTES = 32;

/** Encrypts a part. Its files are announced, and must be kept by a transaction or withdrawn. */
export async function makePart(ctx: Context, content: AsyncIterable<Uint8Array> | Uint8Array): Promise<Part> {
  const key = ctx.random(KEY_BYTES);
  if (content instanceof Uint8Array && content.length < MEDIUM - 64) {
    const sealed = sealFrame(key, { index: 0, last: true }, content, ctx.random);
    return { key, size: content.length, blocks: [{ hash: contentHash(sealed), sealed, size: content.length }] };
  }
  const frames = intoFrames(content instanceof Uint8Array ? slices(content) : content)[Symbol.asyncIterator]();
  const blocks: PartBlock[] = [];
  let size = 0;
  try {
    let next = await frames.next();
    while (next.done !== true) {
      const first = next.value;
      if (first.last && first.index === 0 && first.plaintext.length < MEDIUM - 64) {
        const sealed = sealFrame(key, first, first.plaintext, ctx.random);
        return {
          key,
          size: first.plaintext.length,
          blocks: [{ hash: contentHash(sealed), sealed, size: first.plaintext.length }],
        };
      }
      let plain = 0;
      const block = async function* () {
        for (let count = 0; count < FRAMES_PER_BLOCK && next.done !== true; count += 1) {
          const { plaintext, index, last } = next.value;
          plain += plaintext.length;
          yield sealFrame(key, { index, last }, plaintext, ctx.random);
          next = await frames.next();
        }
      };
      const { id } = await ctx.blocks.put(block(), async (blockId) => await announceBlock(ctx, blockId));
      blocks.push({ hash: id, sealed: undefined, size: plain });
      size += plain;
    }
    return { key, size, blocks };
  } catch (error) {
    await withdrawBlocks(ctx, filesOf([{ blocks }]));
    throw error;
  }
}

function* slices(content: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < content.length; start += FRAME_BYTES) yield content.subarray(start, start + FRAME_BYTES);
}

/** The block files of parts. */
export function filesOf(parts: Iterable<Pick<Part, 'blocks'>>): string[] {
  return [...parts].flatMap(({ blocks }) => blocks.flatMap(({ hash, sealed }) => (sealed === undefined ? [hash] : [])));
}

/** Decrypts a part, or bytes of it. @throws Problem internal BLOCK_DAMAGED, missing BLOCK_NOT_FOUND */
export async function* readPart(
  ctx: Pick<Context, 'blocks'>,
  { key, size, blocks }: Part,
  range: { readonly start: number; readonly end: number } = { start: 0, end: size },
): AsyncGenerator<Uint8Array> {
  const frames = framesOf(size);
  const perBlock = FRAMES_PER_BLOCK;
  const first = Math.floor(range.start / FRAME_BYTES);
  for (let index = first; index < frames; index += 1) {
    const from = index * FRAME_BYTES;
    if (from >= range.end && !(size === 0 && index === 0)) return;
    const block = blocks[Math.floor(index / perBlock)];
    if (block === undefined) throw damaged();
    const place = framePlace(index % perBlock, block.size);
    const sealed =
      block.sealed === undefined
        ? await ctx.blocks.get(block.hash, place)
        : block.sealed.subarray(place.start, place.end);
    const plaintext = opened(key, { index, last: index === frames - 1 }, sealed);
    yield plaintext.subarray(Math.max(0, range.start - from), Math.min(plaintext.length, range.end - from));
  }
}

function opened(key: Uint8Array, place: { index: number; last: boolean }, sealed: Uint8Array): Uint8Array {
  try {
    return openFrame(key, place, sealed);
  } catch (cause) {
    throw damaged(cause);
  }
}

function damaged(cause?: unknown): Problem {
  const words = 'A block of the store is damaged. Restore it from a backup: conclave admin store restore';
  return new Problem('internal', 'BLOCK_DAMAGED', words, { cause });
}
