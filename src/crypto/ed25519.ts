import { createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { assertLength, concat, plain } from './bytes.ts';

export interface Ed25519KeyPair {
  /** the seed of RFC 8032, 32 bytes */
  readonly privateKey: Uint8Array;
  /** 32 bytes */
  readonly publicKey: Uint8Array;
}

// The DER bytes before the 32 bytes of a key (RFC 8410). These keys have no other form.
const pkcs8Prefix = Uint8Array.from(Buffer.from('302e020100300506032b657004220420', 'hex'));
const spkiPrefix = Uint8Array.from(Buffer.from('302a300506032b6570032100', 'hex'));

/**
 * @param seed 32 bytes that nobody can guess
 * @throws CryptoError
 */
export function ed25519KeyPair(seed: Uint8Array): Ed25519KeyPair {
  const spki = createPublicKey(privateKeyOf(seed)).export({ format: 'der', type: 'spki' });
  return { privateKey: plain(seed), publicKey: plain(spki.subarray(spkiPrefix.length)) };
}

/**
 * Signs with Ed25519 (RFC 8032): 64 bytes. The same key and data always give the same signature.
 *
 * @param privateKey 32 bytes
 * @throws CryptoError
 */
export function signEd25519(privateKey: Uint8Array, data: Uint8Array): Uint8Array {
  return plain(sign(null, data, privateKeyOf(privateKey)));
}

/** Whether the signature is valid. Malformed input gives false; it never throws. */
export function verifyEd25519(publicKey: Uint8Array, data: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.length !== 32 || signature.length !== 64) return false;
  try {
    const key = createPublicKey({ key: Buffer.from(concat(spkiPrefix, publicKey)), format: 'der', type: 'spki' });
    return verify(null, data, key, signature);
  } catch {
    return false;
  }
}

function privateKeyOf(seed: Uint8Array): KeyObject {
  assertLength('Ed25519 seed', seed, 32);
  return createPrivateKey({ key: Buffer.from(concat(pkcs8Prefix, seed)), format: 'der', type: 'pkcs8' });
}
