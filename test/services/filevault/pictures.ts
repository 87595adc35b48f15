import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { crc32, deflateSync } from 'node:zlib';
import type * as Photon from '@silvia-odwyer/photon-node';
import type { Pixels } from '../../../src/base/pixels.ts';

/** Red, and blue beside it. In the two WebP files, the lower half of the blue is half clear. 160 by 48 pixels. */
const samples = {
  progressiveJpeg:
    '/9j/4AAQSkZJRgABAQAAAQABAAD/2wEEEAAQABAAEAAQABEAEAASABQAFAASABkAGwAYABsAGQAlACIAHwAfACIAJQA4ACgAKwAoACsAKAA4AFUANQA+ADUANQA+ADUAVQBLAFsASgBFAEoAWwBLAIcAagBeAF4AagCHAJwAgwB8AIMAnAC9AKkAqQC9AO4A4gDuATcBNwGiEQAQABAAEAAQABEAEAASABQAFAASABkAGwAYABsAGQAlACIAHwAfACIAJQA4ACgAKwAoACsAKAA4AFUANQA+ADUANQA+ADUAVQBLAFsASgBFAEoAWwBLAIcAagBeAF4AagCHAJwAgwB8AIMAnAC9AKkAqQC9AO4A4gDuATcBNwGi/8IAEQgAMACgAwEiAAIRAQMRAf/EACoAAQEBAAAAAAAAAAAAAAAAAAAEBQEBAQEAAAAAAAAAAAAAAAAAAAYE/9oADAMBAAIQAxAAAADLGKoAAAAgFrIgAAAXiKrgAAAIBayIAAAF4iq4AAACAWsiAAAB/8QAFBABAAAAAAAAAAAAAAAAAAAAYP/aAAgBAQABPwBx/8QAFBEBAAAAAAAAAAAAAAAAAAAAQP/aAAgBAgEBPwB3/8QAFBEBAAAAAAAAAAAAAAAAAAAAQP/aAAgBAwEBPwB3/9k=',
  lossyWebp:
    'UklGRpwAAABXRUJQVlA4WAoAAAAQAAAAnwAALwAAQUxQSBcAAAABD/DA/4iIICQg/D+t6VpE/yeA0Y0vAQBWUDggXgAAAHAFAJ0BKqAAMAA+tVqoTyclJCIkWAgA4BaJZwB4N/QPxVACNINKPxB6wIkCEWyRar7ByAAA/upl//rJJVJv//yUfifctUDg5qi//+SlGEXrX+whxNw45AEngAqAAAA=',
  losslessWebp: 'UklGRj4AAABXRUJQVlA4TDIAAAAvn8ALEBcwKAKBJJyxRxUIJKGOO5aAJJkuLS/2yAGRts1M3uSVjo9E9H8CrqK2amqXAA==',
} as const;

export function sample(name: keyof typeof samples): Buffer {
  return Buffer.from(samples[name], 'base64');
}

/** @param color red, green, blue, opacity */
export function pixelsOf(width: number, height: number, color: (x: number, y: number) => readonly number[]): Pixels {
  const bytes = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y += 1) for (let x = 0; x < width; x += 1) bytes.set(color(x, y), (y * width + x) * 4);
  return { width, height, bytes };
}

export function colorAt({ width, bytes }: Pixels, x: number, y: number): number[] {
  return [...bytes.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)];
}

/** A baseline JPEG, and a WebP without loss, by the library's encoders. */
export function encoded({ width, height, bytes }: Pixels): { readonly jpeg: Buffer; readonly webp: Buffer } {
  const { PhotonImage } = createRequire(import.meta.url)('@silvia-odwyer/photon-node') as typeof Photon;
  const image = new PhotonImage(bytes, width, height);
  const files = { jpeg: Buffer.from(image.get_bytes_jpeg(95)), webp: Buffer.from(image.get_bytes_webp()) };
  image.free();
  return files;
}

// PNG

export interface PngOptions {
  readonly depth?: number;
  readonly color?: number;
  readonly interlace?: number;
  readonly more?: readonly (readonly [string, Uint8Array])[];
}

