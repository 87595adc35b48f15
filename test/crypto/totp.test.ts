import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromBase32 } from '../../src/crypto/base32.ts';
import { utf8 } from '../../src/crypto/bytes.ts';
import { CryptoError } from '../../src/crypto/crypto-error.ts';
import { checkTotp, hotp, parseTotpSecret, totp, type TotpAlgorithm } from '../../src/crypto/totp.ts';

const secret20 = utf8('12345678901234567890');
const secrets: Readonly<Record<TotpAlgorithm, Uint8Array>> = {
  sha1: secret20,
  sha256: utf8('12345678901234567890123456789012'),
  sha512: utf8('1234567890123456789012345678901234567890123456789012345678901234'),
};

describe('HOTP', () => {
  it('gives the codes of RFC 4226, appendix D', () => {
    const codes = Array.from({ length: 10 }, (_, counter) => hotp(secret20, counter));
    expect(codes).toEqual('755224 287082 359152 969429 338314 254676 287922 162583 399871 520489'.split(' '));
  });
});

describe('TOTP', () => {
  it.each<[number, TotpAlgorithm, string]>([
    [59, 'sha1', '94287082'],
    [59, 'sha256', '46119246'],
    [59, 'sha512', '90693936'],
    [1111111109, 'sha1', '07081804'],
    [1111111109, 'sha256', '68084774'],
    [1111111109, 'sha512', '25091201'],
    [1111111111, 'sha1', '14050471'],
    [1111111111, 'sha256', '67062674'],
    [1111111111, 'sha512', '99943326'],
    [1234567890, 'sha1', '89005924'],
    [1234567890, 'sha256', '91819424'],
    [1234567890, 'sha512', '93441116'],
    [2000000000, 'sha1', '69279037'],
    [2000000000, 'sha256', '90698825'],
    [2000000000, 'sha512', '38618901'],
    [20000000000, 'sha1', '65353130'],
    [20000000000, 'sha256', '77737706'],
    [20000000000, 'sha512', '47863826'],
  ])('at %d s with %s is the one of RFC 6238, appendix B', (seconds, algorithm, code) => {
    expect(totp({ key: secrets[algorithm], algorithm, digits: 8, period: 30 }, seconds * 1000).code).toBe(code);
  });

  it('says how long the period lasts', () => {
    const secret = parseTotpSecret('GEZDGNBVGY3TQOJQ');
    expect([0, 1_000, 29_999, 30_000].map((at) => totp(secret, at).remainingSeconds)).toEqual([30, 29, 1, 30]);
  });

  it('is checked within its window alone', () => {
    const secret = { key: secret20, algorithm: 'sha1' as const, digits: 6, period: 30 };
    const at = 1_000_000_000_000;
    const { code } = totp(secret, at);
    const checked = [-2, -1, 0, 1, 2].map((steps) => checkTotp(secret, code, at + steps * 30_000, 1));
    expect(checked).toEqual([false, true, true, true, false]);
    expect(checkTotp(secret, code, at + 30_000, 0)).toBe(false);
    expect(checkTotp(secret, code.slice(1), at, 1)).toBe(false);
    expect(checkTotp(secret, hotp(secret20, 0), 0, 1)).toBe(true);
  });
});

