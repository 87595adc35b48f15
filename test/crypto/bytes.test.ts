import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  assertInteger,
  assertLength,
  concat,
  constantTimeEqual,
  fromHex,
  fromUtf8,
  readUint32,
  systemRandom,
  toHex,
  uint32,
  utf8,
} from '../../src/crypto/bytes.ts';
import { expectCryptoError } from './damage.ts';

describe('hex', () => {
  it('round trips, lower-case', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(toHex(bytes)).toMatch(/^[0-9a-f]*$/);
        expect(fromHex(toHex(bytes))).toEqual(bytes);
        expect(fromHex(toHex(bytes).toUpperCase(), bytes.length)).toEqual(bytes);
      }),
    );
  });

  it.each(['0', 'abc', '0g', 'zz', ' 00', '00 ', '0x00', '00\n', '٠٠', '\ud800\ud800'])('refuses %j', (text) => {
    expectCryptoError(() => fromHex(text));
  });

  it('refuses another length than asked for', () => {
    expectCryptoError(() => fromHex('0011', 1));
    expectCryptoError(() => fromHex('', 1));
    expect(fromHex('', 0)).toEqual(new Uint8Array());
  });

  it('reads only a view of a larger buffer', () => {
    expect(toHex(Uint8Array.of(1, 2, 3, 4).subarray(1, 3))).toBe('0203');
  });
});

describe('UTF-8', () => {
  it('round trips well-formed text, byte order mark included', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(fromUtf8(utf8(text))).toBe(text);
      }),
    );
    expect(fromUtf8(utf8('\ufeffa'))).toBe('\ufeffa');
  });

  it.each(['\ud800', 'a\udc00', '\udc00\ud800', '😀\ud83d'])('refuses lone surrogates', (text) => {
    expectCryptoError(() => utf8(text));
  });

  it.each(['80', 'c0af', 'eda080', 'f4908080', 'e282', 'ff'])('refuses the bytes %s', (hex) => {
    expectCryptoError(() => fromUtf8(fromHex(hex)));
  });
});

describe('lengths and integers', () => {
  it('names what is wrong', () => {
    expect(() => assertLength('key', new Uint8Array(3), 32)).toThrow('key must have 32 bytes, not 3');
    expect(() => assertLength('key', 'x' as never)).toThrow('key must be bytes');
    for (const value of [0, 11, 1.5, Number.NaN, Infinity, '3' as never]) {
      expectCryptoError(() => assertInteger('count', value, 1, 10));
    }
  });

  it('writes and reads 32 bits, big-endian', () => {
    expect(toHex(uint32(0x01020304))).toBe('01020304');
    expect(readUint32(Uint8Array.of(9, 0xff, 0xff, 0xff, 0xfe).subarray(1), 0)).toBe(0xfffffffe);
    expectCryptoError(() => uint32(2 ** 32));
    expectCryptoError(() => uint32(-1));
  });

  it('joins', () => {
    expect(concat()).toEqual(new Uint8Array());
    expect(concat(Uint8Array.of(1), new Uint8Array(), Uint8Array.of(2, 3))).toEqual(Uint8Array.of(1, 2, 3));
  });
});

describe('constantTimeEqual', () => {
  it('is equality, also for other lengths', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 4 }), fc.uint8Array({ maxLength: 4 }), (a, b) => {
        expect(constantTimeEqual(a, b)).toBe(toHex(a) === toHex(b));
        expect(constantTimeEqual(a, Uint8Array.from(a))).toBe(true);
      }),
    );
  });
});

it('systemRandom never gives the same bytes twice, of any size', () => {
  const sizes = [16, 32, 64, 65, 7, 12];
  const drawn = Array.from({ length: 3_000 }, (_, index) => systemRandom(sizes[index % sizes.length]!));
  expect(drawn.map(({ length }) => length)).toEqual(drawn.map((_, index) => sizes[index % sizes.length]));
  expect(new Set(drawn.map((bytes) => toHex(bytes.subarray(0, 7)))).size).toBe(drawn.length);
  for (const size of [-1, Number.NaN]) expect(() => systemRandom(size)).toThrow(RangeError);
});

it('systemRandom gives plain bytes of its own', () => {
  const bytes = systemRandom(32);
  expect(bytes.constructor).toBe(Uint8Array);
  expect(bytes.buffer.byteLength).toBe(32);
  expect(toHex(bytes)).not.toBe(toHex(systemRandom(32)));
});
