import { gcmDecrypt, gcmEncrypt, IV_LENGTH, KEY_LENGTH, TAG_LENGTH } from './aes-gcm.ts';
import { assertLength, concat, systemRandom, type Random } from './bytes.ts';
import { CryptoError } from './crypto-error.ts';
import { deriveKey } from './hkdf.ts';

const WITH_KEY = 0x01;
const WITH_SECRET = 0x02;
const SALT_LENGTH = 32;
/** bytes */
const SMALL = 1024;

/**
 * Encrypts under a key with a random IV: `0x01 | IV 16 | tag 16 | ciphertext`. One key is good for up to 2^48 messages: after that, the
 * chance that two 128-bit IVs are equal is above 1 in 2^32.
 *
 * @param key 32 bytes
 * @param plaintext may be empty
 * @param aad kind and owner of the data; it is authenticated but not stored, and opening needs the same
 * @throws CryptoError
 */
export function sealWithKey(
  key: Uint8Array,
  plaintext: Uint8Array,
  aad: Uint8Array,
  random: Random = systemRandom,
): Uint8Array {
  const iv = random(IV_LENGTH);
  return gcmEncrypt(key, iv, plaintext, aad, concat(Uint8Array.of(WITH_KEY), iv));
}

/** @throws CryptoError when it is malformed, damaged, or sealed with another key or other additional data */
export function openWithKey(key: Uint8Array, sealed: Uint8Array, aad: Uint8Array): Uint8Array {
  assertForm(sealed, WITH_KEY, 1 + IV_LENGTH);
  assertLength('additional data', aad);
  const end = sealed.length;
  if (end + aad.length > SMALL)
    return gcmDecrypt(key, sealed.subarray(1, 1 + IV_LENGTH), sealed.subarray(1 + IV_LENGTH), aad);
  // The views are Buffers, because views on other small arrays are allocated each time. Neither part is secret.
  const bytes = Buffer.allocUnsafe(end + aad.length);
  bytes.set(sealed);
  bytes.set(aad, end);
  return gcmDecrypt(key, bytes.subarray(1, 1 + IV_LENGTH), bytes.subarray(1 + IV_LENGTH, end), bytes.subarray(end));
}

/**
 * Encrypts under a secret, such as the id of a session's token: `0x02 | salt 32 | tag 16 | ciphertext`. Key and IV are derived with
 * HKDF-SHA256 and a fresh salt.
 *
 * @param secret at least 16 bytes that nobody can guess
 * @param info purpose of the key, so that one secret can serve several purposes
 * @param plaintext may be empty
 * @param aad as for `sealWithKey`
 * @throws CryptoError
 */
export function sealWithSecret(
  secret: Uint8Array,
  info: string,
  plaintext: Uint8Array,
  aad: Uint8Array,
  random: Random = systemRandom,
): Uint8Array {
  const salt = random(SALT_LENGTH);
  assertLength('salt', salt, SALT_LENGTH);
  const { key, iv } = keyOf(secret, info, salt);
  return gcmEncrypt(key, iv, plaintext, aad, concat(Uint8Array.of(WITH_SECRET), salt));
}

/** @throws CryptoError when it is malformed, damaged, or sealed with another secret, info or additional data */
export function openWithSecret(secret: Uint8Array, info: string, sealed: Uint8Array, aad: Uint8Array): Uint8Array {
  assertForm(sealed, WITH_SECRET, 1 + SALT_LENGTH);
  const { key, iv } = keyOf(secret, info, sealed.subarray(1, 1 + SALT_LENGTH));
  return gcmDecrypt(key, iv, sealed.subarray(1 + SALT_LENGTH), aad);
}

function keyOf(secret: Uint8Array, info: string, salt: Uint8Array): { key: Uint8Array; iv: Uint8Array } {
  const derived = deriveKey(secret, info, KEY_LENGTH + IV_LENGTH, salt);
  return { key: derived.subarray(0, KEY_LENGTH), iv: derived.subarray(KEY_LENGTH) };
}

function assertForm(sealed: Uint8Array, form: number, headerLength: number): void {
  assertLength('sealed text', sealed);
  if (sealed.length < headerLength + TAG_LENGTH) throw new CryptoError('sealed text is too short');
  if (sealed[0] !== form) throw new CryptoError('sealed text is of another form');
}
