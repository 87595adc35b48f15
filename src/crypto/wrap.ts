import { gcmDecrypt, gcmEncrypt, IV_LENGTH, KEY_LENGTH, TAG_LENGTH } from './aes-gcm.ts';
import { assertInteger, assertLength, concat, readUint32, systemRandom, uint32, type Random } from './bytes.ts';
import { wrapIterations } from './cost-limits.ts';
import { CryptoError } from './crypto-error.ts';
import { pbkdf2 } from './pbkdf2.ts';

const VERSION = 0x01;
const SALT_LENGTH = 32;
/** version, iterations, salt, IV */
const HEADER_LENGTH = 1 + 4 + SALT_LENGTH + IV_LENGTH;
const WRAPPED_LENGTH = HEADER_LENGTH + TAG_LENGTH + 32;

/**
 * Wraps a member's private key: `0x01 | iterations 4 | salt 32 | IV 16 | tag 16 | ciphertext 32`. The cipher is AES-256-GCM; its key is
 * PBKDF2-HMAC-SHA256 of the stretched password. The header is authenticated. It runs on the thread pool (20 ms per 100,000 iterations).
 *
 * @param privateKey 32 bytes
 * @param wrapInput 32 bytes, from `stretchPassword`
 * @param context owner of the key; it is authenticated but not stored, and unwrapping needs the same
 * @param iterations 100,000 to 2,000,000
 * @throws CryptoError
 */
export async function wrapPrivateKey(
  privateKey: Uint8Array,
  wrapInput: Uint8Array,
  context: Uint8Array,
  iterations: number = wrapIterations.min,
  random: Random = systemRandom,
): Promise<Uint8Array> {
  assertLength('private key', privateKey, 32);
  assertLength('context', context);
  assertIterations(iterations);
  const salt = random(SALT_LENGTH);
  const iv = random(IV_LENGTH);
  const header = concat(Uint8Array.of(VERSION), uint32(iterations), salt, iv);
  assertLength('wrap header', header, HEADER_LENGTH);
  const key = await masterKey(wrapInput, salt, iterations);
  return concat(header, gcmEncrypt(key, iv, privateKey, concat(header, context)));
}

/**
 * @returns the private key, 32 bytes
 * @throws CryptoError when it is malformed, damaged, or wrapped with another password or context
 */
export async function unwrapPrivateKey(
  wrapped: Uint8Array,
  wrapInput: Uint8Array,
  context: Uint8Array,
): Promise<Uint8Array> {
  assertLength('context', context);
  const iterations = wrappedIterations(wrapped);
  const header = wrapped.subarray(0, HEADER_LENGTH);
  const salt = header.subarray(5, 5 + SALT_LENGTH);
  const key = await masterKey(wrapInput, salt, iterations);
  return gcmDecrypt(key, header.subarray(5 + SALT_LENGTH), wrapped.subarray(HEADER_LENGTH), concat(header, context));
}

/**
 * The number of iterations that a key was wrapped with. The next sign-in can raise it.
 *
 * @throws CryptoError when it is malformed
 */
export function wrappedIterations(wrapped: Uint8Array): number {
  assertLength('wrapped key', wrapped, WRAPPED_LENGTH);
  if (wrapped[0] !== VERSION) throw new CryptoError('wrapped key has an unknown version');
  const iterations = readUint32(wrapped, 1);
  assertIterations(iterations);
  return iterations;
}

/** @throws CryptoError when the number of iterations is out of range */
export function assertIterations(iterations: number): void {
  assertInteger('PBKDF2 iterations', iterations, wrapIterations.min, wrapIterations.max);
}

async function masterKey(wrapInput: Uint8Array, salt: Uint8Array, iterations: number): Promise<Uint8Array> {
  assertLength('wrap input', wrapInput, 32);
  return await pbkdf2('sha256', wrapInput, salt, iterations, KEY_LENGTH);
}
