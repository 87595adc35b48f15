import { sha256 } from '@noble/hashes/sha2.js';
import { concat, fromHex, toHex, utf8 } from '../../../crypto/bytes.ts';

/** Bytes of the random id of an access. */
export const ID_BYTES = 8;
const CHECK_BYTES = 4;
/** Bits of an id with its check. */
export const CODE_BITS = (ID_BYTES + CHECK_BYTES) * 8;

/** The bits that a watermark repeats: the id, and a check by which a reader tells it from noise. @param id hex */
export function codeOf(id: string): number[] {
  const bytes = fromHex(id, ID_BYTES);
  return [...concat(bytes, checkOf(bytes))].flatMap((byte) =>
    Array.from({ length: 8 }, (_, bit) => (byte >> (7 - bit)) & 1),
  );
}

/** @param bits as many as a code has. @returns undefined if they are none */
export function idIn(bits: readonly number[]): string | undefined {
  const bytes = new Uint8Array(ID_BYTES + CHECK_BYTES);
  for (const [index, bit] of bits.entries()) bytes[index >> 3] = (bytes[index >> 3] ?? 0) | (bit << (7 - (index & 7)));
  const id = bytes.subarray(0, ID_BYTES);
  return toHex(checkOf(id)) === toHex(bytes.subarray(ID_BYTES)) ? toHex(id) : undefined;
}

function checkOf(id: Uint8Array): Uint8Array {
  return sha256(concat(utf8('conclave/filevault/watermark/v1'), id)).subarray(0, CHECK_BYTES);
}
