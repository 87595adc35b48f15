import * as v from 'valibot';
import { integer, line } from '../text.ts';
import { eventTime } from './fields.ts';
import { calendarLimits } from './limits.ts';

/** Rules of recurrence (RFC 5545 3.3.10), as objects and as text. */

const frequencies = ['SECONDLY', 'MINUTELY', 'HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const;
export const weekdays = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;

const weekday = v.picklist(weekdays, 'must be MO, TU, WE, TH, FR, SA or SU');
const numberedDay = v.pipe(
  v.string('must be text'),
  v.regex(/^(?:[+-]?[1-9]\d?)?(?:MO|TU|WE|TH|FR|SA|SU)$/, 'must be a day such as MO, 2TU or -1FR'),
  v.examples(['MO']),
);

const some = (min: number, max: number, most: number) =>
  v.optional(
    v.pipe(
      v.array(integer(min, max), 'must be a list of numbers'),
      v.minLength(1, 'must not be empty'),
      v.maxLength(most, `must be at most ${most} numbers`),
    ),
  );

const ruleObject = v.object({
  freq: v.picklist(frequencies, 'must be a frequency such as WEEKLY'),
  interval: v.optional(integer(1, 10_000)),
  count: v.optional(v.pipe(integer(1, 1_000_000), v.description('not together with `until`'))),
  until: v.optional(
    v.pipe(eventTime, v.description('the last moment at which it may begin; not together with `count`')),
  ),
  bySecond: some(0, 60, 61),
  byMinute: some(0, 59, 60),
  byHour: some(0, 23, 24),
  byDay: v.optional(
    v.pipe(
      v.array(numberedDay, 'must be a list of days'),
      v.minLength(1, 'must not be empty'),
      v.maxLength(100, 'must be at most 100 days'),
    ),
  ),
  byMonthDay: some(-31, 31, 62),
  byYearDay: some(-366, 366, 732),
  byWeekNo: some(-53, 53, 106),
  byMonth: some(1, 12, 12),
  bySetPos: some(-366, 366, 732),
  wkst: v.optional(weekday),
});
export type RuleObject = v.InferOutput<typeof ruleObject>;

const number = v.optional(v.number());
const numbers = v.optional(v.array(v.number()));

/** A rule as it is returned. */
export const shownRule = v.object({
  ...ruleObject.entries,
  interval: number,
  count: number,
  bySecond: numbers,
  byMinute: numbers,
  byHour: numbers,
  byMonthDay: numbers,
  byYearDay: numbers,
  byWeekNo: numbers,
  byMonth: numbers,
  bySetPos: numbers,
});

/** A rule as it is given. */
export const rule = v.pipe(
  v.union([ruleObject, line(calendarLimits.rule)], 'must be a rule such as FREQ=WEEKLY;BYDAY=MO,WE'),
  v.examples(['FREQ=WEEKLY;BYDAY=MO,WE;COUNT=10']),
);

/** Lines of iCalendar that together say when an event happens again. */
export const recurrenceLines = v.pipe(
  v.array(line(65_536), 'must be a list of lines'),
  v.maxLength(100, 'must be at most 100 lines'),
  v.description(
    'lines such as `RRULE:FREQ=WEEKLY`, `RDATE:…` and `EXDATE:…`; instead of `rrule`, `rdates` and `exdates`',
  ),
  v.examples([['RRULE:FREQ=WEEKLY;BYDAY=MO']]),
);

export const dates = v.pipe(
  v.array(eventTime, 'must be a list of days or times'),
  v.maxLength(calendarLimits.dates, `must be at most ${calendarLimits.dates} dates`),
);
