import { crc32, deflateSync, inflateSync } from 'node:zlib';
import { assertSides, Unreadable, type Pixels } from './pixels.ts';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
/** Chunks of one image: real ones have some thousands at most. */
const MOST_CHUNKS = 200_000;

export function isPng(file: Uint8Array): boolean {
  return SIGNATURE.equals(file.subarray(0, SIGNATURE.length));
}

interface Header {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly color: number;
}

/** Samples of a pixel, by the type of colour: grey, -, red green blue, palette, grey with opacity, -, all four. */
const samplesOf: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const depthsOf: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};

/**
 * Decodes a PNG (ISO/IEC 15948) without interlacing. Every checksum is compared, and nothing is unpacked beyond the size that the header
 * announces. @throws Unreadable
 */
export function decodePng(file: Uint8Array): Pixels {
  const { header, palette, transparent, data } = chunksOf(Buffer.from(file.buffer, file.byteOffset, file.length));
  const { width, height, depth, color } = header;
  const samples = samplesOf[color] ?? 1;
  const rowBytes = Math.ceil((width * samples * depth) / 8);
  const raw = inflated(data, (rowBytes + 1) * height);
  unfilter(raw, height, rowBytes, Math.max(1, (samples * depth) >> 3));
  const bytes = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y += 1) {
    const row = raw.subarray(y * (rowBytes + 1) + 1, (y + 1) * (rowBytes + 1));
    spread(row, bytes.subarray(y * width * 4, (y + 1) * width * 4), header, palette, transparent);
  }
  return { width, height, bytes };
}

function chunksOf(file: Buffer) {
  if (!isPng(file)) throw new Unreadable('it is no PNG');
  let header: Header | undefined;
  let palette: Buffer | undefined;
  let transparent: Buffer | undefined;
  const data: Buffer[] = [];
  let ended = false;
  for (let at = SIGNATURE.length, count = 0; !ended; count += 1) {
    if (count > MOST_CHUNKS || at + 12 > file.length) throw new Unreadable('it breaks off');
    const length = file.readUInt32BE(at);
    const end = at + 8 + length;
    if (end + 4 > file.length) throw new Unreadable('it breaks off');
    if (crc32(file.subarray(at + 4, end)) !== file.readUInt32BE(end)) throw new Unreadable('a checksum is wrong');
    const type = file.toString('latin1', at + 4, at + 8);
    const content = file.subarray(at + 8, end);
    if (count === 0) header = headerIn(type, content);
    else if (type === 'PLTE') palette = content;
    else if (type === 'tRNS') transparent = content;
    else if (type === 'IDAT') data.push(content);
    else if (type === 'IEND') ended = true;
    // Capital letters say that an image can't be shown without the chunk.
    else if (/^[A-Z]/.test(type)) throw new Unreadable('it has a part that is not known');
    at = end + 4;
  }
  if (header === undefined || data.length === 0) throw new Unreadable('it has no pixels');
  if (header.color === 3 && (palette === undefined || palette.length % 3 !== 0))
    throw new Unreadable('it has no palette');
  return { header, palette, transparent, data };
}

function headerIn(type: string, content: Buffer): Header {
  if (type !== 'IHDR' || content.length !== 13) throw new Unreadable('it has no header');
  const [width, height] = [content.readUInt32BE(0), content.readUInt32BE(4)];
  const [depth = 0, color = 0, compression = 0, filter = 0, interlace = 0] = content.subarray(8);
  if (depthsOf[color]?.includes(depth) !== true || compression !== 0 || filter !== 0)
    throw new Unreadable('its header is wrong');
  if (interlace !== 0) throw new Unreadable('it is interlaced');
  assertSides(width, height);
  return { width, height, depth, color };
}

function inflated(data: readonly Buffer[], size: number): Buffer {
  let raw: Buffer;
  try {
    raw = inflateSync(Buffer.concat(data), { maxOutputLength: size });
  } catch (cause) {
    throw new Unreadable('its pixels cannot be unpacked', { cause });
  }
  if (raw.length !== size) throw new Unreadable('it has too few pixels');
  return raw;
}

