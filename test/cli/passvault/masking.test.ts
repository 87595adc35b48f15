import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concealed, createMasker, isMaskable } from '../../../src/cli/passvault/run/masking.ts';
import { runs } from '../../support/stage.ts';

function mask(secrets: readonly string[], chunks: readonly Uint8Array[]): string {
  const masker = createMasker(secrets);
  return Buffer.concat([...chunks.map((chunk) => masker.write(chunk)), masker.end()]).toString('latin1');
}

function cut(bytes: Buffer, at: readonly number[]): Buffer[] {
  const borders = [...new Set(at.map((one) => one % (bytes.length + 1)))].sort((one, other) => one - other);
  return [0, ...borders].map((from, index) => bytes.subarray(from, borders[index] ?? bytes.length));
}

/** The same by looking everywhere: every byte of every occurrence is secret, a run of them is one mark. */
function slowly(secrets: readonly string[], bytes: Buffer): string {
  const secret = Array.from(bytes, () => false);
  for (const needle of secrets.filter(isMaskable).map((one) => Buffer.from(one))) {
    for (let at = bytes.indexOf(needle); at >= 0; at = bytes.indexOf(needle, at + 1))
      secret.fill(true, at, at + needle.length);
  }
  return Array.from(bytes, (byte, at) =>
    !secret[at] ? String.fromCharCode(byte) : secret[at - 1] ? '' : concealed,
  ).join('');
}

/** Few letters, so that occurrences, beginnings and overlaps are everywhere. */
const few = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 4, maxLength: 8 });
const output = fc.array(fc.oneof(few, fc.string({ unit: fc.constantFrom('a', 'b', 'c', '\n'), maxLength: 6 })), {
  maxLength: 12,
});

describe('masking', () => {
  it('finds every occurrence wherever the output is cut', () => {
    fc.assert(
      fc.property(
        fc.array(few, { maxLength: 4 }),
        output,
        fc.array(fc.nat(100), { maxLength: 12 }),
        (secrets, texts, at) => {
          const bytes = Buffer.from([...texts, secrets[0] ?? '', ...texts].join(''));
          expect(mask(secrets, cut(bytes, at))).toBe(slowly(secrets, bytes));
        },
      ),
      { numRuns: runs(500) },
    );
  });

  it('finds secrets of any characters byte by byte', () => {
    const any = fc.string({ unit: 'grapheme', minLength: 4, maxLength: 12 });
    fc.assert(
      fc.property(any, any, any, (before, secret, after) => {
        fc.pre(!/[\r\n]/.test(secret));
        const bytes = Buffer.from(before + secret + after);
        expect(
          mask(
            [secret],
            Array.from(bytes, (byte) => Buffer.of(byte)),
          ),
        ).toBe(slowly([secret], bytes));
      }),
    );
  });

  it('masks a secret that begins with the end of another one, and no byte more', () => {
    // The end of the longer one follows bytes of the shorter that are masked already.
    for (const chunks of [['abcdeX'], ['abcde', 'X'], ['abc', 'deX'], 'abcdeX'.split('')])
      expect(
        mask(
          ['bcde', 'abcdef'],
          chunks.map((chunk) => Buffer.from(chunk)),
        ),
      ).toBe(`a${concealed}X`);
    expect(mask(['bcde', 'abcdef'], [Buffer.from('abcdef')])).toBe(concealed);
    expect(mask(['bcde', 'abcdef'], [Buffer.from('abcd')])).toBe('abcd');
  });

  it('says what can be no secret at once, and a secret as soon as it is whole', () => {
    const masker = createMasker(['hunter2']);
    expect(masker.write(Buffer.from('Password: ')).toString()).toBe('Password: ');
    expect(masker.write(Buffer.from('x hun')).toString()).toBe('x ');
    expect(masker.write(Buffer.from('t')).toString()).toBe('');
    expect(masker.write(Buffer.from('er2')).toString()).toBe(concealed);
    expect(masker.write(Buffer.from('!hu')).toString()).toBe('!');
    expect(masker.end().toString()).toBe('hu');
  });

  it('finds the lines of a secret of several, printed indented or with other ends', () => {
    const key = '-----BEGIN KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0BAQ\n-----END KEY-----';
    expect(mask([key], [Buffer.from('  MIIEvQIBADANBgkq\r\n  other')])).toBe(`  ${concealed}\r\n  other`);
    expect(mask([key], [Buffer.from(`<${key.replaceAll('\n', '\r\n')}>`)])).toBe(`<${concealed}>`);
  });

  it('leaves alone what is too short to be told from ordinary output', () => {
    expect(isMaskable('abc')).toBe(false);
    expect(isMaskable('äö')).toBe(true);
    expect(mask(['abc', ''], [Buffer.from('abc abc')])).toBe('abc abc');
  });

  it(
    'takes a long secret that is nearly there all the time, and holds back no more than it must',
    { tags: 'soak' },
    () => {
      const [long, bytes] = [`${'a'.repeat(20_000)}b`, Buffer.from('a'.repeat(300_000))];
      expect(mask([long], [bytes])).toBe(bytes.toString());
      expect(mask([long], [bytes, Buffer.from('b!')])).toBe(`${'a'.repeat(280_000)}${concealed}!`);
      const masker = createMasker([long]);
      expect(masker.write(bytes)).toHaveLength(280_000);
    },
  );

  it('takes a megabyte of near misses', () => {
    const bytes = Buffer.from('aaab'.repeat(2 ** 18));
    expect(mask([`${'a'.repeat(40)}c`, 'aaaac'], [bytes])).toHaveLength(bytes.length);
  });
});
