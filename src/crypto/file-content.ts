import { concat, fromHex, readUint32, toHex, uint32, utf8 } from './bytes.ts';
import { openMessage, sealMessage } from './chunked-encryption.ts';
import { CryptoError } from './crypto-error.ts';
import { sha256 } from './hash.ts';

/**
 * The format of the content of a file, for whoever holds its key: the node, a member with a client-encrypted container, the reader of a link.
 * A content has a random key of 32 bytes. Its blocks and its manifest are messages of chunked encryption under that key, each with a context
 * of its own. Wraps of keys have a context, too, so that none opens in the place of another.
 */
export interface Named {
  /** of the content */
  readonly id: string;
  readonly file_id: string;
}

/** The list of a content's blocks. Without it nobody could tell whether a block is missing at the end, or which of two states is right. */
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

/** What a block is for: one of another file, content or place has another context, and does not open. @param place from 0 */
export function blockContext({ id, file_id }: Named, place: number): Uint8Array {
  return utf8(`conclave/filevault/block/v1|${file_id}|${id}|${place}`);
}

export function manifestContext({ id, file_id }: Named): Uint8Array {
  return utf8(`conclave/filevault/manifest/v1|${file_id}|${id}`);
}

/** Of the key of a container, encrypted to a member (ECIES) or to the node. @param number of the generation, from 1 */
export function containerKeyContext(containerId: string, number: number): Uint8Array {
  return utf8(`conclave/filevault/container-key/v1\0${containerId}\0${number}`);
}

/**
 * What the owner of a client-encrypted container signs for each of its keys. Anybody can encrypt something to a member, so without it the
 * node could give out a key of its own. @param key 32 bytes
 */
export function containerKeyStatement(containerId: string, number: number, key: Uint8Array): Uint8Array {
  const context = utf8(`conclave/filevault/container-key-signature/v1\0${containerId}\0${number}\0`);
  return concat(context, sha256(concat(context, key)));
}

/** Of the key of a content, sealed under the key of its container. @param number of the generation of the container's key */
export function contentKeyContext(containerId: string, number: number, { id, file_id }: Named): Uint8Array {
  return utf8(`conclave/filevault/content-key/v1\0${containerId}\0${number}\0${file_id}\0${id}`);
}

/** Of the key of a content, encrypted to the public key of whoever it is shared with (ECIES). @param shareId of the link or share */
export function sharedKeyContext(shareId: string, { id, file_id }: Named): Uint8Array {
  return utf8(`conclave/filevault/shared-key/v1\0${shareId}\0${file_id}\0${id}`);
}

/**
 * @param salt 24 random bytes
 * @returns the sealed manifest; its plaintext is `format 1 | size of the content 8 | size of a chunk 4 | hash of each block 64`
 */
export function sealManifest(
  key: Uint8Array,
  named: Named,
  { size, chunkSize, hashes }: Manifest,
  salt: Uint8Array,
): Uint8Array {
  const sizes = [Math.floor(size / 2 ** 32), size % 2 ** 32, chunkSize].map(uint32);
  const plaintext = concat(Uint8Array.of(FORMAT), ...sizes, ...hashes.map((hash) => fromHex(hash, HASH_BYTES)));
  return sealMessage(key, manifestContext(named), salt, plaintext);
}

/** Bytes of the plaintext of a manifest of so many blocks. */
export function manifestLength(blocks: number): number {
  return HEAD_BYTES + HASH_BYTES * blocks;
}

/** @returns undefined if it was made for another content or under another key, or was changed */
export function openManifest(key: Uint8Array, named: Named, sealed: Uint8Array): Manifest | undefined {
  const plaintext = openMessage(key, manifestContext(named), sealed);
  return plaintext === undefined ? undefined : readManifest(plaintext);
}

/** @param plaintext of a sealed manifest. @returns undefined if it is none */
export function readManifest(plaintext: Uint8Array): Manifest | undefined {
  if (plaintext.length < HEAD_BYTES || plaintext[0] !== FORMAT) return undefined;
  const size = readUint32(plaintext, 1) * 2 ** 32 + readUint32(plaintext, 5);
  const chunkSize = readUint32(plaintext, 9);
  const hashes: string[] = [];
  for (let at = HEAD_BYTES; at < plaintext.length; at += HASH_BYTES)
    hashes.push(toHex(plaintext.subarray(at, at + HASH_BYTES)));
  const isWhole = (plaintext.length - HEAD_BYTES) % HASH_BYTES === 0 && hashes.length === Math.ceil(size / chunkSize);
  return isWhole ? { size, chunkSize, hashes } : undefined;
}

/** Bytes of the block at a place, before encryption. @throws CryptoError for a place that the content doesn't have */
export function blockSize({ size, chunkSize, hashes }: Manifest, place: number): number {
  if (!Number.isInteger(place) || place < 0 || place >= hashes.length) throw new CryptoError('there is no such block');
  return place < hashes.length - 1 ? chunkSize : size - chunkSize * (hashes.length - 1);
}
