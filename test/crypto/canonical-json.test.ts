import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../src/crypto/bytes.ts';
import { canonicalJson, canonicalJsonBytes } from '../../src/crypto/canonical-json.ts';
import numbers from '../vectors/rfc8785-numbers.json' with { type: 'json' };
import { expectCryptoError } from './damage.ts';

describe('RFC 8785', () => {
  it.each(numbers.vectors as [string, string | null][])('appendix B: %s is %s', (bits, text) => {
    const value = Buffer.from(bits, 'hex').readDoubleBE();
    if (text === null) expectCryptoError(() => canonicalJson(value));
    else expect(canonicalJson(value)).toBe(text);
  });

  it('section 3.2.4: the bytes of the sample of 3.2.2', () => {
    const sample: unknown = JSON.parse(String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`);
    expect(toHex(canonicalJsonBytes(sample))).toBe(
      '7b226c69746572616c73223a5b6e756c6c2c747275652c66616c73655d2c226e756d62657273223a' +
        '5b3333333333333333332e333333333333332c31652b33302c342e352c302e3030322c31652d32375d' +
        '2c22737472696e67223a22e282ac245c75303030665c6e4127425c225c5c5c5c5c222f227d',
    );
  });

  it('section 3.2.3: keys sort by UTF-16 code units', () => {
    const sample: unknown = JSON.parse(String.raw`{
      "\u20ac": "Euro Sign",
      "\r": "Carriage Return",
      "\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face",
      "\u0080": "Control",
      "\u00f6": "Latin Small Letter O With Diaeresis"
    }`);
    const names = [...canonicalJson(sample).matchAll(/:"([^"]*)"/g)].map(([, name]) => name);
    expect(names).toEqual([
      'Carriage Return',
      'One',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ]);
  });

  it('appendix-free details: escapes, nesting, minus zero, empty things', () => {
    expect(canonicalJson('\b\t\n\f\r"\\\u0000\u001f\u007f\u2028/é')).toBe(
      '"\\b\\t\\n\\f\\r\\"\\\\\\u0000\\u001f\u007f\u2028/é"',
    );
    expect(canonicalJson({ b: [{ d: -0, c: {} }, []], a: '' })).toBe('{"a":"","b":[{"c":{},"d":0},[]]}');
    expect(canonicalJson(JSON.parse('{"__proto__": 1, "constructor": 2}'))).toBe('{"__proto__":1,"constructor":2}');
  });
});

describe('canonicalJson', () => {
  const jsonValue = fc.jsonValue({ stringUnit: 'binary' });

  it('is JSON of the same value, and stays as it is', () => {
    fc.assert(
      fc.property(jsonValue, (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
    );
  });

  it('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.integer()), (value) => {
        const reversed = Object.fromEntries(Object.entries(value).toReversed());
        expect(canonicalJson(reversed)).toBe(canonicalJson(Object.fromEntries(Object.entries(value))));
      }),
    );
  });

  it('refuses whatever JSON has no form for, at any depth', () => {
    const sparse: unknown[] = [];
    sparse[1] = 1;
    const bad: unknown[] = [
      undefined,
      () => 1,
      Symbol('s'),
      1n,
      Number.NaN,
      Infinity,
      -Infinity,
      '\ud800',
      'a\udc00b',
      { '\ud800': 1 },
      new Date(0),
      new Map(),
      new Set(),
      new Uint8Array(2),
      Object.create({ inherited: 1 }),
      sparse,
      { [Symbol('s')]: 1 },
      new String('boxed'),
    ];
    for (const value of bad) {
      expectCryptoError(() => canonicalJson(value));
      expectCryptoError(() => canonicalJson([value]));
      expectCryptoError(() => canonicalJson({ a: { b: value } }));
    }
  });

  it('refuses cycles and depths that would overflow the stack, not what occurs twice', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = { cycle };
    expectCryptoError(() => canonicalJson(cycle));
    const list: unknown[] = [];
    list.push(list);
    expectCryptoError(() => canonicalJson(list));
    expectCryptoError(() => canonicalJson(JSON.parse('['.repeat(100_000) + ']'.repeat(100_000))));
    expect(canonicalJson(JSON.parse('['.repeat(200) + ']'.repeat(200)))).toHaveLength(400);
    const shared = { x: 1 };
    expect(canonicalJson([shared, shared])).toBe('[{"x":1},{"x":1}]');
  });

  it('takes objects without a prototype', () => {
    expect(canonicalJson(Object.assign(Object.create(null) as object, { a: 1 }))).toBe('{"a":1}');
  });
});
