import { Problem } from '../../../base/problem.ts';
import { contentTypeOf, type KnownType } from '../content-type.ts';
import { gifParts } from './gif.ts';
import { jpegParts } from './jpeg.ts';
import { MalformedImage, type Part, type Parts } from './part.ts';
import { pngParts } from './png.ts';
import { webpParts } from './webp.ts';
import type { Work } from '../../../service/ports/task.ts';

const formats: Partial<Record<KnownType, Parts>> = {
  'image/jpeg': jpegParts,
  'image/png': pngParts,
  'image/gif': gifParts,
  'image/webp': webpParts,
};

/** Segments, chunks and blocks of one image. Real images have some hundreds. */
const MOST_PARTS = 100_000;

export interface CleanImage {
  readonly type: KnownType;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Removes the notes of a camera or program from an image (place, time, device, names, thumbnails of cropped parts). Nothing is encoded
 * again: the remaining bytes are the same. Colour profiles stay. Of a JPEG's EXIF only the orientation number stays.
 *
 * @throws Problem unsupported UNSUPPORTED_MEDIA_TYPE for content that is no JPEG, PNG, GIF or WebP; invalid VALIDATION_ERROR for a damaged
 *   image
 */
export function withoutMetadata(image: Uint8Array): CleanImage {
  const type = contentTypeOf(image);
  const parts = type === undefined ? undefined : formats[type];
  if (type === undefined || parts === undefined)
    throw new Problem('unsupported', 'UNSUPPORTED_MEDIA_TYPE', 'The image must be a JPEG, PNG, GIF or WebP.');
  const source = Buffer.from(image.buffer, image.byteOffset, image.length);
  try {
    return { type, bytes: join(source, parts(source)) };
  } catch (error) {
    if (!(error instanceof MalformedImage)) throw error;
    throw new Problem('invalid', 'VALIDATION_ERROR', 'The image is damaged.', { cause: error });
  }
}

function join(source: Buffer, parts: Iterable<Part>): Uint8Array<ArrayBuffer> {
  // The result is at most a few bytes longer than the source: those of the orientation.
  const bytes = new Uint8Array(source.length + 64);
  let at = 0;
  let count = 0;
  for (const part of parts) {
    if ((count += 1) > MOST_PARTS) throw new MalformedImage('too many parts');
    const piece = part instanceof Uint8Array ? part : source.subarray(part.start, part.end);
    if (at + piece.length > bytes.length) throw new MalformedImage('longer than it was');
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes.slice(0, at);
}

/** Runs in a thread, which transfers the image. */
export const imageWork: Work<Uint8Array, CleanImage> = (image, { transfer }) => {
  const clean = withoutMetadata(image);
  transfer.push(clean.bytes.buffer);
  return clean;
};
