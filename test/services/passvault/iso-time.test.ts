import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isoTime } from '../../../src/services/passvault/entries/iso-time.ts';

describe('isoTime', () => {
  it('writes what toISOString writes', () => {
    const ends = [
      -62167219200001, -62167219200000, -1, 0, 951782399999, 951782400000, 253402300799999, 253402300800000,
    ];
    for (const ms of [...ends, 8.64e15, -8.64e15]) expect(isoTime(ms)).toBe(new Date(ms).toISOString());
    fc.assert(
      fc.property(fc.integer({ min: -8.64e15, max: 8.64e15 }), (ms) => {
        expect(isoTime(ms)).toBe(new Date(ms).toISOString());
      }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), (ms) => {
        expect(isoTime(ms)).toBe(new Date(ms).toISOString());
      }),
    );
  });

  it('refuses what is no time', () => {
    expect(() => isoTime(Number.NaN)).toThrow(RangeError);
    expect(() => isoTime(8.65e15)).toThrow(RangeError);
  });
});
