import { createCipheriv, createDecipheriv } from 'node:crypto';
import { assertLength } from './bytes.ts';
import { CryptoError } from './crypto-error.ts';

/** Lengths that the account document fixes for AES-256-GCM, in bytes. */
export const KEY_LENGTH = 32;
export const IV_LENGTH = 16;
export const TAG_LENGTH = 16;

const ALGORITHM = 'aes-256-gcm';
const options = { authTagLength: TAG_LENGTH };
/** What is encrypted at once, in bytes: of a large file there is no second ciphertext in memory before it is put together. */
const PIECE = 256 * 1024;
const none = new Uint8Array();

/**
 * AES-256-GCM (NIST SP 800-38D) with a 16-byte IV. One key and IV are never used for two plaintexts: whoever calls this makes the IV
 * fresh at random, or derives it together with a fresh key.
 *
 * @param header what stands before it in the same memory, not authenticated by itself
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
  // Makes the tag; GCM has nothing left to give out then.
  cipher.final();
  sealed.set(cipher.getAuthTag(), header.length);
  return sealed;
}

/**
 * @param sealed what `gcmEncrypt` returned
 * @throws CryptoError when it is too short, or anything differs from what was encrypted
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
    // Checks the tag; GCM has nothing left to give out then.
    decipher.final();
    // The memory is the plaintext's alone: no second copy stays behind where the caller wipes the first.
    return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  } catch (cause) {
    throw new CryptoError('ciphertext is damaged, or the key or context is another one', { cause });
  }
}
