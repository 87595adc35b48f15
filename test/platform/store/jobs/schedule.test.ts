import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../support/stage.ts';
import { assertSchedule, nextMoment, type Schedule } from '../../../../src/platform/store/jobs/schedule.ts';

const utc = (text: string): number => Date.parse(`${text}Z`);
const after = (schedule: Schedule, text: string, count = 1): string[] => {
  const found: string[] = [];
  for (let moment = utc(text); found.length < count;) {
    moment = nextMoment(schedule, moment);
    found.push(new Date(moment).toISOString().slice(0, 16));
  }
  return found;
};

describe('a period', () => {
  it('is counted from its first moment, and what was missed comes once', () => {
    const schedule: Schedule = { everyMs: 10, from: 105 };
    expect([0, 104, 105, 114, 115, 1_000_000].map((moment) => nextMoment(schedule, moment))).toEqual([
      105, 105, 115, 115, 125, 1_000_005,
    ]);
  });
});

describe('a time of the clock', () => {
  const berlin: Schedule = { at: '02:30', timeZone: 'Europe/Berlin' };
  const newYork: Schedule = { at: '01:30', timeZone: 'America/New_York' };

  it('comes once a day, later than now', () => {
    expect(after({ at: '00:00', timeZone: 'UTC' }, '2026-02-28T00:00', 2)).toEqual([
      '2026-03-01T00:00',
      '2026-03-02T00:00',
    ]);
    expect(after({ at: '09:00', timeZone: 'Asia/Kolkata' }, '2026-01-01T03:29')).toEqual(['2026-01-01T03:30']);
    expect(after({ at: '09:00', timeZone: 'Asia/Kolkata' }, '2026-01-01T03:30')).toEqual(['2026-01-02T03:30']);
    expect(after({ at: '23:59', timeZone: 'Pacific/Kiritimati' }, '2026-01-01T09:59')).toEqual(['2026-01-02T09:59']);
    expect(after({ at: '00:01', timeZone: 'Pacific/Pago_Pago' }, '2026-01-01T11:00')).toEqual(['2026-01-01T11:01']);
  });

  it('that is skipped in spring comes an hour late, on that day alone', () => {
    expect(after(berlin, '2026-03-28T00:00', 3)).toEqual(['2026-03-28T01:30', '2026-03-29T01:30', '2026-03-30T00:30']);
    expect(after(berlin, '2026-03-29T01:00')).toEqual(['2026-03-29T01:30']);
    // By half an hour.
    expect(after({ at: '02:15', timeZone: 'Australia/Lord_Howe' }, '2026-10-03T00:00', 2)).toEqual([
      '2026-10-03T15:45',
      '2026-10-04T15:15',
    ]);
  });

  it('that comes twice in autumn is the first one, once', () => {
    expect(after(berlin, '2026-10-24T01:00', 2)).toEqual(['2026-10-25T00:30', '2026-10-26T01:30']);
    expect(after(newYork, '2026-10-31T12:00', 2)).toEqual(['2026-11-01T05:30', '2026-11-02T06:30']);
    // Between the two, on the clock before and after its own time.
    expect(after(newYork, '2026-11-01T06:10')).toEqual(['2026-11-02T06:30']);
  });

  it('leaves out no day and takes none twice, but where a country leaves one out', () => {
    expect(after({ at: '04:00', timeZone: 'Pacific/Apia' }, '2011-12-28T15:00', 3)).toEqual([
      '2011-12-29T14:00',
      '2011-12-30T14:00',
      '2011-12-31T14:00',
    ]);
    const zones = fc.constantFrom(
      'Europe/Berlin',
      'America/Sao_Paulo',
      'Asia/Tehran',
      'Africa/Casablanca',
      'Pacific/Chatham',
    );
    const time = fc
      .tuple(fc.nat(23), fc.nat(59))
      .map((parts) => parts.map((part) => `${part}`.padStart(2, '0')).join(':'));
    fc.assert(
      fc.property(
        zones,
        time,
        fc.integer({ min: utc('2000-01-01T00:00'), max: utc('2037-01-01T00:00') }),
        (timeZone, at, from) => {
          const first = nextMoment({ at, timeZone }, from);
          expect(first).toBeGreaterThan(from);
          // A day has 23 to 25 hours, also where a moment falls on a clock that was just changed.
          expect(first - from).toBeLessThanOrEqual(25 * 3_600_000);
          const hours = (nextMoment({ at, timeZone }, first) - first) / 3_600_000;
          expect(hours).toBeGreaterThanOrEqual(22);
          expect(hours).toBeLessThanOrEqual(26);
        },
      ),
      { numRuns: runs(300) },
    );
  });
});

it('refuses what is no schedule', () => {
  for (const schedule of [
    { everyMs: 0, from: 0 },
    { everyMs: 0.5, from: 0 },
    { everyMs: 10, from: -1 },
    { at: '24:00', timeZone: 'UTC' },
    { at: '3:30', timeZone: 'UTC' },
    { at: '03:30', timeZone: 'Mars/Base' },
    { at: '03:30', timeZone: '' },
  ])
    expect(() => assertSchedule(schedule)).toThrow(RangeError);
  assertSchedule({ at: '23:59', timeZone: 'Europe/Berlin' });
});
