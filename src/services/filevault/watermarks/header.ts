import { jpegParts, orientationOf } from '../../../attachments/images/jpeg.ts';
import type { ImageType } from './image-type.ts';
import { assertSides, Unreadable } from './pixels.ts';

/** What an image announces, before its orientation is applied. */
export interface Header {
  readonly width: number;
  readonly height: number;
  /** that a decoder needs for a pixel */
  readonly pixelBytes: number;
  /** as in EXIF, 1 to 8; 1: upright */
  readonly orientation: number;
}

type Sides = readonly [width: number, height: number];

/** Markers of ITU-T T.81, table B.1. */
const START_OF_SCAN = 0xda;
const APP1 = 0xe1;
/** Progressive JPEG has about ten. One of 80 bytes makes a decoder go over all pixels again. */
const MOST_SCANS = 100;

const readers: Readonly<Record<ImageType, (image: Buffer) => Header>> = {
  'image/bmp': bmpHeader,
  'image/gif': gifHeader,
  'image/jpeg': jpegHeader,
  // Of the depth of a sample (ISO/IEC 15948, 11.2.2): 16 bits take twice the memory.
  'image/png': (image) => checked([image.readUInt32BE(16), image.readUInt32BE(20)], image.readUInt8(24) === 16 ? 8 : 4),
  'image/webp': webpHeader,
};

/**
 * Reads how large an image is, and compares that with the limits. Nothing is unpacked.
 * @param image without metadata, so its parts are where it says, except for BMP
 * @throws Unreadable
 */
export function headerOf(type: ImageType, image: Buffer): Header {
  try {
    return readers[type](image);
  } catch (cause) {
    // A number beyond the end.
    if (cause instanceof RangeError) throw new Unreadable('it breaks off', { cause });
    throw cause;
  }
}

function checked([width, height]: Sides, pixelBytes = 4): Header {
  assertSides(width, height, pixelBytes);
  return { width, height, pixelBytes, orientation: 1 };
}

/** BITMAPINFOHEADER and the longer ones after it. Where the lowest row does not come first, the height is negative. */
function bmpHeader(image: Buffer): Header {
  if (image.readUInt32LE(14) < 40) throw new Unreadable('it is a bitmap of another kind');
  return checked([image.readInt32LE(18), Math.abs(image.readInt32LE(22))]);
}

/** The segments of ITU-T T.81, annex B. */
function jpegHeader(image: Buffer): Header {
  let orientation = 1;
  let scans = 0;
  let header: Header | undefined;
  for (const part of jpegParts(image)) {
    const segment = part instanceof Uint8Array ? Buffer.from(part) : image.subarray(part.start, part.end);
    const marker = segment[0] === 0xff ? (segment[1] ?? 0) : 0;
    if (marker === APP1) orientation = orientationOf(segment.subarray(4)) ?? orientation;
    if (marker === START_OF_SCAN) scans += 1;
    if (!isFrame(marker)) continue;
    if (header !== undefined) throw new Unreadable('it has two frames');
    header = checked([segment.readUInt16BE(7), segment.readUInt16BE(5)]);
  }
  if (header === undefined || scans === 0) throw new Unreadable('it has no picture');
  if (scans > MOST_SCANS) throw new Unreadable('it has too many scans');
  return { ...header, orientation };
}

/** All 16 markers from 0xc0, without tables (0xc4, 0xcc) and extensions (0xc8). */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

/** The screen, and the first picture on it (GIF89a, 18 to 23). */
function gifHeader(image: Buffer): Header {
  const header = checked([image.readUInt16LE(6), image.readUInt16LE(8)]);
  const packed = image.readUInt8(10);
  let at = 13 + ((packed & 0x80) === 0 ? 0 : 3 * 2 ** ((packed & 7) + 1));
  while (image.readUInt8(at) === 0x21) {
    at += 2;
    while (image.readUInt8(at) > 0) at += 1 + image.readUInt8(at);
    at += 1;
  }
  if (image.readUInt8(at) !== 0x2c) throw new Unreadable('it has no picture');
  checked([image.readUInt16LE(at + 5), image.readUInt16LE(at + 7)]);
  return header;
}

/** The first chunk says how large the whole is; each picture in it may say something else (RFC 9649, 2.5 to 2.7). */
function webpHeader(image: Buffer): Header {
  let first: Header | undefined;
  for (const sides of webpSides(image, 12)) {
    const header = checked(sides);
    first ??= header;
  }
  if (first === undefined) throw new Unreadable('it has no picture');
  return first;
}

/** @param inFrame a frame has no frames in it */
function* webpSides(image: Buffer, from: number, inFrame = false): Generator<Sides> {
  for (let at = from; at + 8 <= image.length;) {
    const length = image.readUInt32LE(at + 4);
    const content = image.subarray(at + 8, at + 8 + length);
    switch (image.toString('latin1', at, at + 4)) {
      case 'VP8X':
        yield [1 + content.readUIntLE(4, 3), 1 + content.readUIntLE(7, 3)];
        break;
      case 'VP8 ':
        yield [content.readUInt16LE(6) & 0x3fff, content.readUInt16LE(8) & 0x3fff];
        break;
      case 'VP8L': {
        const packed = content.readUInt32LE(1);
        yield [1 + (packed & 0x3fff), 1 + ((packed >>> 14) & 0x3fff)];
        break;
      }
      case 'ANMF':
        if (inFrame) throw new Unreadable('it has a frame in a frame');
        yield [1 + content.readUIntLE(6, 3), 1 + content.readUIntLE(9, 3)];
        yield* webpSides(content, 16, true);
    }
    at += 8 + length + (length % 2);
  }
}
