import { headerOf as headerOfImage, type Header } from '../../../shared/attachments/images/header.ts';
import { MalformedImage } from '../../../shared/attachments/images/part.ts';
import type { ImageType } from './image-type.ts';
import { assertSides, Unreadable } from './pixels.ts';

/**
 * Reads how large an image is, and compares that with the limits. Nothing is unpacked.
 * @param image without metadata, so its parts are where it says, except for BMP
 * @throws Unreadable
 */
export function headerOf(type: ImageType, image: Buffer): Header {
  try {
    return type === 'image/bmp' ? bmpHeader(image) : headerOfImage(type, image, assertSides);
  } catch (cause) {
    if (cause instanceof MalformedImage) throw new Unreadable(cause.message, { cause });
    // A number beyond the end.
    if (cause instanceof RangeError) throw new Unreadable('it breaks off', { cause });
    throw cause;
  }
}

/** BITMAPINFOHEADER and the longer ones after it. Where the lowest row does not come first, the height is negative. */
function bmpHeader(image: Buffer): Header {
  if (image.readUInt32LE(14) < 40) throw new Unreadable('it is a bitmap of another kind');
  const [width, height] = [image.readInt32LE(18), Math.abs(image.readInt32LE(22))];
  assertSides(width, height);
  return { width, height, pixelBytes: 4, orientation: 1 };
}
