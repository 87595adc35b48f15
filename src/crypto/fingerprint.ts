import { wordlist } from '@scure/bip39/wordlists/english.js';
import { CryptoError } from './crypto-error.ts';
import { toHex } from './bytes.ts';
import { sha256 } from './hash.ts';
import { uncompressPublicKey } from './public-key.ts';

/** A hash in two forms, words and hex, so that two people can compare it aloud. */
export interface Fingerprint {
  /** 64 digits; the fingerprint of a node's key begins with the node's id */
  readonly hex: string;
  /** the first 110 bits as words of BIP39's English list, without a checksum */
  readonly words: string[];
}

/** A recovery phrase never has this number of words, so nobody confuses a fingerprint with a phrase. */
const WORDS = 10;
const BITS = 11;

/** @param hash 32 bytes */
export function fingerprintOfHash(hash: Uint8Array): Fingerprint {
  if (hash.length !== 32) throw new CryptoError('a fingerprint is of 32 bytes');
  const bits = Array.from(hash, (byte) => byte.toString(2).padStart(8, '0')).join('');
  const words = Array.from(
    { length: WORDS },
    (_, at) => wordlist[Number.parseInt(bits.slice(at * BITS, (at + 1) * BITS), 2)] ?? '',
  );
  return { hex: toHex(hash), words };
}

/**
 * The fingerprint of a public key: of SHA-256 over the uncompressed key, like node ids.
 * @param publicKey 33 or 65 bytes
 * @throws CryptoError
 */
export function fingerprintOfKey(publicKey: Uint8Array): Fingerprint {
  return fingerprintOfHash(sha256(uncompressPublicKey(publicKey)));
}
