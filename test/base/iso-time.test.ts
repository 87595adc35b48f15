import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exactTime } from '../../src/base/exact-time.ts';
import { timeFrom } from '../../src/base/iso-time.ts';
import { runs } from '../support/stage.ts';

const years = fc.date({
  min: new Date('0000-01-01T00:00:00.000Z'),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
});

describe('a time in ISO 8601', () => {
  it('is read as it was written, by both', () => {
    fc.assert(
      fc.property(years, (at) => {
        expect(exactTime(at.toISOString())).toBe(at.getTime());
        expect(timeFrom(at.toISOString())).toBe(at.getTime());
      }),
      { numRuns: runs(300) },
    );
  });

  it.each([
    '2026-02-31T00:00:00.000Z',
    '2026-02-28T24:00:00.000Z',
    '2026-02-28T00:00:00Z',
    '2026-02-28T00:00:00.000+00',
    '2026-02-28 00:00:00.000Z',
    '+002026-02-28T00:00:00.000Z',
    '',
    null,
    1_772_236_800_000,
  ])('of this program is no %j', (text) => {
    expect(exactTime(text)).toBeUndefined();
  });

  it.each([
    ['2026-02-28', '2026-02-28T00:00:00.000Z'],
    ['2026-02-28T01:00:00Z', '2026-02-28T01:00:00.000Z'],
    ['2026-02-28T01:00:00+01:00', '2026-02-28T00:00:00.000Z'],
    ['2026-02-28T01:00:00.1234567-0130', '2026-02-28T02:30:00.123Z'],
  ])('of others may be %s', (text, same) => {
    expect(new Date(timeFrom(text) ?? Number.NaN).toISOString()).toBe(same);
  });

  it.each([
    '2026-02-31',
    '2026-02-31T00:00:00Z',
    '2026-13-01',
    '2026-02-28T25:00:00Z',
    '2026-02-28T01:00:00',
    '28 February 2026',
    '2026',
    '',
  ])('of others is no %j', (text) => {
    expect(timeFrom(text)).toBeUndefined();
  });
});
