import { hash } from 'node:crypto';
import { assertLength, concat, fromHex, plain, toHex } from './bytes.ts';

/**
 * A Bloom filter over tags of 32 bytes. A tag that was added has all its bits set, so one bit that is 0 proves that a tag was not added.
 *
 * The filter is cut into chunks of 32 bytes, the leaves of a Merkle tree. Bit b is in byte ⌊b / 8⌋, counted from the highest bit of it.
 * For hash function j (0 to 29) the bit of a tag is word j mod 8 of SHA-512(salt ‖ tag ‖ ⌊j / 8⌋), read as a big-endian number of
 * 64 bits, modulo the number of bits, which is a power of two.
 */
export const FILTER = {
  /** with 30 hash functions, at most one tag of 10^9 that was not added has all its bits set */
  bitsPerItem: 44,
  hashes: 30,
  chunkBytes: 32,
  chunkBits: 256,
  saltBytes: 32,
  tagBytes: 32,
  leastBits: 2 ** 13,
  mostBits: 2 ** 40,
} as const;

const WORDS = 8;
const VERSION = 1;
const WITNESS_BYTES = 1 + 1 + 8 + FILTER.saltBytes + 1 + 8 + 8 + FILTER.chunkBytes;

/** The size for so many tags: 44 to 88 bits for each. */
export function filterBits(items: number): number {
  let bits: number = FILTER.leastBits;
  while (bits < items * FILTER.bitsPerItem) bits *= 2;
  return bits;
}

/** Whether filters have this size: a power of two within the bounds. */
export function isFilterSize(bits: number): boolean {
  return bits >= FILTER.leastBits && bits <= FILTER.mostBits && Number.isInteger(Math.log2(bits));
}

/** The bit of a tag for each hash function. @param tag, salt 32 bytes each */
export function bitsOf(tag: Uint8Array, salt: Uint8Array, bits: number): number[] {
  assertLength('tag', tag, FILTER.tagBytes);
  assertLength('salt', salt, FILTER.saltBytes);
  const places: number[] = [];
  for (let block = 0; places.length < FILTER.hashes; block += 1) {
    const digest = hash('sha512', concat(salt, tag, Uint8Array.of(block)), 'buffer');
    for (let word = 0; word < WORDS && places.length < FILTER.hashes; word += 1) {
      // 40 bits are enough for the largest filter, and exact in a number.
      const low = digest.readUIntBE(word * 8 + 3, 5);
      places.push(low % bits);
    }
  }
  return places;
}

/** @param bytes of the filter, or of a part of it that begins with bit 0 of the given number */
export function setBit(bytes: Uint8Array, bit: number): void {
  const at = Math.floor(bit / 8);
  bytes[at] = (bytes[at] ?? 0) | maskOf(bit);
}

export function isSet(bytes: Uint8Array, bit: number): boolean {
  return ((bytes[Math.floor(bit / 8)] ?? 0) & maskOf(bit)) !== 0;
}

function maskOf(bit: number): number {
  return 0x80 >> (bit % 8);
}

/** What shows that one bit of a filter is 0. */
export interface FilterWitness {
  readonly hashes: number;
  readonly bits: number;
  readonly salt: Uint8Array;
  /** which hash function */
  readonly j: number;
  readonly bit: number;
  readonly chunkIndex: number;
  readonly chunk: Uint8Array;
}

/** version(1) ‖ k(1) ‖ m(8) ‖ salt(32) ‖ j(1) ‖ bit(8) ‖ chunk index(8) ‖ chunk(32), numbers big-endian, as hex. */
export function writeWitness({ hashes, bits, salt, j, bit, chunkIndex, chunk }: FilterWitness): string {
  const parts = [Uint8Array.of(VERSION, hashes), uint64(bits), salt, Uint8Array.of(j), uint64(bit), uint64(chunkIndex)];
  return toHex(concat(...parts, chunk));
}

/** @returns undefined for anything that `writeWitness` does not write */
export function parseWitness(text: string): FilterWitness | undefined {
  if (!/^[0-9a-f]+$/.test(text) || text.length !== 2 * WITNESS_BYTES) return undefined;
  const bytes = Buffer.from(fromHex(text));
  if (bytes[0] !== VERSION) return undefined;
  const numbers = [2, 43, 51].map((at) => bytes.readBigUInt64BE(at));
  if (numbers.some((number) => number > BigInt(Number.MAX_SAFE_INTEGER))) return undefined;
  const [bits = 0, bit = 0, chunkIndex = 0] = numbers.map(Number);
  const [salt, chunk] = [plain(bytes.subarray(10, 42)), plain(bytes.subarray(59))];
  return { hashes: bytes[1] ?? 0, bits, salt, j: bytes[42] ?? 0, bit, chunkIndex, chunk };
}

function uint64(value: number): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}
