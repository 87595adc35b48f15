import type { Pixels } from '../../../base/pixels.ts';
import { Problem } from '../../../base/problem.ts';
import { decodeAny } from './codec.ts';
import { headerOf as headerOfImage, type CheckSides, type Header } from './header.ts';
import { imageTypeOf, type ImageType } from './image-type.ts';
import { MalformedImage } from './part.ts';
import { assertUnpacked, pictureOnly } from './png-data.ts';
import { assertSides, Unreadable } from './unreadable.ts';
import { withoutMetadata } from './without-metadata.ts';

/**
 * Decodes an image as it is shown: upright, and of an animation the first picture. Its parts and the size that it announces are checked
 * before anything is unpacked.
 * @throws Unreadable
 */
export async function decode(file: Uint8Array): Promise<Pixels> {
  const { pixels, orientation } = await decodeStored(file, assertSides);
  return upright(pixels, orientation);
}

/**
 * Decodes an image as it is stored.
 * @param check throws for sides that are too long
 * @returns with its orientation, 1 to 8, for `upright`
 * @throws Unreadable, and what `check` throws
 */
export async function decodeStored(
  file: Uint8Array,
  check: CheckSides,
): Promise<{ readonly pixels: Pixels; readonly orientation: number }> {
  const type = imageTypeOf(file);
  if (type === undefined) throw new Unreadable('it is no JPEG, PNG, WebP, GIF or BMP');
  const image = pictureOf(type, file);
  const { width, height, pixelBytes, orientation } = headerOf(type, image, check);
  // Each row of each pass has a filter before it and some bits after it, and interlacing has less than twice as many rows.
  if (type === 'image/png') await assertUnpacked(image, width * height * pixelBytes + height * 4 + 64);
  const pixels = decodeAny(image);
  if (pixels.width !== width || pixels.height !== height) throw new Unreadable('it has another size than it says');
  return { pixels, orientation };
}

/** What is no part of the picture is not decoded either. @throws Unreadable */
function pictureOf(type: ImageType, file: Uint8Array): Buffer {
  try {
    if (type === 'image/bmp') return bufferOf(file);
    if (type === 'image/png') return pictureOnly(bufferOf(file));
    return bufferOf(withoutMetadata(file).bytes);
  } catch (cause) {
    if (!(cause instanceof Problem) && !(cause instanceof MalformedImage)) throw cause;
    throw new Unreadable('it is damaged', { cause });
  }
}

function bufferOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}

/**
 * Reads how large an image is, and compares that with the limits. Nothing is unpacked.
 * @param image without metadata, so its parts are where it says, except for BMP
 * @throws Unreadable, and what `check` throws
 */
function headerOf(type: ImageType, image: Buffer, check: CheckSides): Header {
  try {
    return type === 'image/bmp' ? bmpHeader(image, check) : headerOfImage(type, image, check);
  } catch (cause) {
    if (cause instanceof MalformedImage) throw new Unreadable(cause.message, { cause });
    // A number beyond the end.
    if (cause instanceof RangeError) throw new Unreadable('it breaks off', { cause });
    throw cause;
  }
}

/** BITMAPINFOHEADER and the longer ones after it. Where the lowest row does not come first, the height is negative. */
function bmpHeader(image: Buffer, check: CheckSides): Header {
  if (image.readUInt32LE(14) < 40) throw new Unreadable('it is a bitmap of another kind');
  const [width, height] = [image.readInt32LE(18), Math.abs(image.readInt32LE(22))];
  check(width, height, 4);
  return { width, height, pixelBytes: 4, orientation: 1 };
}

/** @param orientation tag 0x0112 of EXIF (TIFF 6.0): which side of the picture the first row and the first column are */
export function upright(pixels: Pixels, orientation: number): Pixels {
  if (orientation === 1) return pixels;
  const { width, height, bytes } = pixels;
  const swapped = orientation >= 5;
  const [stepX, firstX] = [2, 3, 7, 8].includes(orientation) ? [-1, width - 1] : [1, 0];
  const [stepY, firstY] = [3, 4, 6, 7].includes(orientation) ? [-width, (height - 1) * width] : [width, 0];
  const [across, down] = swapped ? [stepY, stepX] : [stepX, stepY];
  const turned = { width: swapped ? height : width, height: swapped ? width : height };
  const source = new Uint32Array(bytes.buffer, bytes.byteOffset, width * height);
  const target = new Uint32Array(width * height);
  for (let y = 0, at = 0; y < turned.height; y += 1) {
    let from = firstX + firstY + y * down;
    for (let x = 0; x < turned.width; x += 1, at += 1, from += across) target[at] = source[from] ?? 0;
  }
  return { ...turned, bytes: new Uint8Array(target.buffer) };
}
