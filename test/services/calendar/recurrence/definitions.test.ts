import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseTime, wallText } from '../../../../src/services/calendar/recurrence/civil.ts';
import { type Rule, weekdays } from '../../../../src/services/calendar/recurrence/rule-text.ts';
import { runs } from '../../../support/stage.ts';
import { daysOf, rulesWithStart } from './random-rules.ts';
import { seriesOf, startsOf } from './series-of.ts';

/** What `rrule` is wrong about, by the words of RFC 5545 3.3.10. */

const DAY = 86_400_000;

function found(rule: Rule, start: string, days: number): number[] {
  const to = parseTime(start).ms + days * DAY;
  const series = { ...seriesOf(start, [], { zone: 'floating' }), rules: [rule] };
  return startsOf(series, { to: new Date(to).toISOString(), limit: 10_000 }).map((text) => parseTime(text).ms);
}

/** The first moment of the period that a time is in. */
function periodOf({ freq, wkst = 'MO' }: Rule, time: number): number {
  const date = new Date(time);
  const day = Math.floor(time / DAY);
  switch (freq) {
    case 'YEARLY':
      return Date.UTC(date.getUTCFullYear(), 0, 1);
    case 'MONTHLY':
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
    case 'WEEKLY':
      return (day - ((date.getUTCDay() + 6 - weekdays.indexOf(wkst) + 7) % 7)) * DAY;
    case 'DAILY':
      return day * DAY;
    default:
      return Math.floor(time / { HOURLY: 3_600_000, MINUTELY: 60_000, SECONDLY: 1000 }[freq]);
  }
}

it('BYSETPOS selects of what a period has without it', () => {
  const positioned = rulesWithStart.filter(([rule]) => rule.bySetPos !== undefined && rule.byWeekNo === undefined);
  fc.assert(
    fc.property(positioned, ([{ bySetPos = [], ...rule }, start]) => {
      const first = periodOf(rule, parseTime(start).ms);
      const days = daysOf[rule.freq] / 3;
      const all = found(rule, start, days);
      // The first period begins before DTSTART, and the last one is cut.
      const [least, last] = [first, periodOf(rule, all.at(-1) ?? 0)];
      const within = (time: number) => periodOf(rule, time) > least && periodOf(rule, time) < last;
      const expected = all.filter(within).filter((time, _, inside) => {
        const times = inside.filter((other) => periodOf(rule, other) === periodOf(rule, time));
        return bySetPos.includes(times.indexOf(time) + 1) || bySetPos.includes(times.indexOf(time) - times.length);
      });
      expect(found({ ...rule, bySetPos }, start, days).filter(within)).toEqual(expected);
    }),
    { numRuns: runs(100) },
  );
});

it('BYWEEKNO counts weeks with four days in the year, from either end', () => {
  const weeks = fc.uniqueArray(
    fc.integer({ min: -53, max: 53 }).filter((week) => week !== 0),
    { minLength: 1, maxLength: 8 },
  );
  fc.assert(
    fc.property(weeks, fc.constantFrom(...weekdays), fc.integer({ min: 1970, max: 2090 }), (byWeekNo, wkst, year) => {
      const start = `${year}-06-15T09:00:00`;
      const rule: Rule = { freq: 'YEARLY', byWeekNo, wkst, byDay: [...weekdays] };
      const expected: number[] = [];
      /** The middle of a week is in the year that has four of its days. */
      const weekOf = (time: number) => {
        const middle = periodOf({ freq: 'WEEKLY', wkst }, time) + 3 * DAY;
        const of = new Date(middle).getUTCFullYear();
        const last = Date.UTC(of, 11, 31, 9) - 3 * DAY;
        return { middle, of, number: Math.floor((middle - Date.UTC(of, 0, 1)) / DAY / 7) + 1, last };
      };
      for (let time = Date.parse(`${start}Z`) + DAY; time < Date.UTC(year + 6, 5, 15); time += DAY) {
        const { number, last } = weekOf(time);
        const count = weekOf(last).number;
        if (byWeekNo.includes(number) || byWeekNo.includes(number - count - 1)) expected.push(time);
      }
      const until = Date.UTC(year + 6, 5, 15);
      const times = found(rule, start, 366 * 6).filter((time) => time < until);
      expect(times.slice(1).map(wallText)).toEqual(expected.map(wallText));
    }),
    { numRuns: runs(60) },
  );
});

it('hours, minutes and seconds are counted from the start, and limited by the other parts', () => {
  const units = { HOURLY: 3_600_000, MINUTELY: 60_000, SECONDLY: 1000 };
  const parts = fc.record(
    {
      byHour: fc.uniqueArray(fc.integer({ min: 0, max: 23 }), { minLength: 1, maxLength: 6 }),
      byMinute: fc.uniqueArray(fc.integer({ min: 0, max: 59 }), { minLength: 1, maxLength: 6 }),
      byDay: fc.uniqueArray(fc.constantFrom(...weekdays), { minLength: 1, maxLength: 5 }),
      byMonthDay: fc.uniqueArray(fc.integer({ min: 1, max: 31 }), { minLength: 1, maxLength: 20 }),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(
      fc.constantFrom('HOURLY', 'MINUTELY', 'SECONDLY'),
      fc.integer({ min: 1, max: 100 }),
      parts,
      fc.integer({ min: 0, max: 1_000_000_000 }),
      (freq, interval, by, second) => {
        const start = wallText(second * 1000);
        const expected = [second * 1000];
        const days = { HOURLY: 60, MINUTELY: 3, SECONDLY: 0.1 }[freq];
        const has = (values: readonly unknown[] | undefined, value: unknown) => values?.includes(value) !== false;
        const step = units[freq] * interval;
        // HOURLY;BYMINUTE has several in an hour.
        const minutes = freq === 'HOURLY' ? by.byMinute?.toSorted((one, other) => one - other) : undefined;
        for (let time = second * 1000; time < second * 1000 + days * DAY + 3_600_000; time += step) {
          const date = new Date(time);
          if (!has(by.byHour, date.getUTCHours()) || !has(by.byDay, weekdays[(date.getUTCDay() + 6) % 7])) continue;
          if (!has(by.byMonthDay, date.getUTCDate())) continue;
          if (minutes === undefined && !has(by.byMinute, date.getUTCMinutes())) continue;
          const hour = time - date.getUTCMinutes() * 60_000;
          expected.push(...(minutes?.map((minute) => hour + minute * 60_000) ?? [time]));
        }
        const to = second * 1000 + days * DAY;
        const wanted = [...new Set(expected)].filter((time) => time >= second * 1000 && time < to);
        expect(found({ freq, interval, ...by }, start, days).map(wallText)).toEqual(
          wanted.map(wallText).slice(0, 10_000),
        );
      },
    ),
    { numRuns: runs(120) },
  );
});
