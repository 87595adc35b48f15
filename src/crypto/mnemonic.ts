import { entropyToMnemonic, validateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { assertLength, plain, systemRandom, toHex, utf8, type Random } from './bytes.ts';
import { CryptoError } from './crypto-error.ts';
import { hmacSha256 } from './hash.ts';
import { pbkdf2 } from './pbkdf2.ts';

export type WordCount = 12 | 15 | 18 | 21 | 24;

/** Bytes of entropy for each number of words (BIP39, "Generating the mnemonic"). */
const entropyLengths: ReadonlyMap<number, number> = new Map([
  [12, 16],
  [15, 20],
  [18, 24],
  [21, 28],
  [24, 32],
]);

/** The longest phrase is 24 words of 8 letters. This limit leaves room for extra spaces and bounds the work of normalising. */
const MAX_TEXT_LENGTH = 1024;

/** A new BIP39 phrase of English words. @throws CryptoError */
export function generateMnemonic(words: WordCount = 24, random: Random = systemRandom): string {
  const length = entropyLengths.get(words);
  if (length === undefined) throw new CryptoError('a mnemonic has 12, 15, 18, 21 or 24 words');
  const entropy = random(length);
  assertLength('entropy', entropy, length);
  return entropyToMnemonic(plain(entropy), wordlist);
}

/**
 * Normalises a phrase that a person typed: NFKD, lower case, single spaces.
 *
 * @throws CryptoError when the number of words, a word or the checksum is wrong; the error doesn't say which word
 */
export function normalizeMnemonic(text: string): string {
  if (typeof text !== 'string' || text.length > MAX_TEXT_LENGTH) throw new CryptoError('mnemonic is not valid');
  const phrase = text.normalize('NFKD').toLowerCase().trim().split(/\s+/u).join(' ');
  if (!validateMnemonic(phrase, wordlist)) throw new CryptoError('mnemonic is not valid');
  return phrase;
}

export function isMnemonic(text: string): boolean {
  try {
    normalizeMnemonic(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * The 64-byte BIP39 seed: PBKDF2-HMAC-SHA512, 2048 iterations, on the thread pool. Members' identities have an empty passphrase.
 *
 * @throws CryptoError when the phrase isn't valid
 */
export async function mnemonicToSeed(text: string, passphrase = ''): Promise<Uint8Array> {
  const phrase = normalizeMnemonic(text);
  const salt = utf8(`mnemonic${passphrase.normalize('NFKD')}`);
  return await pbkdf2('sha512', utf8(phrase), salt, 2048, 64);
}

/**
 * HMAC-SHA256 over the UTF-8 of the normalised phrase, 64 hexadecimal digits. It shows whether a phrase is in use, without storing it.
 *
 * @param key server-held, at least 16 bytes
 * @throws CryptoError when the phrase isn't valid
 */
export function mnemonicTag(key: Uint8Array, text: string): string {
  return toHex(hmacSha256(key, utf8(normalizeMnemonic(text))));
}
