import { HDKey } from '@scure/bip32';
import { validateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { fromHexText, utf8Of, type Octets } from './octets.ts';

/** The path of a member's key, as src/crypto/identity.ts has it. */
const PATH = "m/44'/60'/0'/0/0";

/**
 * The private key that a person entered, as 64 hexadecimal digits or as a recovery phrase of 12 to 24 words. It never leaves the page.
 * @returns undefined if it is neither
 */
export async function readRecipientKey(text: string): Promise<Octets | undefined> {
  const digits = text.trim().replace(/^0x/i, '');
  if (digits.length === 64) return fromHexText(digits);
  const phrase = text.normalize('NFKD').toLowerCase().trim().split(/\s+/u).join(' ');
  if (!validateMnemonic(phrase, wordlist)) return undefined;
  const words = await crypto.subtle.importKey('raw', utf8Of(phrase), 'PBKDF2', false, ['deriveBits']);
  const derivation = { name: 'PBKDF2', hash: 'SHA-512', salt: utf8Of('mnemonic'), iterations: 2048 };
  const seed = new Uint8Array(await crypto.subtle.deriveBits(derivation, words, 512));
  const key = HDKey.fromMasterSeed(seed).derive(PATH).privateKey;
  seed.fill(0);
  return key === null ? undefined : Uint8Array.from(key);
}
