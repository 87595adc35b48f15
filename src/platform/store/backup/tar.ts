import type { FileHandle } from 'node:fs/promises';
import { damaged, notABackup } from './damage.ts';
import { wholeNumber } from '../../../base/whole-number.ts';

/**
 * The part of tar (POSIX.1-2001, ustar with pax headers for long names and sizes) that a backup uses. Every tar program reads the archives
 * that this file writes. This file reads only archives whose headers are, byte for byte, the headers that it would have written. So every
 * changed bit is noticed, and a name, link or size in a stranger's archive never has an effect.
 */

const blockSize = 512;
/** The largest number that eleven octal digits hold. */
const largestPlainSize = 0o77777777777;
const longestPlainName = 100;
const longestName = 255;

export interface TarEntry {
  readonly name: string;
  /** size of the content in bytes */
  readonly size: number;
  /** time of the last change, in seconds since 1970 */
  readonly seconds: number;
  /** position of the content in the file */
  readonly offset: number;
}

/** Two empty blocks end an archive. */
export const tarEnd = new Uint8Array(2 * blockSize);

/** The zeros between content of `size` bytes and the next header. */
export function tarPadding(size: number): Uint8Array {
  return new Uint8Array((blockSize - (size % blockSize)) % blockSize);
}

/** @param seconds the time of modification that unpacked files get, in seconds since 1970 */
export function tarHeader(name: string, size: number, seconds: number): Uint8Array {
  const plain = name.length <= longestPlainName && size <= largestPlainSize;
  if (plain) return block(name, size, '0', seconds);
  const records = Buffer.from(
    paxRecord('path', name) + (size > largestPlainSize ? paxRecord('size', String(size)) : ''),
  );
  const short = name.slice(-longestPlainName);
  return Buffer.concat([
    block(`pax/${short}`.slice(0, longestPlainName), records.length, 'x', seconds),
    records,
    tarPadding(records.length),
    block(short, size > largestPlainSize ? 0 : size, '0', seconds),
  ]);
}

function block(name: string, size: number, type: '0' | 'x', seconds: number): Uint8Array {
  const header = Buffer.alloc(blockSize);
  header.write(name, 0, longestPlainName, 'ascii');
  header.write('0000600\0', 100, 'ascii');
  header.write('0000000\0', 108, 'ascii');
  header.write('0000000\0', 116, 'ascii');
  header.write(octal(size), 124, 'ascii');
  header.write(octal(seconds), 136, 'ascii');
  // The checksum is computed with spaces in its own field.
  header.write('        ', 148, 'ascii');
  header.write(type, 156, 'ascii');
  header.write('ustar\x0000', 257, 'latin1');
  let sum = 0;
  for (const byte of header) sum += byte;
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'ascii');
  return header;
}

function octal(value: number): string {
  return `${value.toString(8).padStart(11, '0')}\0`;
}

/** `length key=value\n`, where the length counts its own digits. */
function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  let length = rest.length;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return `${length}${rest}`;
}

/**
 * Yields the entries of an archive in their order. Reads only headers and padding.
 *
 * @param length bytes of the whole file
 * @throws Problem invalid BACKUP_NOT_A_BACKUP | BACKUP_DAMAGED
 */
export async function* tarEntries(file: FileHandle, length: number): AsyncGenerator<TarEntry> {
  let position = 0;
  let previous: string | undefined;
  for (;;) {
    const where = previous === undefined ? 'at its beginning' : `behind ${previous}`;
    const header = await readAt(file, position, blockSize);
    if (header.length === blockSize && header.every((byte) => byte === 0)) break;
    if (previous === undefined && header.toString('latin1', 257, 262) !== 'ustar') throw notABackup();
    const extended = header[156] === 'x'.charCodeAt(0);
    const whole = extended ? await readAt(file, position, 3 * blockSize) : header;
    if (whole.length < (extended ? 3 : 1) * blockSize) throw damaged(`it ends ${where}`);
    const { name, size } = parse(whole, extended);
    const seconds = Number.parseInt(header.toString('latin1', 136, 147), 8);
    if (!isWritten(whole, name, size, seconds))
      throw damaged(`the header ${where}, at byte ${position}, is not readable`);
    const offset = position + whole.length;
    const padding = tarPadding(size);
    if (offset + size + padding.length > length) throw damaged(`it ends inside of ${name}`);
    if (!(await isZero(file, offset + size, padding.length)))
      throw damaged(`there is something between ${name} and what follows it`);
    yield { name, size, seconds, offset };
    position = offset + size + padding.length;
    previous = name;
  }
  if (position + tarEnd.length !== length || !(await isZero(file, position, tarEnd.length)))
    throw damaged(position + tarEnd.length < length ? 'something follows its end' : 'its end is missing');
}

function parse(whole: Buffer, extended: boolean): { name: string; size: number } {
  const main = extended ? whole.subarray(2 * blockSize) : whole;
  const records = extended ? whole.toString('latin1', blockSize, 2 * blockSize) : '';
  const path = /^\d+ path=(.*)\n/.exec(records)?.[1];
  const size = /\n\d+ size=(\d+)\n/.exec(records)?.[1];
  return {
    name: path ?? main.toString('latin1', 0, longestPlainName).replace(/\0.*$/s, ''),
    size:
      size === undefined ? Number.parseInt(main.toString('latin1', 124, 135), 8) : (wholeNumber(size) ?? Number.NaN),
  };
}

function isWritten(header: Buffer, name: string, size: number, seconds: number): boolean {
  const sound = /^[\x21-\x7e]+$/.test(name) && name.length <= longestName;
  if (!sound || !Number.isSafeInteger(size) || !Number.isSafeInteger(seconds)) return false;
  return size >= 0 && seconds >= 0 && header.equals(tarHeader(name, size, seconds));
}

async function isZero(file: FileHandle, position: number, length: number): Promise<boolean> {
  const found = await readAt(file, position, length);
  return found.length === length && found.every((byte) => byte === 0);
}

/** Returns fewer bytes than asked for at the end of the file. */
export async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}
