import { CHUNK, CHUNK_INFO, CHUNK_PARTS, segmentNonce } from '../../../crypto/formats/file-content/chunk-format.ts';
import { areEqual, joined, utf8Of, type Octets } from './octets.ts';

/** Chunked encryption of C2SP by WebCrypto. src/crypto/formats/file-content/chunked-encryption.ts is the same for Node, and says more. */
export interface SegmentKeys {
  readonly key: CryptoKey;
  /** 12 bytes */
  readonly baseNonce: Octets;
}

/** The key of a content. It can't be read out again, and it may be passed to the worker. @param bytes 32 */
export async function importContentKey(bytes: Octets): Promise<CryptoKey> {
  return await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-512' }, false, ['sign']);
}

/** @param header the first 56 bytes of a message. @returns undefined if it is of another key or context */
export async function openHead(
  contentKey: CryptoKey,
  context: Uint8Array,
  header: Uint8Array,
): Promise<SegmentKeys | undefined> {
  const { salt, commitment, key, baseNonce } = CHUNK_PARTS;
  const info = joined(utf8Of(CHUNK_INFO), header.subarray(0, salt), context);
  const derived = await expand(contentKey, info);
  const parts = { key: derived.subarray(0, key), nonce: derived.slice(key, key + baseNonce) };
  if (!areEqual(derived.subarray(key + baseNonce, key + baseNonce + commitment), header.subarray(salt)))
    return undefined;
  const imported = await crypto.subtle.importKey('raw', parts.key, 'AES-GCM', false, ['decrypt']);
  derived.fill(0);
  return { key: imported, baseNonce: parts.nonce };
}

/** HKDF-Expand (RFC 5869) with SHA-512, to two blocks. WebCrypto's HKDF always extracts first. */
async function expand(key: CryptoKey, info: Octets): Promise<Octets> {
  const first = new Uint8Array(await crypto.subtle.sign('HMAC', key, joined(info, Uint8Array.of(1))));
  const second = new Uint8Array(await crypto.subtle.sign('HMAC', key, joined(first, info, Uint8Array.of(2))));
  return joined(first, second);
}

/** @param index from 0. @returns undefined if the segment was changed, or is of another place */
export async function openSegmentAt(
  { key, baseNonce }: SegmentKeys,
  index: number,
  sealed: Octets,
): Promise<Octets | undefined> {
  const algorithm = { name: 'AES-GCM', iv: segmentNonce(baseNonce, index), tagLength: CHUNK.tagBytes * 8 };
  try {
    return new Uint8Array(await crypto.subtle.decrypt(algorithm, key, sealed));
  } catch {
    return undefined;
  }
}

/** A whole message; for small ones. @returns undefined if it is not a whole message of this key and context */
export async function openWhole(
  contentKey: CryptoKey,
  context: Uint8Array,
  message: Uint8Array,
): Promise<Octets | undefined> {
  const { headerBytes, segmentBytes, tagBytes } = CHUNK;
  const whole = segmentBytes + tagBytes;
  // The last segment is shorter, and has at least its tag.
  if (message.length < headerBytes + tagBytes || (message.length - headerBytes) % whole < tagBytes) return undefined;
  const keys = await openHead(contentKey, context, message.subarray(0, headerBytes));
  if (keys === undefined) return undefined;
  const opened: Octets[] = [];
  for (let at = headerBytes; at < message.length; at += whole) {
    const segment = await openSegmentAt(keys, opened.length, message.slice(at, at + whole));
    if (segment === undefined) return undefined;
    opened.push(segment);
  }
  return joined(...opened);
}
