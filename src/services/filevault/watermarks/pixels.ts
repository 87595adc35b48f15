/** A decoded image: four bytes a pixel, red, green, blue and opacity, row by row from the top. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly bytes: Uint8Array;
}

/** Pixels of a side, as much as a preview ever has. */
const LONGEST_SIDE = 50_000;
/** Bytes of a decoded image: 8,000 by 4,000 pixels. What is larger would take the memory of the server. */
const MOST_BYTES = 128 * 1024 ** 2;

/** A file that is no image of its format, or one that is too large or of a kind that can't be marked. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

/** Checked before anything is unpacked. @param pixelBytes that a decoder needs for a pixel. @throws Unreadable */
export function assertSides(width: number, height: number, pixelBytes = 4): void {
  if (width < 1 || height < 1) throw new Unreadable('the image has no pixels');
  if (width > LONGEST_SIDE || height > LONGEST_SIDE || width * height * pixelBytes > MOST_BYTES)
    throw new Unreadable('the image is too large');
}
