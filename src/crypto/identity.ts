import { HDKey } from '@scure/bip32';
import { assertInteger, assertLengthBetween, plain } from './bytes.ts';
import { CryptoError } from './crypto-error.ts';
import { keyPairOf, type KeyPair } from './key-pair.ts';

/** The derivation path of a member's identity key. The member id is made from its public key. */
export const identityPath = "m/44'/60'/0'/0/0";

/** The derivation path of the key that signs commits and tags. */
export const signingPath = "m/44'/60'/0'/2/0";

/** The derivation path of the key of the member's device number `index`, counted from 0. */
export function devicePath(index: number): string {
  assertInteger('device index', index, 0, 0x7fffffff);
  return `m/44'/60'/0'/1/${index}`;
}

export function deriveIdentity(seed: Uint8Array): KeyPair {
  return deriveKeyPair(seed, identityPath);
}

export function deriveSigningKey(seed: Uint8Array): KeyPair {
  return deriveKeyPair(seed, signingPath);
}

export function deriveDeviceKey(seed: Uint8Array, index: number): KeyPair {
  return deriveKeyPair(seed, devicePath(index));
}

/**
 * Derives a key with BIP32. It takes a few milliseconds, nearly all for five multiplications on the curve.
 *
 * @param seed 16 to 64 bytes (64 from a mnemonic)
 * @param path as in BIP32, `m/44'/60'/0'/0/0`
 * @throws CryptoError
 */
export function deriveKeyPair(seed: Uint8Array, path: string): KeyPair {
  assertLengthBetween('seed', seed, 16, 64);
  const privateKey = derive(seed, path);
  if (privateKey === null) throw new CryptoError('derivation gave no private key');
  return keyPairOf(privateKey);
}

function derive(seed: Uint8Array, path: string): Uint8Array | null {
  try {
    return HDKey.fromMasterSeed(plain(seed)).derive(path).privateKey;
  } catch (cause) {
    throw new CryptoError('derivation path or seed is not valid', { cause });
  }
}
