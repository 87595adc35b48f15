import { Problem } from '../../../base/problem.ts';
import { damagedMedia, type ByteReader } from './byte-reader.ts';
import { MOST_PARTS, type Cleaner } from './cleaner.ts';
import { blankNotes } from './sound-notes.ts';

/** The beginnings of the first packet of a stream, and of the packet with the notes. */
const codecs = [
  { first: '\x01vorbis', notes: '\x03vorbis' },
  { first: 'OpusHead', notes: 'OpusTags' },
] as const;

/** Bytes of the pages before the sound. */
const MOST_NOTES = 1024 ** 2;

interface Page {
  /** with the table of lengths */
  readonly head: Buffer;
  readonly body: Buffer;
}

/**
 * Ogg with one stream of Vorbis or Opus (RFC 3533, 7845), whose notes (names, texts, pictures) are overwritten by spaces. So no length
 * changes.
 */
export const cleanOgg: Cleaner = async function* (bytes) {
  const first = await pageOf(bytes);
  const codec = codecs.find((one) => first.body.toString('latin1', 0, one.first.length) === one.first);
  if (codec === undefined || ((first.head[5] ?? 0) & 2) === 0)
    throw new Problem('unsupported', 'UNSUPPORTED_MEDIA_TYPE', 'The file has another sound than Vorbis or Opus.');
  // Notes may not begin on the first page.
  if (packetLength([first]) !== first.body.length) throw damagedMedia('its first page has more than one packet');
  yield first.head;
  yield first.body;
  const serial = first.head.readUInt32LE(14);
  const pages: Page[] = [];
  let size = 0;
  while (packetLength(pages) === undefined) {
    const page = await pageOf(bytes, serial);
    pages.push(page);
    if ((size += page.body.length) > MOST_NOTES)
      throw new Problem('tooLarge', 'MEDIA_TOO_LARGE', 'The file has more than 1 MiB of notes and pictures.');
  }
  yield* withoutNotes(pages, codec.notes);
  for (let count = 0; !(await bytes.isAtEnd()); count += 1) {
    if (count > MOST_PARTS) throw damagedMedia('it has too many parts');
    const { head, body } = await pageOf(bytes, serial);
    yield head;
    yield body;
  }
  return { type: 'audio/ogg', width: 0, height: 0 };
};

async function pageOf(bytes: ByteReader, serial?: number): Promise<Page> {
  const fixed = await bytes.read(27);
  if (fixed.toString('latin1', 0, 4) !== 'OggS' || fixed[4] !== 0) throw damagedMedia('a page is missing');
  if (serial !== undefined && fixed.readUInt32LE(14) !== serial)
    throw new Problem('unsupported', 'UNSUPPORTED_MEDIA_TYPE', 'The file has several streams.');
  const table = await bytes.read(fixed[26] ?? 0);
  const length = table.reduce((sum, one) => sum + one, 0);
  return { head: Buffer.concat([fixed, table]), body: await bytes.read(length) };
}

/** The length of the first packet in pages: the lengths in their tables to the first one below 255. undefined: it goes on. */
function packetLength(pages: readonly Page[]): number | undefined {
  let length = 0;
  for (const { head } of pages)
    for (const one of head.subarray(27)) {
      length += one;
      if (one < 255) return length;
    }
  return undefined;
}

function* withoutNotes(pages: readonly Page[], magic: string): Generator<Uint8Array> {
  const all = Buffer.concat(pages.map(({ body }) => body));
  blankNotes(all.subarray(0, packetLength(pages)), magic);
  let at = 0;
  for (const { head, body } of pages) {
    const changed = all.subarray(at, (at += body.length));
    head.writeUInt32LE(0, 22);
    head.writeUInt32LE(checksum(changed, checksum(head)), 22);
    yield head;
    yield changed;
  }
}

const table = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index << 24;
  for (let bit = 0; bit < 8; bit += 1) value = (value & 0x8000_0000) === 0 ? value << 1 : (value << 1) ^ 0x04c1_1db7;
  return value;
});

/** RFC 3533, 6: CRC-32 with the polynomial 0x04c11db7, from 0, without reflection. */
function checksum(bytes: Uint8Array, from = 0): number {
  let value = from;
  for (const byte of bytes) value = (value << 8) ^ (table[((value >>> 24) ^ byte) & 255] ?? 0);
  return value >>> 0;
}
