import { CHUNK, nonceAt, type MessageKeys } from '../../../crypto/formats/file-content/chunked-encryption.ts';

/** What a thread needs to open segments of a message, each with its tag behind it, in place. */
export interface Slots {
  readonly key: Uint8Array;
  /** of each segment 12 bytes */
  readonly nonces: Uint8Array;
  readonly segmentBytes: number;
  readonly tagBytes: number;
}

/** 12 bytes for each segment. @param first index of the first one in its message @param end index after the last one */
export function noncesOf(keys: MessageKeys, first: number, end: number): Uint8Array {
  return Buffer.concat(Array.from({ length: end - first }, (_, at) => nonceAt(keys, first + at)));
}

/** @param first index of the first segment in its message */
export function slotKeys(keys: MessageKeys, first: number, segments: number): Slots {
  const { segmentBytes, tagBytes } = CHUNK;
  return { key: keys.key, nonces: noncesOf(keys, first, first + segments), segmentBytes, tagBytes };
}
