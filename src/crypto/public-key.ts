import { ECDH } from 'node:crypto';
import { assertLength, plain, toHex } from './bytes.ts';
import { CryptoError } from './crypto-error.ts';
import { sha256 } from './hash.ts';
import { CURVE_NAME } from './secp256k1.ts';

/**
 * The 33-byte form (SEC 1: 0x02 or 0x03, then x) of a secp256k1 public key.
 *
 * @param publicKey 33 or 65 bytes
 * @throws CryptoError for any other form, for a point that isn't on the curve, and for the point at infinity
 */
export function compressPublicKey(publicKey: Uint8Array): Uint8Array {
  return convert(publicKey, 'compressed');
}

/** The 65-byte form (0x04, x, y). Takes and throws the same as `compressPublicKey`. */
export function uncompressPublicKey(publicKey: Uint8Array): Uint8Array {
  return convert(publicKey, 'uncompressed');
}

/** A member's id: the first 12 bytes of SHA-256 over the compressed public key, 24 hexadecimal digits. Takes either form. */
export function memberIdOf(publicKey: Uint8Array): string {
  return toHex(sha256(compressPublicKey(publicKey)).subarray(0, 12));
}

/** A node's id: the first 20 bytes of SHA-256 over the uncompressed public key, 40 hexadecimal digits. Takes either form. */
export function nodeIdOf(publicKey: Uint8Array): string {
  return toHex(sha256(uncompressPublicKey(publicKey)).subarray(0, 20));
}

/**
 * Checks only the length and the prefix. The code that uses the key checks that the point is on the curve.
 *
 * @throws CryptoError
 */
export function assertPublicKeyForm(publicKey: Uint8Array): void {
  assertLength('public key', publicKey, 33, 65);
  const prefix = publicKey[0];
  // OpenSSL also accepts the hybrid forms 0x06 and 0x07. They are refused because one key would have several encodings.
  if (publicKey.length === 33 ? prefix !== 2 && prefix !== 3 : prefix !== 4) {
    throw new CryptoError('public key has an unknown form');
  }
}

function convert(publicKey: Uint8Array, format: 'compressed' | 'uncompressed'): Uint8Array {
  assertPublicKeyForm(publicKey);
  try {
    return plain(ECDH.convertKey(publicKey, CURVE_NAME, undefined, undefined, format) as Buffer);
  } catch (cause) {
    throw new CryptoError('public key is not a point of the curve', { cause });
  }
}
