import { createPublicKey, verify as verifyWithOpenSsl } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { assertLength, concat, fromHex, plain, toHex } from './bytes.ts';
import { CryptoError } from './crypto-error.ts';
import { sha256 } from './hash.ts';
import { memberIdOf, uncompressPublicKey } from './public-key.ts';
import { CURVE_ORDER } from './secp256k1.ts';

/** r and s, 32 bytes each, big-endian. */
export const SIGNATURE_LENGTH = 64;

/** The bytes of SubjectPublicKeyInfo (RFC 5480) before the 65 bytes of an uncompressed secp256k1 key. */
const SPKI_PREFIX = fromHex('3056301006072a8648ce3d020106052b8104000a034200');

/**
 * Signs with ECDSA over SHA-256 of the data: deterministic (RFC 6979), low-S, r‖s, 64 bytes.
 *
 * @param privateKey 32 bytes
 * @throws CryptoError
 */
export function sign(privateKey: Uint8Array, data: Uint8Array): Uint8Array {
  assertLength('private key', privateKey, 32);
  assertLength('data', data);
  try {
    // OpenSSL can't be used here: it signs with a random nonce and doesn't keep S low.
    return plain(secp256k1.sign(sha256(data), plain(privateKey), { prehash: false, lowS: true, format: 'compact' }));
  } catch (cause) {
    throw new CryptoError('private key is out of range', { cause });
  }
}

/**
 * Whether the signature is valid. Malformed, out-of-range and high-S signatures give false; it never throws.
 *
 * @param publicKey 33 or 65 bytes
 */
export function verify(publicKey: Uint8Array, data: Uint8Array, signature: Uint8Array): boolean {
  try {
    return isLowS(signature) && verifierOf(publicKey)(data, signature);
  } catch {
    return false;
  }
}

/**
 * `verify` for many signatures of one key. It costs half as much, because the key is parsed only once.
 *
 * @param publicKey 33 or 65 bytes
 * @throws CryptoError when the key isn't a point of the curve; the returned function never throws
 */
export function verifierOf(publicKey: Uint8Array): (data: Uint8Array, signature: Uint8Array) => boolean {
  // OpenSSL verifies four times as fast as noble here. The uncompressed form saves it a square root.
  const key = createPublicKey({
    key: Buffer.from(concat(SPKI_PREFIX, uncompressPublicKey(publicKey))),
    format: 'der',
    type: 'spki',
  });
  return (data, signature) => {
    try {
      return isLowS(signature) && verifyWithOpenSsl('sha256', data, { key, dsaEncoding: 'ieee-p1363' }, signature);
    } catch {
      return false;
    }
  };
}

/**
 * The public keys (33 bytes each) for which the signature is valid: nearly always two, at most four. There are several because the
 * 64 bytes don't say which point had r as its x-coordinate.
 *
 * @throws CryptoError when the signature is malformed, high-S, or belongs to no key
 */
export function recoverPublicKeys(signature: Uint8Array, data: Uint8Array): Uint8Array[] {
  if (!isLowS(signature)) throw new CryptoError('signature is not valid');
  const digest = sha256(data);
  const keys: Uint8Array[] = [];
  for (const recovery of [0, 1, 2, 3]) {
    try {
      const candidate = secp256k1.Signature.fromBytes(plain(signature), 'compact').addRecoveryBit(recovery);
      keys.push(plain(candidate.recoverPublicKey(digest).toBytes(true)));
    } catch {
      // No point of the curve has this x-coordinate, so this candidate doesn't exist.
    }
  }
  if (keys.length === 0) throw new CryptoError('signature is not valid');
  return keys;
}

/**
 * The public key (33 bytes) of the member, if the member made the signature; otherwise undefined.
 *
 * @param memberId 24 hexadecimal digits
 * @throws CryptoError when the signature is malformed
 */
export function recoverMemberKey(signature: Uint8Array, data: Uint8Array, memberId: string): Uint8Array | undefined {
  return recoverPublicKeys(signature, data).find((key) => memberIdOf(key) === memberId);
}

/** Whether these are 64 bytes with 0 < r < n and 0 < s ≤ n/2. */
function isLowS(signature: Uint8Array): boolean {
  if (!(signature instanceof Uint8Array) || signature.length !== SIGNATURE_LENGTH) return false;
  const r = BigInt(`0x${toHex(signature.subarray(0, 32))}`);
  const s = BigInt(`0x${toHex(signature.subarray(32))}`);
  return r > 0n && r < CURVE_ORDER && s > 0n && s <= CURVE_ORDER >> 1n;
}
