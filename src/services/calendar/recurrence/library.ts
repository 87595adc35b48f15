import { RRuleTemporal } from 'rrule-temporal';
import { Temporal } from 'temporal-polyfill';
import { type Budget, spend } from './budget.ts';
import { DAY, LAST_DAY } from './civil.ts';
import type { WallRange } from './own-expander.ts';
import type { Rule } from './rule-text.ts';

/**
 * Whether rrule-temporal can expand a rule. Left to the own expander:
 *
 * - YEARLY with BYWEEKNO or BYYEARDAY, where it is wrong: about week 53, about week 1 in the year before, and about BYYEARDAY with BYDAY;
 * - BYSETPOS, which must not count times that the clocks skip, while the library is asked for times on the wall;
 * - COUNT, of which every instance from the first on has to be made: it takes 60 µs for one, and stops at 10,000;
 * - frequencies below DAILY, and more than a few times a day: more of them fit into a short range than the library makes;
 * - parts that together may match rarely or never, such as the 31st in a month of 30 days.
 */
export function isPlain(rule: Rule): boolean {
  const dayParts = [rule.byMonth, rule.byMonthDay, rule.byDay].filter((part) => part !== undefined);
  const times = [rule.byHour, rule.byMinute, rule.bySecond].reduce((all, part) => all * (part?.length ?? 1), 1);
  return (
    ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'].includes(rule.freq) &&
    rule.count === undefined &&
    rule.bySetPos === undefined &&
    rule.byWeekNo === undefined &&
    rule.byYearDay === undefined &&
    dayParts.length <= 1 &&
    times <= 4
  );
}

/** Periods that are asked for at once, so that an answer has at most a few hundred instances. */
const window: Readonly<Record<string, number>> = { DAILY: 64, WEEKLY: 7 * 32, MONTHLY: 31 * 12, YEARLY: 366 * 4 };

/**
 * Wall-clock times of a plain rule in a range, ascending; what is up to a few periods later may come too. UNTIL isn't looked at.
 *
 * @throws RuleError TOO_COMPLEX
 */
export function* libraryTimes(
  rule: Rule,
  { start, allDay }: { readonly start: number; readonly allDay: boolean },
  { from, to }: WallRange,
  budget: Budget,
): Generator<number, void, undefined> {
  const { freq, interval = 1, byMonth, byMonthDay, byDay, wkst } = rule;
  const times = allDay
    ? {}
    : { byHour: rule.byHour, byMinute: rule.byMinute, bySecond: rule.bySecond?.map((one) => Math.min(one, 59)) };
  const parts = Object.entries({ byMonth, byMonthDay, byDay, wkst, ...times }).filter(([, part]) => part !== undefined);
  const expander = new RRuleTemporal({
    freq,
    interval,
    ...Object.fromEntries(parts),
    dtstart: new Temporal.ZonedDateTime(BigInt(start) * 1_000_000n, 'UTC'),
  });
  const width = (window[freq] ?? 1) * interval * DAY;
  for (let begin = Math.max(start, from); begin < Math.min(to, (LAST_DAY + 1) * DAY); begin += width) {
    const found = expander.between(new Date(begin), new Date(begin + width - 1), true);
    spend(budget, 200 + found.length * 5);
    for (const time of found) yield time.epochMilliseconds;
  }
}
