import { byteReader, type ByteReader } from '../../../shared/attachments/media/byte-reader.ts';
import type { Cleaner, MediaFacts } from '../../../shared/attachments/media/cleaner.ts';
import { handlingOf, SNIFFED_BYTES } from '../../../shared/attachments/media/sniffed.ts';
import { withdrawBlocks } from '../../../shared/attachments/blocks.ts';
import { checkedPicture } from '../../../shared/attachments/off-thread.ts';
import { filesOf, makePart, type Part } from '../../../shared/attachments/sealed-parts.ts';
import type { Context } from '../../../service/context.ts';
import { mediaLimits } from '../../../contract/social/media/limits.ts';
import { concat } from '../../../crypto/bytes.ts';
import { Problem } from '../../../base/problem.ts';
import type { Upload } from '../../../service/raw-bodies.ts';

/** Bytes of a video or sound that are in memory at once: its index, which is cleaned whole. */
const STREAM_MEMORY = 8 * 1024 ** 2;

/** A file that is encrypted and that no row refers to: its blocks must be kept by a transaction, or withdrawn. */
export interface Taken {
  readonly facts: MediaFacts;
  readonly part: Part;
}

/**
 * Reads a file, removes its metadata, and encrypts it. A picture is checked whole, in a thread. Videos and sounds are cleaned and encrypted
 * while they arrive, in bounded memory.
 *
 * @throws Problem unsupported UNSUPPORTED_MEDIA_TYPE, invalid MEDIA_DAMAGED, tooLarge MEDIA_TOO_LARGE, and the errors of the body
 */
export async function takeMedia(ctx: Context, { body, size }: Pick<Upload, 'body' | 'size'>): Promise<Taken> {
  const bytes = byteReader(body);
  const handling = handlingOf(await bytes.peek(SNIFFED_BYTES));
  if (handling === undefined) throw unsupported();
  return handling === 'picture' ? await takePicture(ctx, bytes, size) : await takeStream(ctx, bytes, handling, size);
}

async function takePicture(ctx: Context, bytes: ByteReader, size: number | undefined): Promise<Taken> {
  if (size !== undefined && size > mediaLimits.pictureBytes) throw tooLarge();
  // The thread gets a copy, and the original goes at the same time.
  let reserved = size ?? 0;
  if (reserved > 0) ctx.caller?.reserve(reserved);
  const pieces: Uint8Array[] = [];
  let arrived = 0;
  for await (const piece of bytes.rest()) {
    arrived += piece.length;
    if (arrived > mediaLimits.pictureBytes) throw tooLarge();
    if (arrived > reserved) ctx.caller?.reserve((reserved = arrived));
    pieces.push(piece);
  }
  const image = concat(...pieces) as Uint8Array<ArrayBuffer>;
  const picture = await checkedPicture(ctx.offload, { image, limits: mediaLimits }).catch((error: unknown) => {
    throw error instanceof Problem && error.code === 'PAYLOAD_TOO_LARGE' ? tooComplex(error) : error;
  });
  const { type, width, height } = picture;
  return { facts: { type, width, height }, part: await makePart(ctx, picture.bytes) };
}

async function takeStream(ctx: Context, bytes: ByteReader, clean: Cleaner, size: number | undefined): Promise<Taken> {
  ctx.caller?.reserve(Math.min(size ?? mediaLimits.streamBytes, STREAM_MEMORY));
  const found: { facts?: MediaFacts } = {};
  async function* cleaned(): AsyncGenerator<Uint8Array> {
    found.facts = yield* clean(bytes, ctx.offload);
  }
  const part = await makePart(ctx, cleaned());
  try {
    const { facts } = found;
    if (facts === undefined) throw new Error('the cleaner said nothing of the file');
    const { side, pixels } = mediaLimits;
    const { width, height } = facts;
    if (width <= side && height <= side && width * height <= pixels) return { facts, part };
    throw new Problem('tooLarge', 'MEDIA_TOO_LARGE', `The video has ${width} by ${height} pixels, which is too many.`);
  } catch (error) {
    await withdrawBlocks(ctx, filesOf([part]));
    throw error;
  }
}

function unsupported(): Problem {
  const words = 'The file must be a JPEG, PNG, GIF or WebP, an MP4 or WebM video, or an MP3 or Ogg sound.';
  return new Problem('unsupported', 'UNSUPPORTED_MEDIA_TYPE', words);
}

function tooLarge(): Problem {
  const words = `A picture has at most ${mediaLimits.pictureBytes / 1024 ** 2} MiB.`;
  return new Problem('tooLarge', 'MEDIA_TOO_LARGE', words);
}

/** @param cause the thread that checked it was ended, as it needed more memory than pictures of this size do */
function tooComplex(cause: Problem): Problem {
  const words = 'The picture has too many parts. Save it anew, then try again.';
  return new Problem('tooLarge', 'MEDIA_TOO_LARGE', words, { cause });
}
