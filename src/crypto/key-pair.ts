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

/** 32 bytes and 16 more, so that the remainder by the curve's order is biased by less than 2^-128 (FIPS 186-5, A.2.1). */
const SCALAR_SEED_LENGTH = 48;

/**
 * @param privateKey 32 bytes
 * @throws CryptoError when it isn't a scalar of the curve
 */
export function keyPairOf(privateKey: Uint8Array): KeyPair {
  return { privateKey: plain(privateKey), publicKey: plain(open(privateKey).getPublicKey(null, 'compressed')) };
}

/**
 * The same key pair for the same secret and purpose, such as a node's identity from the node secret.
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

/** One side of an ECDH exchange, ready for any number of other sides. */
export interface KeyAgreement {
  /** 33 bytes, compressed. */
  readonly publicKey: Uint8Array;
  /**
   * ECDH (SEC 1, 3.3.1): the x-coordinate of the shared point, 32 bytes. Not uniform: derive keys from it, never use it as one.
   *
   * @param publicKey the other side's, 33 or 65 bytes
   * @throws CryptoError also for a point that isn't on the curve, and for infinity
   */
  readonly agree: (publicKey: Uint8Array) => Uint8Array;
}

/**
 * From OpenSSL, which is twice as fast here as noble and constant-time for this multiplication. Costs one multiplication, and one
 * for each agreement.
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

/** A key agreement with a fresh key that nobody else ever sees. */
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
