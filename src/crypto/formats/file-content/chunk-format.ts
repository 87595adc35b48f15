/**
 * Numbers of C2SP chunked encryption as Cobblestone-256 (https://c2sp.org/chunked-encryption). Nothing here needs Node, so a page may use it.
 */
export const CHUNK = {
  /** bytes of the plaintext of every segment but the last one */
  segmentBytes: 16_384,
  tagBytes: 16,
  /** bytes of the salt and the commitment */
  headerBytes: 56,
} as const;

/** Bytes of the parts of a header, and of what is derived for a message. */
export const CHUNK_PARTS = { salt: 24, commitment: 32, key: 32, baseNonce: 12 } as const;

/** What the derivation of a message's keys begins with; the salt and the context follow. */
export const CHUNK_INFO = 'c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0';

/** How many segments a plaintext of so many bytes has, with the last one, which is empty if they are a multiple of 16 KiB. */
export function segmentsOf(plaintextBytes: number): number {
  return Math.floor(plaintextBytes / CHUNK.segmentBytes) + 1;
}

/** Bytes of the message for a plaintext of so many bytes. */
export function sealedLength(plaintextBytes: number): number {
  return CHUNK.headerBytes + plaintextBytes + segmentsOf(plaintextBytes) * CHUNK.tagBytes;
}

/** The base nonce XOR the index of a segment as a big-endian integer. */
export function segmentNonce(baseNonce: Uint8Array, index: number): Uint8Array<ArrayBuffer> {
  const nonce = Uint8Array.from(baseNonce);
  for (let at = nonce.length - 1, rest = index; rest > 0; at -= 1, rest = Math.floor(rest / 256))
    nonce[at] = (nonce[at] ?? 0) ^ (rest % 256);
  return nonce;
}
