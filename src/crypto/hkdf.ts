import { hkdfSync } from 'node:crypto';
import { assertInteger, assertLength, assertLengthBetween, utf8 } from './bytes.ts';

const NO_SALT = new Uint8Array();

/**
 * HKDF-SHA256 (RFC 5869). Different values of `info` give independent keys for different purposes from one secret.
 *
 * @param secret at least 16 bytes that nobody can guess; never a password
 * @param info what the key is for (as UTF-8 when it is text), at most 1024 bytes
 * @param length bytes wanted, 1 to 8160
 * @param salt an empty salt means the zero salt of the RFC
 * @throws CryptoError
 */
export function deriveKey(
  secret: Uint8Array,
  info: string | Uint8Array,
  length = 32,
  salt: Uint8Array = NO_SALT,
): Uint8Array {
  const purpose = typeof info === 'string' ? utf8(info) : info;
  assertLengthBetween('secret', secret, 16, 1024);
  assertLengthBetween('info', purpose, 0, 1024);
  assertLength('salt', salt);
  assertInteger('key length', length, 1, 255 * 32);
  return new Uint8Array(hkdfSync('sha256', secret, salt, purpose, length));
}
