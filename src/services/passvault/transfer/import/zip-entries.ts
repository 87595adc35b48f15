import { crc32, inflateRaw } from 'node:zlib';
import { notImportable } from './import-run.ts';
import { plainName } from './mime-type.ts';

/**
 * Reads a zip by its central directory (APPNOTE 4.3), which the format defines as the authority on where entries are. A reader that goes
 * from header to header gets lost in an attachment that is a zip itself. Names are looked up and never written to a disk.
 */
export interface ZipEntry {
  readonly name: string;
  /** 0 stored, 8 deflated */
  readonly method: number;
  readonly encrypted: boolean;
  readonly crc: number;
  readonly compressedSize: number;
  readonly size: number;
  readonly offset: number;
}

export interface ZipFile {
  readonly entries: ReadonlyMap<string, ZipEntry>;
  /** The path of a top-level entry with this name, ignoring case: some systems that repack archives ignore case. */
  find(name: string): string | undefined;
  /** Whether entries share bytes, as in zip bombs: all entries together are longer than the archive. */
  readonly overlaps: boolean;
  /** Paths of files that were not read, without files that operating systems add. */
  unread(): string[];
  /**
   * @returns undefined if there is no such entry
   * @throws Problem when it is damaged, or when more than 100 MB of the file were read in total
   */
  read(name: string): Promise<Uint8Array | undefined>;
  /**
   * The same for content that is read record by record afterwards, because a small archive must not cause much of that work.
   * @throws Problem also if it inflates to more than 100 times the archive and more than 40 MB
   */
  readRecords(name: string): Promise<Uint8Array | undefined>;
}

/** Ten times the size of real exports. A zip bomb has a thousand times their size. */
const MAX_ENTRIES = 20_000;
/** Limit for all entries that are read, after inflating. */
export const MAX_INFLATED_BYTES = 100 * 1024 * 1024;
/** Reading records takes some 15 ms a megabyte. Exports of 50,000 generated records shrink to a seventieth at most. */
const MAX_RATIO = 100;
const ANYHOW_BYTES = 40 * 1024 * 1024;

/** Folders, and files that macOS and Windows add. */
const OF_SYSTEMS = /\/$|^__MACOSX\/|(?:^|\/)(?:\.DS_Store|Thumbs\.db|desktop\.ini)$/i;

const END_RECORD = 0x06054b50;
const DIRECTORY_HEADER = 0x02014b50;
const LOCAL_HEADER = 0x04034b50;

/** The start of a local header, or of an archive without entries. */
export function isZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && (bytes[2] === 0x03 || bytes[2] === 0x05);
}

/** @throws Problem when the bytes aren't a readable zip */
export function openZip(bytes: Uint8Array): ZipFile {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!isZip(bytes)) throw notImportable('The file is not a zip archive.');
  const entries = readDirectory(file);
  let left = MAX_INFLATED_BYTES;

  const asked = new Set<string>();
  const byName = new Map<string, string>();
  for (const path of entries.keys()) if (!byName.has(path.toLowerCase())) byName.set(path.toLowerCase(), path);

  async function read(name: string, limit: number): Promise<Uint8Array | undefined> {
    const entry = entries.get(name);
    if (entry === undefined) return undefined;
    asked.add(name);
    if (entry.size > left) throw tooLarge(name);
    if (entry.size > limit) throw notImportable('The zip archive is too large when unpacked.');
    // The size is counted before reading, because every record may ask for an entry that is damaged.
    left -= Math.max(entry.size, Math.min(entry.compressedSize, left));
    return await contentOf(file, entry);
  }

  return {
    entries,
    find: (name) => (entries.has(name) ? name : byName.get(name.toLowerCase())),
    overlaps: [...entries.values()].reduce((sum, entry) => sum + entry.compressedSize, 0) > file.length,
    unread: () => [...entries.keys()].filter((path) => !asked.has(path) && !OF_SYSTEMS.test(path)),
    read: async (name) => await read(name, MAX_INFLATED_BYTES),
    readRecords: async (name) => await read(name, Math.max(ANYHOW_BYTES, MAX_RATIO * file.length)),
  };
}

function readDirectory(file: Buffer): Map<string, ZipEntry> {
  const end = endRecord(file);
  const count = file.readUInt16LE(end + 10);
  const entries = new Map<string, ZipEntry>();
  let at = file.readUInt32LE(end + 16);
  if (count > MAX_ENTRIES) throw notImportable('The zip archive has too many entries.');
  for (let index = 0; index < count; index += 1) {
    if (at + 46 > end || file.readUInt32LE(at) !== DIRECTORY_HEADER) throw damaged();
    const nameEnd = at + 46 + file.readUInt16LE(at + 28);
    const name = file.toString('utf8', at + 46, nameEnd);
    if (nameEnd > end || entries.has(name)) throw damaged();
    entries.set(name, {
      name,
      encrypted: (file.readUInt16LE(at + 8) & 1) !== 0,
      method: file.readUInt16LE(at + 10),
      crc: file.readUInt32LE(at + 16),
      compressedSize: file.readUInt32LE(at + 20),
      size: file.readUInt32LE(at + 24),
      offset: file.readUInt32LE(at + 42),
    });
    at = nameEnd + file.readUInt16LE(at + 30) + file.readUInt16LE(at + 32);
  }
  return entries;
}

/** The end record is at the end, before a comment of at most 64 KiB. */
function endRecord(file: Buffer): number {
  const first = Math.max(0, file.length - 22 - 0xffff);
  for (let at = file.length - 22; at >= first; at -= 1) {
    if (file.readUInt32LE(at) === END_RECORD && at + 22 + file.readUInt16LE(at + 20) === file.length) return at;
  }
  throw damaged();
}

async function contentOf(file: Buffer, entry: ZipEntry): Promise<Uint8Array> {
  const { offset, compressedSize, method, size } = entry;
  if (offset + 30 > file.length || file.readUInt32LE(offset) !== LOCAL_HEADER) throw damaged();
  const start = offset + 30 + file.readUInt16LE(offset + 26) + file.readUInt16LE(offset + 28);
  const packed = file.subarray(start, start + compressedSize);
  if (packed.length !== compressedSize) throw damaged();
  if (entry.encrypted) throw notImportable('The zip archive is encrypted. Unpack it first.');
  // Inflating stops at the stated size, which limits the work too.
  const content = method === 8 ? await inflated(packed, size) : packed;
  if ((method !== 0 && method !== 8) || content.length !== size || crc32(content) !== entry.crc) throw damaged();
  return content;
}

async function inflated(packed: Buffer, size: number): Promise<Uint8Array> {
  return await new Promise((resolve, reject) => {
    inflateRaw(packed, { maxOutputLength: Math.max(size, 1) }, (error, content) => {
      if (error) reject(damaged());
      else resolve(content);
    });
  });
}

/** @throws Problem if entries overlap, so that attachments are many times larger than the archive */
export function assertNoOverlap({ overlaps }: ZipFile): void {
  if (overlaps) throw notImportable('The zip archive is damaged: its entries overlap.');
}

function damaged(): Error {
  return notImportable('The zip archive is damaged.');
}

function tooLarge(path: string): Error {
  const size = MAX_INFLATED_BYTES / 1024 ** 2;
  return notImportable(`The zip archive holds more than ${size} MB. ${plainName(path).slice(0, 80)} is beyond that.`);
}
