import {
  type CivilDate,
  civilOf,
  DAY,
  dayOf,
  HOUR,
  MINUTE,
  monthLength,
  SECOND,
  wallDay,
  weekdayOf,
  yearLength,
} from './civil.ts';
import { numberedDay, type NumberedDay, type Rule, weekdays } from './rule-text.ts';

/** A rule as the expander works with it: every part is there, with what DTSTART gives where the rule says nothing (RFC 5545 3.3.10). */
export interface Plan {
  readonly freq: Rule['freq'];
  readonly interval: number;
  /** the wall-clock time of DTSTART */
  readonly start: number;
  /** 0 is Monday */
  readonly weekStart: number;
  readonly months: readonly number[];
  readonly monthDays: readonly number[];
  readonly yearDays: readonly number[];
  readonly weeks: readonly number[];
  readonly days: readonly NumberedDay[];
  /** numbers of days are counted within the month rather than the year */
  readonly daysOfMonth: boolean;
  readonly hours: readonly number[];
  readonly minutes: readonly number[];
  readonly seconds: readonly number[];
  readonly positions: readonly number[];
}

/** @param allDay the series has days rather than times: BYHOUR, BYMINUTE and BYSECOND are ignored */
export function planOf(rule: Rule, start: number, allDay: boolean): Plan {
  const { freq } = rule;
  const first = civilOf(wallDay(start));
  const time = start - wallDay(start) * DAY;
  const [hour, minute, second] = [
    Math.floor(time / HOUR),
    Math.floor((time % HOUR) / MINUTE),
    (time % MINUTE) / SECOND,
  ];
  const times: Partial<Rule> = allDay ? {} : rule;
  // What a frequency owns is limited by its part, so that nothing comes from DTSTART.
  const rank = ['DAILY', 'HOURLY', 'MINUTELY', 'SECONDLY'].indexOf(freq);
  const timeOf = (given: readonly number[] | undefined, implied: number, owned: boolean) =>
    given === undefined ? (owned ? [] : [implied]) : ascending(given);
  return {
    freq,
    interval: rule.interval ?? 1,
    start,
    weekStart: rule.wkst === undefined ? 0 : weekdays.indexOf(rule.wkst),
    monthDays: [],
    days: [],
    yearDays: rule.byYearDay ?? [],
    weeks: rule.byWeekNo ?? [],
    daysOfMonth: freq === 'MONTHLY' || rule.byMonth !== undefined,
    ...impliedDays(rule, first, weekdayOf(wallDay(start))),
    hours: timeOf(times.byHour, hour, rank >= 1),
    minutes: timeOf(times.byMinute, minute, rank >= 2),
    // A leap second is the second before it (RFC 5545 3.3.12).
    seconds: timeOf(
      times.bySecond?.map((one) => Math.min(one, 59)),
      second,
      rank >= 3,
    ),
    positions: rule.bySetPos ?? [],
  };
}

type DayParts = Pick<Plan, 'months'> & Partial<Pick<Plan, 'monthDays' | 'days'>>;

function impliedDays(rule: Rule, first: CivilDate, weekday: number): DayParts {
  const { freq } = rule;
  const months = rule.byMonth ?? [];
  const given = {
    months,
    ...(rule.byMonthDay !== undefined && { monthDays: rule.byMonthDay }),
    ...(rule.byDay !== undefined && { days: rule.byDay.map(numberedDay) }),
  };
  const daily = !['WEEKLY', 'MONTHLY', 'YEARLY'].includes(freq);
  if (daily || given.days !== undefined || given.monthDays !== undefined || rule.byYearDay !== undefined) return given;
  // BYWEEKNO alone means the weekday of DTSTART, not the whole week.
  if (freq === 'WEEKLY' || rule.byWeekNo !== undefined) return { months, days: [{ nth: 0, day: weekday }] };
  const monthDays = [first.day];
  return freq === 'MONTHLY' || months.length > 0 ? { months, monthDays } : { months: [first.month], monthDays };
}

/** Whether the rule admits a day, apart from its periods. */
export function admits(plan: Plan, day: number): boolean {
  const { year, month, day: ofMonth } = civilOf(day);
  return admitsDate(plan, day, { year, first: day - ofMonth + 1, month, length: monthLength(year, month) });
}

interface Month {
  readonly year: number;
  readonly month: number;
  /** its first day */
  readonly first: number;
  readonly length: number;
}

function admitsDate(plan: Plan, day: number, { year, month, first, length }: Month): boolean {
  if (plan.months.length > 0 && !plan.months.includes(month)) return false;
  const ofMonth = day - first + 1;
  if (plan.monthDays.length > 0 && !has(plan.monthDays, ofMonth, length)) return false;
  if (plan.yearDays.length > 0 && !has(plan.yearDays, day - dayOf(year, 1, 1) + 1, yearLength(year))) return false;
  if (plan.days.length === 0) return true;
  const weekday = weekdayOf(day);
  return plan.days.some((one) => {
    if (one.day !== weekday) return false;
    if (one.nth === 0) return true;
    const [at, of] = plan.daysOfMonth ? [ofMonth, length] : [day - dayOf(year, 1, 1) + 1, yearLength(year)];
    return one.nth === Math.ceil(at / 7) || one.nth === -Math.ceil((of - at + 1) / 7);
  });
}

/** The days from one to before another that the rule admits. */
export function admittedDays(plan: Plan, from: number, to: number): number[] {
  const found: number[] = [];
  if (plan.months.length + plan.monthDays.length + plan.yearDays.length + plan.days.length === 0) {
    for (let day = from; day < to; day++) found.push(day);
    return found;
  }
  for (let day = from; day < to;) {
    const { year, month, day: ofMonth } = civilOf(day);
    const of = { year, month, first: day - ofMonth + 1, length: monthLength(year, month) };
    const end = Math.min(to, of.first + of.length);
    if (plan.months.length > 0 && !plan.months.includes(month)) day = end;
    for (; day < end; day++) if (admitsDate(plan, day, of)) found.push(day);
  }
  return found;
}

/** Of the weeks of a year (ISO 8601, but they begin with WKST), the days that the rule admits. */
export function admittedInWeeks(plan: Plan, year: number): number[] {
  const first = firstWeek(plan, year);
  const count = (firstWeek(plan, year + 1) - first) / 7;
  const numbers = new Set(plan.weeks.map((week) => (week > 0 ? week : count + 1 + week)));
  return [...numbers]
    .filter((week) => week >= 1 && week <= count)
    .toSorted((one, other) => one - other)
    .flatMap((week) => admittedDays(plan, first + (week - 1) * 7, first + week * 7));
}

/** The first day of week 1: the first week with four days of the year. */
function firstWeek(plan: Plan, year: number): number {
  const fourth = dayOf(year, 1, 4);
  return weekBegin(plan, fourth);
}

export function weekBegin({ weekStart }: Plan, day: number): number {
  return day - ((weekdayOf(day) - weekStart + 7) % 7);
}

/** The year that a day belongs to by its week. */
export function weekYear(plan: Plan, day: number): number {
  const { year } = civilOf(day);
  if (day < firstWeek(plan, year)) return year - 1;
  return day >= firstWeek(plan, year + 1) ? year + 1 : year;
}

function has(values: readonly number[], at: number, of: number): boolean {
  return values.includes(at) || values.includes(at - of - 1);
}

function ascending(values: readonly number[]): number[] {
  return [...new Set(values)].toSorted((one, other) => one - other);
}
