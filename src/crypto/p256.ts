import { createECDH, createPrivateKey, sign, type ECDH, type KeyObject } from 'node:crypto';
import { mapHashToField } from '@noble/curves/abstract/modular.js';
import { assertLength, plain } from './bytes.ts';
import { CryptoError } from './crypto-error.ts';
import { deriveKey } from './hkdf.ts';

/**
 * The curve P-256, for the protocols that know no other one. Identities are on secp256k1. Points are uncompressed here: 65 bytes that
 * begin with 4.
 */
export interface P256KeyPair {
  /** 32 bytes, big-endian */
  readonly privateKey: Uint8Array;
  /** 65 bytes, uncompressed */
  readonly publicKey: Uint8Array;
}

/** FIPS 186-5, 3.1.2 of SP 800-186: the order of P-256 */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
/** 32 bytes plus 16, so that the remainder modulo the order has a bias of less than 2^-128 (FIPS 186-5, A.2.1) */
const SCALAR_SEED_LENGTH = 48;

/**
 * @param privateKey 32 bytes
 * @throws CryptoError when it isn't a scalar of the curve
 */
export function p256KeyPair(privateKey: Uint8Array): P256KeyPair {
  return { privateKey: plain(privateKey), publicKey: plain(open(privateKey).getPublicKey()) };
}

/**
 * Derives a key pair. The same secret and purpose always give the same one.
 *
 * @param secret at least 16 bytes that nobody can guess
 * @throws CryptoError
 */
export function p256FromSecret(secret: Uint8Array, info: string): P256KeyPair {
  return p256KeyPair(mapHashToField(deriveKey(secret, info, SCALAR_SEED_LENGTH), ORDER));
}

/** @param random returns so many random bytes */
export function generateP256(random: (size: number) => Uint8Array): P256KeyPair {
  const seed = random(SCALAR_SEED_LENGTH);
  assertLength('random bytes', seed, SCALAR_SEED_LENGTH);
  return p256KeyPair(mapHashToField(seed, ORDER));
}

/**
 * ECDH: the x-coordinate of the shared point, 32 bytes. It is not uniform: derive keys from it, never use it as a key.
 *
 * @param publicKey the other side's, 65 bytes
 * @throws CryptoError also for a point that isn't on the curve
 */
export function agreeP256(privateKey: Uint8Array, publicKey: Uint8Array): Uint8Array {
  assertLength('public key', publicKey, 65);
  if (publicKey[0] !== 4) throw new CryptoError('public key must be uncompressed');
  try {
    return plain(open(privateKey).computeSecret(publicKey));
  } catch (cause) {
    throw new CryptoError('public key is not a point of the curve', { cause });
  }
}

/** Whether 65 bytes are a point of the curve. */
export function isP256Point(publicKey: Uint8Array): boolean {
  try {
    agreeP256(
      Uint8Array.from({ length: 32 }, (_, at) => (at === 31 ? 1 : 0)),
      publicKey,
    );
    return true;
  } catch (error) {
    if (error instanceof CryptoError) return false;
    throw error;
  }
}

/** Signs with ES256 (RFC 7518, 3.4): 64 bytes, r and s. */
export function signEs256({ privateKey, publicKey }: P256KeyPair, data: Uint8Array): Uint8Array {
  return plain(sign('sha256', data, { key: keyObject(privateKey, publicKey), dsaEncoding: 'ieee-p1363' }));
}

function keyObject(privateKey: Uint8Array, publicKey: Uint8Array): KeyObject {
  assertLength('private key', privateKey, 32);
  assertLength('public key', publicKey, 65);
  const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
  const [x, y] = [publicKey.subarray(1, 33), publicKey.subarray(33)];
  return createPrivateKey({
    format: 'jwk',
    key: { kty: 'EC', crv: 'P-256', d: text(privateKey), x: text(x), y: text(y) },
  });
}

function open(privateKey: Uint8Array): ECDH {
  assertLength('private key', privateKey, 32);
  try {
    const ecdh = createECDH('prime256v1');
    ecdh.setPrivateKey(privateKey);
    return ecdh;
  } catch (cause) {
    throw new CryptoError('private key is out of range', { cause });
  }
}
