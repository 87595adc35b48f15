import type { Context } from '../../../context.ts';
import { concat, fromHex, readUint32, toHex, uint32, utf8 } from '../../../crypto/bytes.ts';
import { openMessage, sealMessage } from '../../../crypto/chunked-encryption.ts';
import type { FileContentRow } from '../../../store/tables/filevault.ts';
import { fileDamaged } from '../problems.ts';

/**
 * The list of a content's blocks, sealed under the key of the content. Without it nobody could tell whether a block is missing at the end,
 * or which of two states of the rows is right. Plaintext: `format 1 | size of the content 8 | size of a chunk 4 | hash of each block 64`.
 */
export interface Manifest {
  /** bytes of the content */
  readonly size: number;
  /** bytes of the plaintext of every block but the last one */
  readonly chunkSize: number;
  /** SHA3-512 of the ciphertext of each block, hex */
  readonly hashes: readonly string[];
}

const FORMAT = 1;
const HEAD_BYTES = 13;
const HASH_BYTES = 64;

type Named = Pick<FileContentRow, 'id' | 'file_id'>;

/** What a message is for: a message of another file, content or place has another context, and does not open. */
export function blockContext({ id, file_id }: Named, place: number): Uint8Array {
  return utf8(`conclave/filevault/block/v1|${file_id}|${id}|${place}`);
}

function manifestContext({ id, file_id }: Named): Uint8Array {
  return utf8(`conclave/filevault/manifest/v1|${file_id}|${id}`);
}

export function sealManifest(
  { random }: Pick<Context, 'random'>,
  key: Uint8Array,
  named: Named,
  { size, chunkSize, hashes }: Manifest,
): Uint8Array {
  const sizes = [Math.floor(size / 2 ** 32), size % 2 ** 32, chunkSize].map(uint32);
  const plaintext = concat(Uint8Array.of(FORMAT), ...sizes, ...hashes.map((hash) => fromHex(hash, HASH_BYTES)));
  return sealMessage(key, manifestContext(named), random(24), plaintext);
}

/** @throws Problem internal FILE_DAMAGED, also if it is not the manifest of a content of this size */
export function openManifest(key: Uint8Array, content: FileContentRow): Manifest {
  const sealed = content.manifest;
  const plaintext = sealed === null ? undefined : openMessage(key, manifestContext(content), sealed);
  if (plaintext === undefined || plaintext.length < HEAD_BYTES || plaintext[0] !== FORMAT) throw fileDamaged();
  const size = readUint32(plaintext, 1) * 2 ** 32 + readUint32(plaintext, 5);
  const chunkSize = readUint32(plaintext, 9);
  const hashes: string[] = [];
  for (let at = HEAD_BYTES; at < plaintext.length; at += HASH_BYTES)
    hashes.push(toHex(plaintext.subarray(at, at + HASH_BYTES)));
  const isWhole = (plaintext.length - HEAD_BYTES) % HASH_BYTES === 0 && hashes.length === Math.ceil(size / chunkSize);
  if (!isWhole || size !== content.size || chunkSize !== content.chunk_size) throw fileDamaged();
  return { size, chunkSize, hashes };
}
