import { createECDH, type ECDH } from 'node:crypto';
import { mapHashToField } from '@noble/curves/abstract/modular.js';
import { assertLength, plain, systemRandom, type Random } from './bytes.ts';
import { CryptoError } from './crypto-error.ts';
import { deriveKey } from './hkdf.ts';
import { assertPublicKeyForm } from './public-key.ts';
import { CURVE_NAME, CURVE_ORDER } from './secp256k1.ts';

export interface KeyPair {
  /** 32 bytes, big-endian, at least 1 and below the order of the curve. */
  readonly privateKey: Uint8Array;
  /** 33 bytes, compressed. */
  readonly publicKey: Uint8Array;
}

/** 32 bytes plus 16, so that the remainder modulo the curve's order has a bias of less than 2^-128 (FIPS 186-5, A.2.1). */
const SCALAR_SEED_LENGTH = 48;

/**
 * @param privateKey 32 bytes
 * @throws CryptoError when it isn't a scalar of the curve
 */
export function keyPairOf(privateKey: Uint8Array): KeyPair {
  return { privateKey: plain(privateKey), publicKey: plain(open(privateKey).getPublicKey(null, 'compressed')) };
}

/**
 * Derives a key pair, such as a node's identity from the node secret. The same secret and purpose always give the same key pair.
 *
 * @param secret at least 16 bytes that nobody can guess
 * @throws CryptoError
 */
export function keyPairFromSecret(secret: Uint8Array, info: string): KeyPair {
  return keyPairOf(mapHashToField(deriveKey(secret, info, SCALAR_SEED_LENGTH), CURVE_ORDER));
}

export function generateKeyPair(random: Random = systemRandom): KeyPair {
  return keyPairOf(randomScalar(random));
}

/** One side of an ECDH exchange; it can agree with any number of other keys. */
export interface KeyAgreement {
  /** 33 bytes, compressed. */
  readonly publicKey: Uint8Array;
  /**
   * ECDH (SEC 1, 3.3.1): the x-coordinate of the shared point, 32 bytes. It is not uniform: derive keys from it, never use it as a key.
   *
   * @param publicKey the other side's, 33 or 65 bytes
   * @throws CryptoError also for a point that isn't on the curve, and for infinity
   */
  readonly agree: (publicKey: Uint8Array) => Uint8Array;
}

/**
 * Uses OpenSSL, which is twice as fast as noble here and multiplies in constant time. It costs one multiplication, and one more for each
 * agreement.
 *
 * @param privateKey 32 bytes
 * @throws CryptoError when it isn't a scalar of the curve
 */
export function keyAgreement(privateKey: Uint8Array): KeyAgreement {
  const ecdh = open(privateKey);
  return {
    publicKey: plain(ecdh.getPublicKey(null, 'compressed')),
    agree(publicKey) {
      assertPublicKeyForm(publicKey);
      try {
        return plain(ecdh.computeSecret(publicKey));
      } catch (cause) {
        throw new CryptoError('public key is not a point of the curve', { cause });
      }
    },
  };
}

/** A key agreement with a fresh random private key, which never leaves this object. */
export function ephemeralAgreement(random: Random = systemRandom): KeyAgreement {
  return keyAgreement(randomScalar(random));
}

function randomScalar(random: Random): Uint8Array {
  const seed = random(SCALAR_SEED_LENGTH);
  assertLength('random bytes', seed, SCALAR_SEED_LENGTH);
  return mapHashToField(seed, CURVE_ORDER);
}

function open(privateKey: Uint8Array): ECDH {
  assertLength('private key', privateKey, 32);
  try {
    const ecdh = createECDH(CURVE_NAME);
    ecdh.setPrivateKey(privateKey);
    return ecdh;
  } catch (cause) {
    throw new CryptoError('private key is out of range', { cause });
  }
}
