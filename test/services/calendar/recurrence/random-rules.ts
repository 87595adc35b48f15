import fc from 'fast-check';
import { wallText } from '../../../../src/services/calendar/recurrence/civil.ts';
import { type Rule, type Weekday, weekdays } from '../../../../src/services/calendar/recurrence/rule-text.ts';

const frequencies: readonly Rule['freq'][] = [
  'YEARLY',
  'YEARLY',
  'MONTHLY',
  'MONTHLY',
  'WEEKLY',
  'DAILY',
  'HOURLY',
  'MINUTELY',
  'SECONDLY',
];

/** Days in which a rule of the frequency has enough to compare. */
export const daysOf: Readonly<Record<Rule['freq'], number>> = {
  YEARLY: 366 * 9,
  MONTHLY: 366 * 3,
  WEEKLY: 366,
  DAILY: 200,
  HOURLY: 30,
  MINUTELY: 1,
  SECONDLY: 0.01,
};

const signed = (most: number) => fc.integer({ min: -most, max: most }).filter((value) => value !== 0);
const some = <T>(values: fc.Arbitrary<T>, maxLength = 3) => fc.uniqueArray(values, { minLength: 1, maxLength });
/** There in a quarter of the rules, so that most of them match something. */
const seldom = <T>(values: fc.Arbitrary<T>) =>
  fc.oneof({ arbitrary: fc.constant(undefined), weight: 3 }, { arbitrary: values, weight: 1 });

type Part = Exclude<keyof Rule, 'freq'>;
const notIn: Readonly<Partial<Record<Part, readonly Rule['freq'][]>>> = {
  byWeekNo: ['SECONDLY', 'MINUTELY', 'HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY'],
  byYearDay: ['DAILY', 'WEEKLY', 'MONTHLY'],
  byMonthDay: ['WEEKLY'],
};

/** Rules as RFC 5545 allows them, without an end. Many match nothing. */
const anyRules: fc.Arbitrary<Rule> = fc
  .record({
    freq: fc.constantFrom(...frequencies),
    interval: fc.constantFrom(1, 1, 1, 2, 3, 7),
    byMonth: seldom(some(fc.integer({ min: 1, max: 12 }), 5)),
    byMonthDay: seldom(some(signed(31), 6)),
    byYearDay: seldom(some(signed(366), 6)),
    byWeekNo: seldom(some(signed(53), 6)),
    byDay: seldom(some(fc.constantFrom(...weekdays), 5)),
    nth: seldom(signed(5)),
    byHour: seldom(some(fc.integer({ min: 0, max: 23 }))),
    byMinute: seldom(some(fc.integer({ min: 0, max: 59 }))),
    bySecond: seldom(some(fc.integer({ min: 0, max: 59 }))),
    bySetPos: seldom(some(signed(4))),
    wkst: seldom(fc.constantFrom(...weekdays)),
  })
  .map(({ nth, byDay, ...rule }): Rule => {
    const numbered = nth !== undefined && ['MONTHLY', 'YEARLY'].includes(rule.freq) && rule.byWeekNo === undefined;
    const days = numbered && byDay !== undefined ? byDay.map((day) => `${nth}${day}`) : byDay;
    const kept = Object.entries({ ...rule, byDay: days }).filter(
      ([part, value]) => value !== undefined && notIn[part as Part]?.includes(rule.freq) !== true,
    );
    return Object.fromEntries(kept) as Rule;
  });

/** Times of 1995 to 2025, at full hours more often than not. */
export const starts: fc.Arbitrary<string> = fc
  .tuple(fc.integer({ min: 9_131, max: 20_454 }), fc.integer({ min: 0, max: 86_399 }), fc.boolean())
  .map(([day, second, full]) => wallText((day * 86_400 + (full ? second - (second % 3600) : second)) * 1000));

export function weekdayOfText(start: string): Weekday {
  return weekdays[(new Date(`${start}Z`).getUTCDay() + 6) % 7] ?? 'MO';
}

/**
 * Rules and starts that they match, so that there is always something to find: `rrule` looks for it until the year 9999. What matches
 * rarely is left to frequencies for which that takes little time.
 */
export const rulesWithStart: fc.Arbitrary<readonly [rule: Rule, start: string]> = fc
  .tuple(anyRules, starts)
  .map(([rule, start]) => [anchored(rule, start), start]);

export const rules = rulesWithStart.map(([rule]) => rule);

function anchored(rule: Rule, start: string): Rule {
  const { freq } = rule;
  const date = new Date(`${start}Z`);
  const result = { ...rule };
  const drop = (...parts: Part[]) => {
    for (const part of parts) delete result[part];
  };
  if (freq !== 'YEARLY') {
    if (result.byMonth !== undefined) result.byMonth = withValue(result.byMonth, date.getUTCMonth() + 1);
    if (result.byMonthDay !== undefined) result.byMonthDay = withValue(result.byMonthDay, date.getUTCDate());
    if (result.byMonthDay !== undefined && /\d/.test(String(result.byDay))) drop('byDay');
  }
  if (!['YEARLY', 'MONTHLY'].includes(freq) && result.byDay !== undefined)
    result.byDay = withValue(result.byDay, weekdayOfText(start));
  if (['HOURLY', 'MINUTELY', 'SECONDLY'].includes(freq)) {
    drop('byYearDay');
    if (result.byHour !== undefined) result.byHour = withValue(result.byHour, date.getUTCHours());
    if (freq !== 'HOURLY') {
      drop('byMonth', 'byMonthDay', 'byDay');
      if (result.byMinute !== undefined) result.byMinute = withValue(result.byMinute, date.getUTCMinutes());
    }
    if (freq === 'SECONDLY' && result.bySecond !== undefined)
      result.bySecond = withValue(result.bySecond, date.getUTCSeconds());
  }
  const many =
    ['YEARLY', 'MONTHLY', 'WEEKLY'].includes(freq) && result.byDay !== undefined && result.byMonthDay === undefined;
  if (!many && result.bySetPos !== undefined) result.bySetPos = withValue(result.bySetPos, -1);
  const parts = Object.keys(result).filter((part) => part.startsWith('by') && part !== 'bySetPos');
  if (parts.length === 0) drop('bySetPos');
  return result;
}

function withValue<T>(values: readonly T[], value: T): T[] {
  return [...new Set([...values, value])];
}

/**
 * Whether `rrule` 2.8.1 is right about a rule. It isn't about weeks at the ends of years, years of several with weeks, positions in the first
 * week, negative positions that a period doesn't have, and every seventh hour, minute or second with other parts. Those have
 * tests by their definition (definitions.test.ts).
 */
export function isComparable({ freq, interval, byWeekNo, bySetPos, ...rule }: Rule): boolean {
  const times = rule.byHour ?? rule.byMinute ?? rule.bySecond;
  if (['HOURLY', 'MINUTELY', 'SECONDLY'].includes(freq) && interval === 7 && times !== undefined) return false;
  if (bySetPos !== undefined && (freq === 'WEEKLY' || bySetPos.some((position) => position < -1))) return false;
  const inside = byWeekNo?.every((week) => week > -52 && week < 52) !== false;
  return byWeekNo === undefined || (inside && interval === 1 && bySetPos === undefined);
}