function pngChunk(type: string, content: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const numbers = Buffer.alloc(8);
  numbers.writeUInt32BE(content.length, 0);
  numbers.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([numbers.subarray(0, 4), named, numbers.subarray(4)]);
}

/** @param raw rows, each with the number of its filter before it */
export function png(width: number, height: number, raw: Uint8Array, options: PngOptions = {}): Buffer {
  const { depth = 8, color = 2, interlace = 0, more = [] } = options;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, color, 0, 0, interlace], 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    pngChunk('IHDR', header),
    ...more.map(([type, content]) => pngChunk(type, content)),
    pngChunk('IDAT', deflateSync(raw)),
    pngChunk('IEND', new Uint8Array()),
  ]);
}

/** An image of noise. */
export function noise(width: number, height: number): Buffer {
  const rows = Array.from({ length: height }, () => Buffer.concat([Buffer.of(0), randomBytes(width * 3)]));
  return png(width, height, Buffer.concat(rows));
}

/** With the seven passes of Adam7 (ISO/IEC 15948, 8.2). */
export function interlaced(pixels: Pixels): Buffer {
  const rows: number[] = [];
  for (const [left, top, across, down] of [
    [0, 0, 8, 8],
    [4, 0, 8, 8],
    [0, 4, 4, 8],
    [2, 0, 4, 4],
    [0, 2, 2, 4],
    [1, 0, 2, 2],
    [0, 1, 1, 2],
  ] as const)
    for (let y = top; y < pixels.height && left < pixels.width; y += down) {
      rows.push(0);
      for (let x = left; x < pixels.width; x += across) rows.push(...colorAt(pixels, x, y));
    }
  return png(pixels.width, pixels.height, Uint8Array.from(rows), { color: 6, interlace: 1 });
}

// JPEG

export function segment(marker: number, ...content: readonly number[]): Buffer {
  return Buffer.from([0xff, marker, (content.length + 2) >> 8, (content.length + 2) & 255, ...content]);
}

/** The same JPEG with EXIF that says how it is to be turned, and where it was taken. */
export function oriented(jpeg: Buffer, orientation: number): Buffer {
  const entry = (tag: number, ...value: number[]) => [tag >> 8, tag & 255, 0, 3, 0, 0, 0, 1, ...value, 0, 0];
  const place = [...Buffer.from('SECRET PLACE', 'latin1')];
  const tiff = [0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, ...entry(0x0112, 0, orientation), 0, 0, 0, 0, ...place];
  const exif = segment(0xe1, ...Buffer.from('Exif\0\0', 'latin1'), ...tiff);
  return Buffer.concat([jpeg.subarray(0, 2), exif, jpeg.subarray(2)]);
}

/** One colour of four inks as Adobe writes them: 255 is none of it. Each ink is 1 or 255. */
export function cmykJpeg(width: number, height: number, inks: readonly number[]): Buffer {
  // Category 0 is the bit 0, category 7 the bits 10; a block ends with the bit 0.
  const firsts = inks.map((ink) => (ink === 255 ? '101111111' : '100000000')).map((bits) => `${bits}0`);
  const blocks = (width / 8) * (height / 8);
  const bits = firsts.join('') + '00'.repeat(4 * (blocks - 1));
  const data = bits.padEnd(Math.ceil(bits.length / 8) * 8, '1').match(/.{8}/g) ?? [];
  const lengths = (...counts: number[]) => [...counts, ...Array.from({ length: 16 - counts.length }, () => 0)];
  return Buffer.concat([
    Buffer.of(0xff, 0xd8),
    segment(0xee, ...Buffer.from('Adobe', 'latin1'), 0, 100, 0, 0, 0, 0, 0),
    segment(0xdb, 0, ...Array.from({ length: 64 }, () => 8)),
    segment(
      0xc0,
      8,
      height >> 8,
      height & 255,
      width >> 8,
      width & 255,
      4,
      ...[1, 2, 3, 4].flatMap((id) => [id, 17, 0]),
    ),
    segment(0xc4, 0x00, ...lengths(1, 1), 0, 7),
    segment(0xc4, 0x10, ...lengths(1), 0),
    segment(0xda, 4, ...[1, 2, 3, 4].flatMap((id) => [id, 0]), 0, 63, 0),
    Buffer.from(data.flatMap((byte) => (byte === '11111111' ? [255, 0] : [Number.parseInt(byte, 2)]))),
    Buffer.of(0xff, 0xd9),
  ]);
}

