import { createCipheriv, createDecipheriv } from 'node:crypto';
import { assertLength, concat } from './bytes.ts';
import { CryptoError } from './crypto-error.ts';

/** Lengths that the account document fixes for AES-256-GCM, in bytes. */
export const KEY_LENGTH = 32;
export const IV_LENGTH = 16;
export const TAG_LENGTH = 16;

const ALGORITHM = 'aes-256-gcm';
const options = { authTagLength: TAG_LENGTH };

/**
 * AES-256-GCM (NIST SP 800-38D) with a 16-byte IV. One key and IV are never used for two plaintexts: whoever calls this makes the IV
 * fresh at random, or derives it together with a fresh key.
 *
 * @returns tag (16 bytes), then ciphertext (as long as the plaintext)
 */
export function gcmEncrypt(key: Uint8Array, iv: Uint8Array, plaintext: Uint8Array, aad: Uint8Array): Uint8Array {
  assertLength('key', key, KEY_LENGTH);
  assertLength('IV', iv, IV_LENGTH);
  assertLength('plaintext', plaintext);
  assertLength('additional data', aad);
  const cipher = createCipheriv(ALGORITHM, key, iv, options);
  cipher.setAAD(aad);
  const body = cipher.update(plaintext);
  const rest = cipher.final();
  return concat(cipher.getAuthTag(), body, rest);
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
