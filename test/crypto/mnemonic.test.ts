import fc from 'fast-check';
import { mnemonicToEntropy } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../src/crypto/bytes.ts';
import {
  generateMnemonic,
  isMnemonic,
  mnemonicTag,
  mnemonicToSeed,
  normalizeMnemonic,
  type WordCount,
} from '../../src/crypto/mnemonic.ts';
import bip39 from '../vectors/bip39-english.json' with { type: 'json' };
import { expectCryptoError, expectCryptoRejection } from './damage.ts';
import { runs } from '../support/stage.ts';

const vectors = bip39.vectors as [string, string, string][];
const about = `${'abandon '.repeat(11)}about`;

describe('BIP39 (Trezor, English)', () => {
  it('has all 24 vectors', () => {
    expect(vectors).toHaveLength(24);
  });

  it.each(vectors)('%s', async (entropy, phrase, seed) => {
    const words = phrase.split(' ').length as WordCount;
    expect(generateMnemonic(words, () => fromHex(entropy))).toBe(phrase);
    expect(normalizeMnemonic(phrase)).toBe(phrase);
    expect(toHex(await mnemonicToSeed(phrase, bip39.passphrase))).toBe(seed);
  });
});

describe('mnemonics', () => {
  it.each([
    [12, 16],
    [15, 20],
    [18, 24],
    [21, 28],
    [24, 32],
  ] as const)('generates %i words of %i random bytes', (words, bytes) => {
    const phrase = generateMnemonic(words);
    expect(phrase.split(' ')).toHaveLength(words);
    expect(mnemonicToEntropy(phrase, wordlist)).toHaveLength(bytes);
    expect(isMnemonic(phrase)).toBe(true);
    expect(generateMnemonic(words)).not.toBe(phrase);
  });

  it('generates 24 words unless told otherwise, and only what BIP39 knows', () => {
    expect(generateMnemonic().split(' ')).toHaveLength(24);
    expectCryptoError(() => generateMnemonic(13 as WordCount));
    expectCryptoError(() => generateMnemonic(12, () => new Uint8Array(15)));
  });

  it('reads what people type', async () => {
    const typed = `  ${about.toUpperCase().replaceAll(' ', ' \u3000\n\t')}\n`;
    expect(normalizeMnemonic(typed)).toBe(about);
    // Full-width letters are the same words under NFKD.
    expect(normalizeMnemonic(about.replace('about', 'ａｂｏｕｔ'))).toBe(about);
    expect(await mnemonicToSeed(typed)).toEqual(await mnemonicToSeed(about));
    const key = new Uint8Array(32).fill(1);
    expect(mnemonicTag(key, typed)).toBe(mnemonicTag(key, about));
  });

  it.each([
    '',
    ' ',
    'abandon',
    about.replace('about', 'abandon'),
    `${about} about`,
    about.slice(0, -1),
    '\ud800',
    'a '.repeat(600),
  ])('refuses %.30j', async (text) => {
    expectCryptoError(() => normalizeMnemonic(text));
    expectCryptoError(() => mnemonicTag(new Uint8Array(32), text));
    await expectCryptoRejection(mnemonicToSeed(text));
    expect(isMnemonic(text)).toBe(false);
  });

  it('refuses whatever is no phrase', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.array(fc.constantFrom(...wordlist), { maxLength: 11 })),
        (input) => {
          expectCryptoError(() => normalizeMnemonic(typeof input === 'string' ? input : input.join(' ')));
        },
      ),
      { numRuns: runs(30) },
    );
  });

  it('notices most changed words by the checksum', () => {
    const words = (vectors[14] as [string, string, string])[1].split(' ');
    const passing = wordlist.slice(0, 200).filter((word) => isMnemonic(words.with(5, word).join(' ')));
    // 24 words carry 8 checksum bits: one changed phrase in 256 passes.
    expect(passing.length).toBeLessThan(8);
  });

  it("tags are keyed and don't show the phrase", () => {
    const tag = mnemonicTag(new Uint8Array(32).fill(1), about);
    expect(tag).toMatch(/^[0-9a-f]{64}$/);
    expect(tag).not.toBe(mnemonicTag(new Uint8Array(32).fill(2), about));
    expectCryptoError(() => mnemonicTag(new Uint8Array(8), about));
  });
});
