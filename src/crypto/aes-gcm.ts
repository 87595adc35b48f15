import { createCipheriv, createDecipheriv } from 'node:crypto';
import { assertLength } from './bytes.ts';
import { CryptoError } from './crypto-error.ts';

/** Lengths that the account document fixes for AES-256-GCM, in bytes. */
export const KEY_LENGTH = 32;
export const IV_LENGTH = 16;
export const TAG_LENGTH = 16;

const ALGORITHM = 'aes-256-gcm';
const options = { authTagLength: TAG_LENGTH };
/** The size in bytes of the parts in which a plaintext is encrypted, so that a large file has no second ciphertext in memory. */
const PIECE = 256 * 1024;
const none = new Uint8Array();

/**
 * AES-256-GCM (NIST SP 800-38D) with a 16-byte IV. A pair of key and IV must never be used for two plaintexts: the caller makes a fresh
 * random IV, or derives the IV together with a fresh key.
 *
 * @param header bytes that are put before the result in the same memory; they are not authenticated unless the caller does it
 * @returns header, then tag (16 bytes), then ciphertext (as long as the plaintext)
 */
export function gcmEncrypt(
  key: Uint8Array,
  iv: Uint8Array,
  plaintext: Uint8Array,
  aad: Uint8Array,
  header: Uint8Array = none,
): Uint8Array {
  assertLength('key', key, KEY_LENGTH);
  assertLength('IV', iv, IV_LENGTH);
  assertLength('plaintext', plaintext);
  assertLength('additional data', aad);
  const cipher = createCipheriv(ALGORITHM, key, iv, options);
  cipher.setAAD(aad);
  const start = header.length + TAG_LENGTH;
  const sealed = new Uint8Array(start + plaintext.length);
  sealed.set(header);
  if (plaintext.length <= PIECE) sealed.set(cipher.update(plaintext), start);
  else {
    for (let done = 0; done < plaintext.length; done += PIECE)
      sealed.set(cipher.update(plaintext.subarray(done, done + PIECE)), start + done);
  }
  // This makes the tag; in GCM, `final` returns no bytes.
  cipher.final();
  sealed.set(cipher.getAuthTag(), header.length);
  return sealed;
}

/**
 * @param sealed the result of `gcmEncrypt`
 * @throws CryptoError when it is too short, or when the key, the IV, the tag, the ciphertext or the authenticated data is wrong
 */
export function gcmDecrypt(key: Uint8Array, iv: Uint8Array, sealed: Uint8Array, aad: Uint8Array): Uint8Array {
  assertLength('key', key, KEY_LENGTH);
  assertLength('IV', iv, IV_LENGTH);
  assertLength('ciphertext', sealed);
  assertLength('additional data', aad);
  if (sealed.length < TAG_LENGTH) throw new CryptoError('ciphertext is too short');
  try {
    const decipher = createDecipheriv(ALGORITHM, key, iv, options);
    decipher.setAAD(aad);
    decipher.setAuthTag(sealed.subarray(0, TAG_LENGTH));
    const body = decipher.update(sealed.subarray(TAG_LENGTH));
    // This checks the tag; in GCM, `final` returns no bytes.
    decipher.final();
    // The plaintext has memory of its own, so no second copy remains when the caller wipes it.
    return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  } catch (cause) {
    throw new CryptoError('ciphertext is damaged, or the key or context is another one', { cause });
  }
}
