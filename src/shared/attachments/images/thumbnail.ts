import { sidesWithin, shrunk, type Sides, type Thumbnail } from '../../../base/pixels.ts';
import type { Work } from '../../../service/ports/task.ts';
import { decodeStored, upright } from './decode.ts';
import { assertSides, Unreadable } from './unreadable.ts';

/** Pixels of a side: more than any terminal has columns, or half lines. */
const SIDE = 640;
/** Bytes of the decoded image, in a process that does nothing else: 50 megapixels, as phones take them. */
const MOST_BYTES = 200 * 1024 ** 2;

/** Runs in a process of its own. What can't be decoded comes with a reason. */
export const thumbnailWork: Work<Uint8Array, Thumbnail> = async (image) => {
  let sides: Sides | undefined;
  try {
    const { pixels, orientation } = await decodeStored(image, (width, height, pixelBytes) => {
      sides ??= { width, height };
      assertSides(width, height, pixelBytes, MOST_BYTES);
    });
    const { width, height } = pixels;
    // Turned when it is small. The limit is a square, so the shape fits either way.
    const small = upright(shrunk(pixels, sidesWithin(pixels, { width: SIDE, height: SIDE })), orientation);
    return { sides: orientation >= 5 ? { width: height, height: width } : { width, height }, pixels: small };
  } catch (error) {
    if (error instanceof Unreadable) return { sides, why: error.message };
    throw error;
  }
};