describe('Steam', () => {
  // The key, times and codes of KeePassXC's tests/TestTotp.cpp, which took them from the Steam app.
  const key = '63BEDWCQZKTQWPESARIERL5DTTQFCJTK';

  it.each([
    `steam://${key}`,
    ` STEAM://${key.toLowerCase()}\n`,
    `otpauth://totp/test:test@example.com?secret=${key}&issuer=Valve&algorithm=SHA1&digits=5&period=30&encoder=steam`,
    `otpauth://totp/Steam:test?secret=${key}&issuer=Steam`,
    `otpauth://totp/test?secret=${key}&issuer=steam&algorithm=SHA256&digits=8&period=60`,
  ])('gives the codes of its app for %j', (text) => {
    const secret = parseTotpSecret(text);
    expect(totp(secret, 1_511_200_518_000)).toEqual({ code: 'FR8RV', remainingSeconds: 12 });
    expect(totp(secret, 1_511_200_714_000).code).toBe('9P3VP');
  });

  it('gives the code of generate_totp in Bitwarden’s SDK', () => {
    const secret = parseTotpSecret('StEam://HXDMVJECJJWSRB3HWIZR4IFUGFTMXBOZ');
    expect(totp(secret, Date.parse('2023-01-01T00:00:00.000Z')).code).toBe('7W6CJ');
  });

  it('codes are checked in upper and lower case, within their window', () => {
    const secret = parseTotpSecret(`steam://${key}`);
    expect(checkTotp(secret, 'fr8rv', 1_511_200_518_000, 0)).toBe(true);
    expect(checkTotp(secret, 'FR8RV', 1_511_200_548_000, 0)).toBe(false);
    expect(checkTotp(secret, 'FR8RV', 1_511_200_548_000, 1)).toBe(true);
  });

  it('is no name for a secret of digits', () => {
    const uri = `otpauth://totp/Steam:test?secret=${key}&issuer=Steamship`;
    expect(totp(parseTotpSecret(uri), 1_511_200_518_000).code).toMatch(/^\d{6}$/);
    expect(() => parseTotpSecret('steam://rungameid/440')).toThrow(/^is not base 32$/);
  });
});

describe('a secret', () => {
  it('may have spaces, dashes, lower case and padding', () => {
    for (const text of ['gezd gnbv gy3t qojq', 'GEZD-GNBV-GY3T-QOJQ', 'GEZDGNBVGY3TQOJQ====', ' gezdGNBVgy3tqojq\n'])
      expect(parseTotpSecret(text).key).toEqual(utf8('1234567890'));
  });

  it('may be an otpauth URI', () => {
    const uri = 'otpauth://totp/Home:alice?secret=GEZDGNBVGY3TQOJQ&algorithm=SHA256&digits=8&period=60&issuer=Home';
    expect(parseTotpSecret(uri)).toEqual({ key: utf8('1234567890'), algorithm: 'sha256', digits: 8, period: 60 });
    expect(parseTotpSecret('OTPAUTH://TOTP/x?secret=gezdgnbvgy3tqojq')).toMatchObject({ digits: 6, period: 30 });
  });

  it.each([
    ['period=0', { period: 1 }],
    ['period=100000', { period: 300 }],
    ['digits=4', { digits: 6 }],
    ['digits=12', { digits: 8 }],
    ['period=abc&digits=x', { period: 30, digits: 6 }],
  ])('is kept within bounds: %s', (query, expected) => {
    expect(parseTotpSecret(`otpauth://totp/x?secret=GEZDGNBV&${query}`)).toMatchObject(expected);
  });

  it.each([
    '',
    '   ',
    '=',
    'GEZDGNB1',
    'A',
    'ÄÖÜ',
    'otpauth://hotp/x?secret=GEZDGNBV',
    'otpauth://totp/x',
    'otpauth:nonsense',
  ])('is refused as %j', (text) => {
    expect(() => parseTotpSecret(text)).toThrow(CryptoError);
  });

  it('is not in the message when it is refused', () => {
    expect(() => parseTotpSecret('otpauth://totp/x?secret=CANARY1CANARY')).toThrow(/^is not base 32$/);
    expect(() => parseTotpSecret('otpauth://totp/x?secret=GEZDGNBV&algorithm=CANARY')).toThrow(
      /^has an algorithm other/,
    );
  });
});

describe('base 32', () => {
  it.each([
    ['MY======', 'f'],
    ['MZXQ====', 'fo'],
    ['MZXW6===', 'foo'],
    ['MZXW6YQ=', 'foob'],
    ['MZXW6YTB', 'fooba'],
    ['MZXW6YTBOI======', 'foobar'],
  ])('reads %s of RFC 4648', (text, bytes) => {
    expect(fromBase32(text)).toEqual(utf8(bytes));
  });

  it('reads all bytes', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 80 }), (bytes) => {
        const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
        const text = (bits.match(/.{1,5}/g) ?? [])
          .map((five) => alphabet[Number.parseInt(five.padEnd(5, '0'), 2)])
          .join('');
        expect(fromBase32(text)).toEqual(new Uint8Array(bytes));
      }),
    );
  });
});
