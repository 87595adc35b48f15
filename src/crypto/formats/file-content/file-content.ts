import { concat, fromHex, toHex, uint32, utf8 } from '../../bytes.ts';
import { openMessage, sealMessage } from './chunked-encryption.ts';
import {
  blockLabel,
  MANIFEST,
  manifestLabel,
  plainBlockSize,
  readShape,
  sharedKeyLabel,
  type Named,
} from './content-format.ts';
import { CryptoError } from '../../crypto-error.ts';
import { sha256 } from '../../hash.ts';

export type { Named } from './content-format.ts';

/*
 * The format of the content of a file, for whoever holds its key: the node, a member with a client-encrypted container, the reader of a link.
 * A content has a random key of 32 bytes. Its blocks and its manifest are messages of chunked encryption under that key, each with a context
 * of its own. Wraps of keys have a context, too, so that none opens in the place of another.
 */

/** The list of a content's blocks. Without it nobody could tell whether a block is missing at the end, or which of two states is right. */
export interface Manifest {
  /** bytes of the content */
  readonly size: number;
  /** bytes of the plaintext of every block but the last one */
  readonly chunkSize: number;
  /** SHA3-512 of the ciphertext of each block, hex */
  readonly hashes: readonly string[];
}

const { format: FORMAT, headBytes: HEAD_BYTES, hashBytes: HASH_BYTES } = MANIFEST;

/** What a block is for: one of another file, content or place has another context, and does not open. @param place from 0 */
export function blockContext(named: Named, place: number): Uint8Array {
  return utf8(blockLabel(named, place));
}

export function manifestContext(named: Named): Uint8Array {
  return utf8(manifestLabel(named));
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
export function sharedKeyContext(shareId: string, named: Named): Uint8Array {
  return utf8(sharedKeyLabel(shareId, named));
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
function readManifest(plaintext: Uint8Array): Manifest | undefined {
  const shape = readShape(plaintext);
  if (shape === undefined) return undefined;
  const hashes: string[] = [];
  for (let at = HEAD_BYTES; at < plaintext.length; at += HASH_BYTES)
    hashes.push(toHex(plaintext.subarray(at, at + HASH_BYTES)));
  return { size: shape.size, chunkSize: shape.chunkSize, hashes };
}

/** Bytes of the block at a place, before encryption. @throws CryptoError for a place that the content doesn't have */
export function blockSize({ size, chunkSize, hashes }: Manifest, place: number): number {
  if (!Number.isInteger(place) || place < 0 || place >= hashes.length) throw new CryptoError('there is no such block');
  return plainBlockSize({ size, chunkSize, blocks: hashes.length }, place);
}
