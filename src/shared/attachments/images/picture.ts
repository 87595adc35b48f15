import type { Work } from '../../../service/ports/task.ts';
import { Problem } from '../../../base/problem.ts';
import type { Picture, PictureJob, PictureLimits } from '../tasks.ts';
import { frameSides } from './frames.ts';
import { headerOf } from './header.ts';
import { MalformedImage } from './part.ts';
import { withoutMetadata, type CleanImage } from './without-metadata.ts';

/**
 * A picture as it may be shown to others: without metadata, and no larger than a viewer bears. Only headers are read, and nothing is
 * unpacked, so what a picture claims to hold costs nothing here.
 *
 * @throws Problem unsupported UNSUPPORTED_MEDIA_TYPE, invalid MEDIA_DAMAGED, tooLarge MEDIA_TOO_LARGE
 */
function pictureOf({ image, limits }: PictureJob): Picture {
  const clean = cleaned(image);
  const bytes = Buffer.from(clean.bytes.buffer, clean.bytes.byteOffset, clean.bytes.length);
  const check = (width: number, height: number): void => assertSides(width, height, limits);
  try {
    const { width, height, orientation } = headerOf(clean.type as Parameters<typeof headerOf>[0], bytes, check);
    assertFrames(clean.type, bytes, limits);
    const swapped = orientation >= 5;
    return { ...clean, width: swapped ? height : width, height: swapped ? width : height };
  } catch (error) {
    if (error instanceof MalformedImage || error instanceof RangeError) throw damaged(error);
    throw error;
  }
}

function cleaned(image: Uint8Array): CleanImage {
  try {
    return withoutMetadata(image);
  } catch (error) {
    throw error instanceof Problem && error.code === 'VALIDATION_ERROR' ? damaged(error) : error;
  }
}

function assertSides(width: number, height: number, { side, pixels }: PictureLimits): void {
  if (width < 1 || height < 1) throw new Problem('invalid', 'MEDIA_DAMAGED', 'The picture has no pixels.');
  if (width <= side && height <= side && width * height <= pixels) return;
  const words = `The picture has ${width} by ${height} pixels. A side has at most ${side}, and all of it ${pixels}.`;
  throw new Problem('tooLarge', 'MEDIA_TOO_LARGE', words);
}

function assertFrames(type: string, image: Buffer, limits: PictureLimits): void {
  let [frames, pixels] = [0, 0];
  for (const [width, height] of frameSides(type, image)) {
    assertSides(width, height, limits);
    frames += 1;
    pixels += width * height;
    if (frames > limits.frames || pixels > limits.framePixels)
      throw new Problem('tooLarge', 'MEDIA_TOO_LARGE', 'The animation has too many pictures, or too large ones.');
  }
}

function damaged(cause: unknown): Problem {
  return new Problem('invalid', 'MEDIA_DAMAGED', 'The picture is damaged.', { cause });
}

/** Runs in a thread, which transfers the picture. */
export const pictureWork: Work<PictureJob, Picture> = (job, { transfer }) => {
  const picture = pictureOf(job);
  transfer.push(picture.bytes.buffer);
  return picture;
};
