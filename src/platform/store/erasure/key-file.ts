import { assertLength, concat, constantTimeEqual, fromHex, toHex, utf8 } from '../../../crypto/bytes.ts';
import { sha256 } from '../../../crypto/hash.ts';
import { decodeCover, encodeCover, type Cover } from '../../../crypto/puncturable-prf.ts';

/**
 * The content of a file of erasure keys.
 *
 * `"conclave erasure keys 2\n" | id 16 | generation 8 | cover | SHA-256 of all before 32`
 *
 * The first version has no generation, which counts as 0.
 */
export interface KeyFile {
  /** tells this file from those of other stores; 32 hexadecimal digits */
  readonly id: string;
  /** how often something was erased */
  readonly generation: number;
  readonly cover: Cover;
}

const FIRST = utf8('conclave erasure keys 1\n');
const MAGIC = utf8('conclave erasure keys 2\n');
export const ID_BYTES = 16;
const GENERATION_BYTES = 8;
const HASH_BYTES = 32;

export function encodeKeyFile({ id, generation, cover }: KeyFile): Uint8Array {
  const count = new Uint8Array(GENERATION_BYTES);
  new DataView(count.buffer).setBigUint64(0, BigInt(generation));
  const idBytes = fromHex(id);
  assertLength('id of the erasure keys', idBytes, ID_BYTES);
  const encoded = encodeCover(cover);
  const bytes = concat(MAGIC, idBytes, count, encoded);
  const whole = concat(bytes, sha256(bytes));
  for (const copy of [encoded, bytes]) copy.fill(0);
  return whole;
}

/** @returns undefined if the content isn't whole */
export function decodeKeyFile(bytes: Uint8Array): KeyFile | undefined {
  const end = bytes.length - HASH_BYTES;
  const isFirst = constantTimeEqual(bytes.subarray(0, FIRST.length), FIRST);
  const idEnd = MAGIC.length + ID_BYTES;
  const coverStart = isFirst ? idEnd : idEnd + GENERATION_BYTES;
  if (end < coverStart || !(isFirst || constantTimeEqual(bytes.subarray(0, MAGIC.length), MAGIC))) return undefined;
  if (!constantTimeEqual(bytes.subarray(end), sha256(bytes.subarray(0, end)))) return undefined;
  const count = new DataView(bytes.buffer, bytes.byteOffset + idEnd);
  const generation = isFirst ? 0 : count.getUint32(0) * 2 ** 32 + count.getUint32(4);
  if (!Number.isSafeInteger(generation)) return undefined;
  const cover = decodeCover(bytes.subarray(coverStart, end));
  return cover && { id: toHex(bytes.subarray(MAGIC.length, idEnd)), generation, cover };
}
