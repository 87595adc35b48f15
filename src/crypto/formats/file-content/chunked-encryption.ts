import { createCipheriv, createDecipheriv } from 'node:crypto';
import { expand } from '@noble/hashes/hkdf.js';
import { sha512 } from '@noble/hashes/sha2.js';
import { assertInteger, assertLength, assertLengthBetween, concat, constantTimeEqual, utf8 } from '../../bytes.ts';
import { CHUNK, CHUNK_INFO, CHUNK_PARTS, segmentNonce, segmentsOf } from './chunk-format.ts';

export { CHUNK, sealedLength, segmentsOf } from './chunk-format.ts';

/*
 * Chunked encryption of C2SP (https://c2sp.org/chunked-encryption) as Cobblestone-256, with SHA-512 and AES-256-GCM:
 * `salt 24 | commitment 32 | segments`. Each segment is 16 KiB of plaintext and a tag, and the last one is always shorter, so a message that
 * was cut at the border of a segment shows. The specification says "chunk" where this program says segment, because an upload has chunks.
 */
const ALGORITHM = 'aes-256-gcm';
const options = { authTagLength: CHUNK.tagBytes };
const { key: KEY_LENGTH, baseNonce: NONCE_LENGTH, salt: SALT_LENGTH, commitment: COMMITMENT_LENGTH } = CHUNK_PARTS;
const LONGEST_CONTEXT = 1024;
/** segments of one message */
const MOST_SEGMENTS = 2 ** 38;
const INFO = utf8(CHUNK_INFO);
/** HMAC pads a key with zeros to its block, so the padded key is the same key. The library wants one as long as the hash. */
const PADDING = new Uint8Array(64 - KEY_LENGTH);

/** The keys of one message. */
export interface MessageKeys {
  /** 32 bytes */
  readonly key: Uint8Array;
  /** 12 bytes */
  readonly baseNonce: Uint8Array;
}

/**
 * Begins a message.
 *
 * @param inputKey 32 random bytes
 * @param context purpose and place of the message, at most 1,024 bytes; it is not sent, and opening needs the same
 * @param salt 24 random bytes, which never repeat for a key
 * @returns the first 56 bytes of the message, and the keys of its segments
 * @throws CryptoError
 */
export function beginMessage(
  inputKey: Uint8Array,
  context: Uint8Array,
  salt: Uint8Array,
): { readonly header: Uint8Array; readonly keys: MessageKeys } {
  const { commitment, ...keys } = derive(inputKey, context, salt);
  return { header: concat(salt, commitment), keys };
}

/** @param header the first 56 bytes of a message. @returns undefined if it is of another key or context. @throws CryptoError */
export function openHeader(inputKey: Uint8Array, context: Uint8Array, header: Uint8Array): MessageKeys | undefined {
  assertLength('header', header, CHUNK.headerBytes);
  const { commitment, ...keys } = derive(inputKey, context, header.subarray(0, SALT_LENGTH));
  return constantTimeEqual(commitment, header.subarray(SALT_LENGTH)) ? keys : undefined;
}

function derive(inputKey: Uint8Array, context: Uint8Array, salt: Uint8Array) {
  assertLength('input key', inputKey, KEY_LENGTH);
  assertLengthBetween('context', context, 0, LONGEST_CONTEXT);
  assertLength('salt', salt, SALT_LENGTH);
  const length = KEY_LENGTH + NONCE_LENGTH + COMMITMENT_LENGTH;
  const derived = expand(sha512, concat(inputKey, PADDING), concat(INFO, salt, context), length);
  return {
    key: derived.subarray(0, KEY_LENGTH),
    baseNonce: derived.subarray(KEY_LENGTH, KEY_LENGTH + NONCE_LENGTH),
    commitment: derived.subarray(KEY_LENGTH + NONCE_LENGTH),
  };
}

/**
 * @param index of the segment, from 0; each index is sealed once
 * @param plaintext 16,384 bytes, or fewer in the last segment
 * @returns the ciphertext with its tag, 16 bytes longer. @throws CryptoError
 */
export function sealSegment(keys: MessageKeys, index: number, plaintext: Uint8Array): Uint8Array {
  assertLengthBetween('segment', plaintext, 0, CHUNK.segmentBytes);
  const cipher = createCipheriv(ALGORITHM, keys.key, nonceAt(keys, index), options);
  const sealed = Buffer.allocUnsafe(plaintext.length + CHUNK.tagBytes);
  sealed.set(cipher.update(plaintext));
  // This makes the tag; in GCM, `final` returns no bytes.
  cipher.final();
  sealed.set(cipher.getAuthTag(), plaintext.length);
  return sealed;
}

/** @returns undefined if the segment was changed, or is of another place. @throws CryptoError */
export function openSegment(keys: MessageKeys, index: number, sealed: Uint8Array): Uint8Array | undefined {
  const end = sealed.length - CHUNK.tagBytes;
  if (end < 0 || end > CHUNK.segmentBytes) return undefined;
  const decipher = createDecipheriv(ALGORITHM, keys.key, nonceAt(keys, index), options);
  decipher.setAuthTag(sealed.subarray(end));
  const plaintext = decipher.update(sealed.subarray(0, end));
  try {
    decipher.final();
    return plaintext;
  } catch {
    return undefined;
  }
}

/** Of the segment at an index: the base nonce XOR the index as a big-endian integer, 12 bytes. @throws CryptoError */
export function nonceAt({ baseNonce }: Pick<MessageKeys, 'baseNonce'>, index: number): Uint8Array {
  assertInteger('segment index', index, 0, MOST_SEGMENTS - 1);
  return segmentNonce(baseNonce, index);
}

/** A whole message; for small ones. @throws CryptoError */
export function sealMessage(
  inputKey: Uint8Array,
  context: Uint8Array,
  salt: Uint8Array,
  plaintext: Uint8Array,
): Uint8Array {
  const { header, keys } = beginMessage(inputKey, context, salt);
  const segments = Array.from({ length: segmentsOf(plaintext.length) }, (_, index) => {
    const at = index * CHUNK.segmentBytes;
    return sealSegment(keys, index, plaintext.subarray(at, at + CHUNK.segmentBytes));
  });
  return concat(header, ...segments);
}

/** @returns undefined if it is not a whole message of this key and context. @throws CryptoError */
export function openMessage(inputKey: Uint8Array, context: Uint8Array, message: Uint8Array): Uint8Array | undefined {
  assertLength('input key', inputKey, KEY_LENGTH);
  const whole = CHUNK.segmentBytes + CHUNK.tagBytes;
  // The last segment is shorter, and has at least its tag.
  if (message.length < CHUNK.headerBytes + CHUNK.tagBytes) return undefined;
  if ((message.length - CHUNK.headerBytes) % whole < CHUNK.tagBytes) return undefined;
  const keys = openHeader(inputKey, context, message.subarray(0, CHUNK.headerBytes));
  if (keys === undefined) return undefined;
  const opened: Uint8Array[] = [];
  for (let at = CHUNK.headerBytes; at < message.length; at += whole) {
    const segment = openSegment(keys, opened.length, message.subarray(at, at + whole));
    if (segment === undefined) return undefined;
    opened.push(segment);
  }
  return concat(...opened);
}