/** Takes the prediction of each row back, in place. @param step bytes from one pixel to the next */
function unfilter(raw: Buffer, height: number, rowBytes: number, step: number): void {
  for (let y = 0; y < height; y += 1) {
    const at = y * (rowBytes + 1) + 1;
    const kind = raw[at - 1] ?? 0;
    if (kind > 4) throw new Unreadable('a row has an unknown filter');
    if (kind === 0) continue;
    for (let x = 0; x < rowBytes; x += 1) {
      const left = x >= step ? (raw[at + x - step] ?? 0) : 0;
      const up = y > 0 ? (raw[at + x - rowBytes - 1] ?? 0) : 0;
      const corner = x >= step && y > 0 ? (raw[at + x - rowBytes - 1 - step] ?? 0) : 0;
      raw[at + x] = ((raw[at + x] ?? 0) + predicted(kind, left, up, corner)) & 255;
    }
  }
}

function predicted(kind: number, left: number, up: number, corner: number): number {
  if (kind === 1) return left;
  if (kind === 2) return up;
  if (kind === 3) return (left + up) >> 1;
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

/** Writes a row as four bytes a pixel. */
function spread(
  row: Uint8Array,
  out: Uint8Array,
  { width, depth, color }: Header,
  palette: Uint8Array | undefined,
  transparent: Buffer | undefined,
): void {
  const samples = samplesOf[color] ?? 1;
  const most = 2 ** depth - 1;
  /** the sample as it is written */
  const sample = (index: number): number => {
    if (depth === 8) return row[index] ?? 0;
    if (depth === 16) return (row[index * 2] ?? 0) * 256 + (row[index * 2 + 1] ?? 0);
    const bit = index * depth;
    return ((row[bit >> 3] ?? 0) >> (8 - depth - (bit & 7))) & most;
  };
  const light = (value: number): number => (depth === 16 ? value >> 8 : Math.round((value * 255) / most));
  for (let x = 0; x < width; x += 1) {
    const first = x * samples;
    const values = [sample(first), sample(first + Math.min(1, samples - 1)), sample(first + Math.min(2, samples - 1))];
    let pixel: readonly number[];
    if (color === 3) {
      const index = values[0] ?? 0;
      if (palette === undefined || index * 3 + 2 >= palette.length)
        throw new Unreadable('a colour is not in its palette');
      pixel = [...palette.subarray(index * 3, index * 3 + 3), transparent?.[index] ?? 255];
    } else if (color === 0 || color === 4) {
      const grey = light(values[0] ?? 0);
      const clear = color === 0 && transparent?.length === 2 && transparent.readUInt16BE(0) === values[0];
      pixel = [grey, grey, grey, color === 4 ? light(values[1] ?? 0) : clear ? 0 : 255];
    } else {
      const clear =
        color === 2 &&
        transparent?.length === 6 &&
        values.every((value, at) => transparent.readUInt16BE(at * 2) === value);
      pixel = [...values.map(light), color === 6 ? light(sample(first + 3)) : clear ? 0 : 255];
    }
    out.set(pixel, x * 4);
  }
}

/** @returns a PNG of eight bits a sample, with opacity, and nothing else of what the file had */
export function encodePng({ width, height, bytes }: Pixels): Uint8Array<ArrayBuffer> {
  const raw = Buffer.alloc((width * 4 + 1) * height);
  // The row above predicts a row well enough, and costs little.
  for (let y = 0; y < height; y += 1) {
    const at = y * (width * 4 + 1);
    raw[at] = 2;
    for (let x = 0; x < width * 4; x += 1) {
      const up = y > 0 ? (bytes[(y - 1) * width * 4 + x] ?? 0) : 0;
      raw[at + 1 + x] = (bytes[y * width * 4 + x] ?? 0) - up;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6, 0, 0, 0], 8);
  const parts = [chunk('IHDR', header), chunk('IDAT', deflateSync(raw, { level: 5 })), chunk('IEND', Buffer.alloc(0))];
  return new Uint8Array(Buffer.concat([SIGNATURE, ...parts]));
}

function chunk(type: string, content: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(content.length, 0);
  ends.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([ends.subarray(0, 4), named, ends.subarray(4)]);
}
