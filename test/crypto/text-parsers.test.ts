import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backupCodeTag } from '../../src/crypto/backup-code.ts';
import { fromBase32 } from '../../src/crypto/base32.ts';
import { fromHex, toHex } from '../../src/crypto/bytes.ts';
import { mnemonicTag, normalizeMnemonic } from '../../src/crypto/mnemonic.ts';
import { parseTotpSecret } from '../../src/crypto/totp.ts';
import { parseVerifierKey, writeVerifierKey } from '../../src/crypto/verifier-key.ts';
import { damagedText, resultOrCryptoError } from './damage.ts';
import { runs } from '../support/stage.ts';

const phrase = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
const verifierKey = writeVerifierKey('conclave/node', 1, new Uint8Array(32).fill(7));
const hasTwelveWords = (text: string): boolean => text.trim().split(/\s+/u).length === 12;
const key = new Uint8Array(32).fill(1);

/** What reads text, with a text that it takes; and which other texts may be one as well. */
const parsers: readonly [
  name: string,
  text: string,
  parse: (text: string) => unknown,
  mayBeOne: (text: string) => boolean,
][] = [
  ['hex of 32 bytes', 'ab'.repeat(32), (text) => fromHex(text, 32), (text) => /^[\da-f]{64}$/i.test(text)],
  ['base 32', 'GEZDGNBVGY3TQOJQ', fromBase32, () => true],
  ['a TOTP secret', 'otpauth://totp/x?secret=GEZDGNBVGY3TQOJQ&digits=8&period=60', parseTotpSecret, () => true],
  ['a recovery phrase', phrase, normalizeMnemonic, hasTwelveWords],
  ['a phrase to tag', phrase, (text) => mnemonicTag(key, text), hasTwelveWords],
  ['a backup code', '3CQ8E-FKXZA-5Q9PB-XBXK1', (text) => backupCodeTag(key, 'ab'.repeat(12), text), () => true],
];

describe.each(parsers)('what reads %s', (_, text, parse, mayBeOne) => {
  it('takes it', () => {
    expect(parse(text)).toBeDefined();
  });

  it('refuses it with CryptoError alone when it is cut off, changed, too long, empty or something else', () => {
    fc.assert(
      fc.property(damagedText(text), (damaged) => {
        const result = resultOrCryptoError(() => parse(damaged));
        if (!mayBeOne(damaged)) expect(result).toBeUndefined();
      }),
      { numRuns: runs(150) },
    );
    expect(resultOrCryptoError(() => parse(''))).toBeUndefined();
  });
});

describe('what reads a verifier key', () => {
  it('answers nothing to any other text, and never throws', () => {
    expect(toHex(parseVerifierKey(verifierKey)!.key)).toBe('07'.repeat(32));
    fc.assert(
      fc.property(damagedText(verifierKey), (damaged) => {
        expect(parseVerifierKey(damaged)).toBeUndefined();
      }),
      { numRuns: runs(300) },
    );
  });
});
