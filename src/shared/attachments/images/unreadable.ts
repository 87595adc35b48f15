/** Pixels of a side, as much as a preview ever has. */
const LONGEST_SIDE = 50_000;
/** Bytes of a decoded image: 8,000 by 4,000 pixels. What is larger would take the memory of the server. */
const MOST_BYTES = 128 * 1024 ** 2;

/** A file that is no image of its format, or one that is too large or of a kind that can't be decoded. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

/**
 * Checked before anything is unpacked.
 * @param pixelBytes that a decoder needs for a pixel
 * @param mostBytes of the decoded image
 * @throws Unreadable
 */
export function assertSides(width: number, height: number, pixelBytes = 4, mostBytes = MOST_BYTES): void {
  if (width < 1 || height < 1) throw new Unreadable('the image has no pixels');
  if (width > LONGEST_SIDE || height > LONGEST_SIDE || width * height * pixelBytes > mostBytes)
    throw new Unreadable('the image is too large');
}
