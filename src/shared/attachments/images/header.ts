import { orientationOf, orientationOfTiff } from './exif.ts';
import { jpegParts } from './jpeg.ts';
import { MalformedImage } from './part.ts';

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

/** Throws for sides that are too long. @param pixelBytes that a decoder needs for a pixel */
export type CheckSides = (width: number, height: number, pixelBytes: number) => void;

const readers = {
  'image/gif': gifHeader,
  'image/jpeg': jpegHeader,
  'image/png': pngHeader,
  'image/webp': webpHeader,
} as const satisfies Readonly<Record<string, (image: Buffer, check: CheckSides) => Header>>;

/**
 * Reads how large an image is, and has that compared with limits. Nothing is unpacked.
 * @param image without metadata, so its parts are where it says
 * @throws MalformedImage, and what `check` throws
 */
export function headerOf(type: keyof typeof readers, image: Buffer, check: CheckSides): Header {
  try {
    return readers[type](image, check);
  } catch (cause) {
    // A number beyond the end.
    if (cause instanceof RangeError) throw new MalformedImage('it breaks off', { cause });
    throw cause;
  }
}

function checked([width, height]: Sides, check: CheckSides, pixelBytes = 4): Header {
  check(width, height, pixelBytes);
  return { width, height, pixelBytes, orientation: 1 };
}

/** The chunks before the picture (ISO/IEC 15948, 11.2.2). A sample of 16 bits takes twice the memory. */
function pngHeader(image: Buffer, check: CheckSides): Header {
  const sides: Sides = [image.readUInt32BE(16), image.readUInt32BE(20)];
  const header = checked(sides, check, image.readUInt8(24) === 16 ? 8 : 4);
  let orientation = 1;
  for (let at = 8; at + 12 <= image.length;) {
    const end = at + 12 + image.readUInt32BE(at);
    if (image.toString('latin1', at + 4, at + 8) === 'eXIf')
      orientation = orientationOfTiff(image.subarray(at + 8, end - 4)) ?? orientation;
    at = end;
  }
  return { ...header, orientation };
}

/** The segments of ITU-T T.81, annex B. */
function jpegHeader(image: Buffer, check: CheckSides): Header {
  let orientation = 1;
  let scans = 0;
  let header: Header | undefined;
  for (const part of jpegParts(image)) {
    const segment = part instanceof Uint8Array ? Buffer.from(part) : image.subarray(part.start, part.end);
    const marker = segment[0] === 0xff ? (segment[1] ?? 0) : 0;
    if (marker === APP1) orientation = orientationOf(segment.subarray(4)) ?? orientation;
    if (marker === START_OF_SCAN) scans += 1;
    if (!isFrame(marker)) continue;
    if (header !== undefined) throw new MalformedImage('it has two frames');
    header = checked([segment.readUInt16BE(7), segment.readUInt16BE(5)], check);
  }
  if (header === undefined || scans === 0) throw new MalformedImage('it has no picture');
  if (scans > MOST_SCANS) throw new MalformedImage('it has too many scans');
  return { ...header, orientation };
}

/** All 16 markers from 0xc0, without tables (0xc4, 0xcc) and extensions (0xc8). */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

/** The screen, and the first picture on it (GIF89a, 18 to 23). */
function gifHeader(image: Buffer, check: CheckSides): Header {
  const header = checked([image.readUInt16LE(6), image.readUInt16LE(8)], check);
  const packed = image.readUInt8(10);
  let at = 13 + ((packed & 0x80) === 0 ? 0 : 3 * 2 ** ((packed & 7) + 1));
  while (image.readUInt8(at) === 0x21) {
    at += 2;
    while (image.readUInt8(at) > 0) at += 1 + image.readUInt8(at);
    at += 1;
  }
  if (image.readUInt8(at) !== 0x2c) throw new MalformedImage('it has no picture');
  checked([image.readUInt16LE(at + 5), image.readUInt16LE(at + 7)], check);
  return header;
}

/** The first chunk says how large the whole is; each picture in it may say something else (RFC 9649, 2.5 to 2.7). */
function webpHeader(image: Buffer, check: CheckSides): Header {
  let first: Header | undefined;
  for (const sides of webpSides(image, 12)) {
    const header = checked(sides, check);
    first ??= header;
  }
  if (first === undefined) throw new MalformedImage('it has no picture');
  return { ...first, orientation: webpOrientation(image) };
}

function webpOrientation(image: Buffer): number {
  for (let at = 12; at + 8 <= image.length;) {
    const length = image.readUInt32LE(at + 4);
    if (image.toString('latin1', at, at + 4) === 'EXIF')
      return orientationOfTiff(image.subarray(at + 8, at + 8 + length)) ?? 1;
    at += 8 + length + (length % 2);
  }
  return 1;
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
        if (inFrame) throw new MalformedImage('it has a frame in a frame');
        yield [1 + content.readUIntLE(6, 3), 1 + content.readUIntLE(9, 3)];
        yield* webpSides(content, 16, true);
    }
    at += 8 + length + (length % 2);
  }
}