/** Announces a grey image, and has scans of one byte. */
export function emptyScans(width: number, height: number, scans: number): Buffer {
  const frame = [8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 17, 0];
  const scan = Buffer.concat([segment(0xda, 1, 1, 0, 1, 1, 0), Buffer.of(0)]);
  const parts = Array.from({ length: scans }, () => scan);
  return Buffer.concat([Buffer.of(0xff, 0xd8), segment(0xc2, ...frame), ...parts, Buffer.of(0xff, 0xd9)]);
}

// GIF, WebP and BMP

/** Two colours, red and blue; each pixel is a code of three bits, and each second one starts the codes anew. */
export function gif(
  width: number,
  height: number,
  blueAt: (x: number, y: number) => boolean,
  frame = [width, height],
): Buffer {
  const bits: number[] = [];
  const put = (code: number) => bits.push(code & 1, (code >> 1) & 1, code >> 2);
  for (let at = 0; at < width * height; at += 1) {
    if (at % 2 === 0) put(4);
    put(blueAt(at % width, Math.floor(at / width)) ? 1 : 0);
  }
  put(5);
  const data: number[] = [];
  for (let at = 0; at < bits.length; at += 8)
    data.push(bits.slice(at, at + 8).reduce((byte, bit, index) => byte | (bit << index), 0));
  const blocks: number[] = [];
  for (let at = 0; at < data.length; at += 255) {
    const block = data.slice(at, at + 255);
    blocks.push(block.length, ...block);
  }
  const u16 = (...values: readonly number[]) => values.flatMap((value) => [value & 255, value >> 8]);
  const screen = [...Buffer.from('GIF89a', 'latin1'), ...u16(width, height), 0x80, 0, 0, 255, 0, 0, 0, 0, 255];
  return Buffer.from([...screen, 0x2c, ...u16(0, 0, ...frame), 0, 2, ...blocks, 0, 0x3b]);
}

const u24 = (...values: readonly number[]) => values.flatMap((value) => [value & 255, (value >> 8) & 255, value >> 16]);

export function webpChunk(type: string, content: Uint8Array): Buffer {
  const header = Buffer.alloc(8);
  header.write(type, 'latin1');
  header.writeUInt32LE(content.length, 4);
  return Buffer.concat([header, content, Buffer.alloc(content.length % 2)]);
}

export function webp(...chunks: readonly Buffer[]): Buffer {
  const body = Buffer.concat([Buffer.from('WEBP', 'latin1'), ...chunks]);
  return Buffer.concat([webpChunk('RIFF', body).subarray(0, 8), body]);
}

export function webpHeader(flags: number, width: number, height: number): Buffer {
  return webpChunk('VP8X', Buffer.from([flags, 0, 0, 0, ...u24(width - 1, height - 1)]));
}

/** @param picture a chunk; the frame is at the upper left corner */
export function webpFrame(width: number, height: number, picture: Buffer): Buffer {
  return webpChunk('ANMF', Buffer.concat([Buffer.from([...u24(0, 0, width - 1, height - 1, 100), 0]), picture]));
}

/** 24 bits a pixel, the lowest row first. */
export function bmp({ width, height, bytes }: Pixels): Buffer {
  const rowBytes = Math.ceil((width * 3) / 4) * 4;
  const file = Buffer.alloc(54 + rowBytes * height);
  file.write('BM', 'latin1');
  file.writeUInt32LE(file.length, 2);
  file.writeUInt32LE(54, 10);
  file.writeUInt32LE(40, 14);
  file.writeInt32LE(width, 18);
  file.writeInt32LE(height, 22);
  file.writeUInt16LE(1, 26);
  file.writeUInt16LE(24, 28);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const at = (y * width + x) * 4;
      file.set([...bytes.subarray(at, at + 3)].toReversed(), 54 + rowBytes * (height - 1 - y) + x * 3);
    }
  return file;
}
