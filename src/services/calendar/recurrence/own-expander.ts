import { type Budget, spend } from './budget.ts';
import { civilOf, DAY, dayOf, HOUR, LAST_DAY, MINUTE, SECOND, wallDay } from './civil.ts';
import { admittedDays, admittedInWeeks, type Plan, weekBegin, weekYear } from './day-filter.ts';
import { positioned, selectsAny, subDailyTimes } from './sub-daily.ts';

/** Wall-clock times that are asked for, the second no longer. */
export interface WallRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Wall-clock times that a rule generates in a range, ascending; what is up to a period beside it may come too.
 * COUNT and UNTIL aren't looked at, and times before DTSTART aren't left out. The idea is that of dateutil: of each period, the
 * days are filtered, and then each has its times.
 *
 * @param exists whether the clocks show a time: BYSETPOS counts only those
 * @throws RuleError TOO_COMPLEX
 */
export function* ownTimes(
  plan: Plan,
  { from, to }: WallRange,
  exists: (wall: number) => boolean,
  budget: Budget,
): Generator<number, void, undefined> {
  if (['HOURLY', 'MINUTELY', 'SECONDLY'].includes(plan.freq)) {
    yield* subDailyTimes(plan, { from, to }, exists, budget);
    return;
  }
  const times = plan.hours.flatMap((hour) =>
    plan.minutes.flatMap((minute) => plan.seconds.map((second) => hour * HOUR + minute * MINUTE + second * SECOND)),
  );
  const mostDays = { DAILY: 1, WEEKLY: 7, MONTHLY: 31 }[plan.freq as string] ?? 371;
  if (!selectsAny(plan.positions, mostDays * times.length)) return;
  const periods = periodsOf(plan);
  for (let index = Math.max(0, periods.indexOf(wallDay(from))); ; index++) {
    const { begin, length } = periods.at(index);
    if (begin > LAST_DAY || begin * DAY >= to) return;
    spend(budget, length);
    const days =
      plan.weeks.length > 0
        ? admittedInWeeks(plan, index * plan.interval + periods.base)
        : admittedDays(plan, begin, begin + length);
    if (plan.positions.length === 0) {
      for (const day of days) for (const time of times) yield day * DAY + time;
      continue;
    }
    const count = days.length * times.length;
    if (!selectsAny(plan.positions, count)) continue;
    spend(budget, count);
    const all = days.flatMap((day) => times.map((time) => day * DAY + time)).filter(exists);
    yield* positioned(all, plan.positions);
  }
}

interface Periods {
  /** the number of the period with index 0: a year, a month since year 0, a week's first day, or a day */
  readonly base: number;
  at(index: number): { readonly begin: number; readonly length: number };
  /** an index whose period begins at the latest on that day; it may be negative */
  indexOf(day: number): number;
}

function periodsOf(plan: Plan): Periods {
  const { interval } = plan;
  const first = wallDay(plan.start);
  const linear = (base: number, length: number): Periods => ({
    base,
    at: (index) => ({ begin: base + index * interval * length, length }),
    indexOf: (day) => Math.floor((day - base) / length / interval),
  });
  if (plan.freq === 'DAILY') return linear(first, 1);
  if (plan.freq === 'WEEKLY') return linear(weekBegin(plan, first), 7);
  const { year, month } = civilOf(first);
  if (plan.freq === 'MONTHLY') {
    const base = year * 12 + month - 1;
    const begin = (months: number) => dayOf(Math.floor(months / 12), (months % 12) + 1, 1);
    return {
      base,
      at: (index) => between(begin, base + index * interval),
      indexOf: (day) => {
        const date = civilOf(day);
        return Math.floor((date.year * 12 + date.month - 1 - base) / interval);
      },
    };
  }
  // The weeks of a year are a period of their own: it begins and ends up to three days beside the year.
  const weekly = plan.weeks.length > 0;
  const base = weekly ? weekYear(plan, first) : year;
  const begin = (one: number) => (weekly ? weekBegin(plan, dayOf(one, 1, 4)) : dayOf(one, 1, 1));
  return {
    base,
    at: (index) => between(begin, base + index * interval),
    indexOf: (day) => Math.floor(((weekly ? weekYear(plan, day) : civilOf(day).year) - base) / interval),
  };
}

function between(begin: (period: number) => number, period: number): { begin: number; length: number } {
  const at = begin(period);
  return { begin: at, length: begin(period + 1) - at };
}
