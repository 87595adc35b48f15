import { wholeNumber } from '../../base/whole-number.ts';
import { weekdays, type RuleObject } from '../../contract/calendar/recurrence.ts';
import { day, startOfDay, weekdayOf } from './wall-clock.ts';

/** Recurrences in plain words, such as `every 2 weeks on Tue and Thu`. */

type Weekday = (typeof weekdays)[number];

const weekday =
  '(?:mon(?:days?)?|tue(?:s|sdays?)?|wed(?:s|nesdays?)?|thu(?:r|rs|rsdays?)?|fri(?:days?)?|sat(?:urdays?)?|sun(?:days?)?)';
const between = String.raw`(?:\s*,\s*and\s+|\s*(?:,|&)\s*|\s+and\s+)`;
const weekdayList = `${weekday}(?:${between}${weekday})*`;
const ordinal = String.raw`(?:first|second|third|fourth|fifth|last|\d{1,2}(?:st|nd|rd|th))`;
const ordinalList = `${ordinal}(?:${between}${ordinal})*`;
const numbers = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const count = String.raw`(?:\d{1,3}|${numbers.join('|')}|other|second)`;
const ofMonth = String.raw`\s+(?:of\s+)?(?:the|each|every|a)\s+month`;
const months = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*';

interface Form {
  readonly pattern: RegExp;
  readonly rule: (parts: readonly (string | undefined)[]) => RuleObject | undefined;
  /** what is left in the text in its place */
  readonly leaves?: (parts: readonly (string | undefined)[]) => string;
}

const word = (pattern: string) => new RegExp(String.raw`(?<![\w-])${pattern}(?![\w-])`);

const forms: readonly Form[] = [
  {
    pattern: word(
      String.raw`(?:every|each)\s+((?:\d{1,2}(?:st|nd|rd|th)?\s+(?:of\s+)?${months})|(?:${months}\s+\d{1,2}))`,
    ),
    rule: () => ({ freq: 'YEARLY' }),
    leaves: ([, date = '']) => date,
  },
  {
    pattern: word(
      String.raw`(?:monthly|(?:every|each)\s+(?:(${count})\s+)?months?)\s+(?:on\s+)?(?:the\s+)?(${ordinalList})(?:\s+(${weekday}|weekday|workday|day))?`,
    ),
    rule: ([, every, which = '', what]) => monthly(which, what, intervalOf(every)),
  },
  {
    pattern: word(String.raw`(?:monthly|(?:every|each)\s+(?:(${count})\s+)?months?)\s+on\s+day\s+(\d{1,2})`),
    rule: ([, every, which]) => monthly(`${which}th`, undefined, intervalOf(every)),
  },
  {
    pattern: word(
      String.raw`(?:(?:every|each|on)\s+)?(?:the\s+)?(${ordinalList})\s+(${weekday}|weekday|workday|day)${ofMonth}`,
    ),
    rule: ([, which = '', what]) => monthly(which, what, {}),
  },
  {
    pattern: word(String.raw`(?:every|each)\s+(first|third|fourth|fifth|last)\s+(${weekday}|weekday|workday|day)`),
    rule: ([, which = '', what]) => monthly(which, what, {}),
  },
  {
    pattern: word(String.raw`(?:(?:every|each)\s+)(?:the\s+)?(\d{1,2}(?:st|nd|rd|th))(?:${ofMonth})?`),
    rule: ([, which = '']) => monthly(which, undefined, {}),
  },
  {
    pattern: word(
      String.raw`(?:every|each)\s+(?:(${count})\s+)?(weekdays?|workdays?|working\s+days?|weekends?|${weekdayList})`,
    ),
    rule: ([, every, days = '']) => ({ freq: 'WEEKLY', ...intervalOf(every), byDay: daysIn(days) }),
  },
  {
    pattern: word(String.raw`(?:on\s+)?(weekdays|workdays|weekends)`),
    rule: ([, days = '']) => ({ freq: 'WEEKLY', byDay: daysIn(days) }),
  },
  {
    pattern: word(
      String.raw`(?:(weekly|fortnightly|biweekly)|(?:every|each)\s+(?:(${count})\s+)?weeks?)(?:\s+(?:on\s+)?(${weekdayList}))?`,
    ),
    rule: ([, name, every, days]) => ({
      freq: 'WEEKLY',
      ...(name !== undefined && name !== 'weekly' ? { interval: 2 } : intervalOf(every)),
      ...(days !== undefined && { byDay: daysIn(days) }),
    }),
  },
  {
    pattern: word(String.raw`(?:daily|(?:every|each)\s+(?:(${count})\s+)?days?)`),
    rule: ([, every]) => ({ freq: 'DAILY', ...intervalOf(every) }),
  },
  {
    pattern: word(String.raw`(?:monthly|(?:every|each)\s+(?:(${count})\s+)?months?)`),
    rule: ([, every]) => ({ freq: 'MONTHLY', ...intervalOf(every) }),
  },
  {
    pattern: word(String.raw`(?:yearly|annually|(?:every|each)\s+(?:(${count})\s+)?years?)`),
    rule: ([, every]) => ({ freq: 'YEARLY', ...intervalOf(every) }),
  },
];

const times = word(String.raw`(?:for\s+)?(\d{1,6})\s*(?:times|x)`);

/**
 * Takes a recurrence out of a text in lower case.
 * @returns the rule and the rest of the text; undefined if there is none
 */
export function takeRepeat(text: string): { readonly rule: RuleObject; readonly rest: string } | undefined {
  for (const { pattern, rule, leaves } of forms) {
    const match = pattern.exec(text);
    const found = match === null ? undefined : rule(match);
    if (match === null || found === undefined) continue;
    const left = without(text, match, leaves?.(match));
    const limit = times.exec(left);
    if (limit === null) return { rule: found, rest: left };
    return { rule: { ...found, count: wholeNumber(limit[1]) ?? 1 }, rest: without(left, limit) };
  }
  return undefined;
}

function without(text: string, { 0: found, index }: RegExpExecArray, instead = ''): string {
  return `${text.slice(0, index)} ${instead} ${text.slice(index + found.length)}`.replaceAll(/\s+/g, ' ').trim();
}

function intervalOf(text: string | undefined): { interval?: number } {
  if (text === undefined) return {};
  const named = text === 'other' || text === 'second' ? 2 : numbers.indexOf(text) + 1;
  const interval = named > 0 ? named : (wholeNumber(text) ?? 1);
  return interval === 1 ? {} : { interval };
}

const working: readonly Weekday[] = ['MO', 'TU', 'WE', 'TH', 'FR'];

function daysIn(text: string): Weekday[] {
  if (text.startsWith('weekend')) return ['SA', 'SU'];
  if (/^(?:weekday|work)/.test(text)) return [...working];
  const found = new Set(text.match(/mon|tue|wed|thu|fri|sat|sun/g)?.map((name) => name.slice(0, 2).toUpperCase()));
  return weekdays.filter((name) => found.has(name));
}

function monthly(which: string, what: string | undefined, interval: { interval?: number }): RuleObject | undefined {
  const numbered = [...which.matchAll(new RegExp(ordinal, 'g'))].map(([text]) => ordinalOf(text));
  const most = what === undefined || what === 'day' ? 31 : what.startsWith('w') && !what.startsWith('wed') ? 23 : 5;
  if (numbered.some((number) => number === 0 || number > most)) return undefined;
  const common = { freq: 'MONTHLY', ...interval } as const;
  if (what === undefined || what === 'day') {
    // `monthly on the last` names nothing.
    return what === undefined && numbered.includes(-1) ? undefined : { ...common, byMonthDay: numbered };
  }
  if (what === 'weekday' || what === 'workday') return { ...common, byDay: [...working], bySetPos: numbered };
  const [name] = daysIn(what);
  return { ...common, byDay: numbered.map((number) => `${number}${name ?? ''}`) };
}

function ordinalOf(text: string): number {
  if (text === 'last') return -1;
  const named = ['first', 'second', 'third', 'fourth', 'fifth'].indexOf(text) + 1;
  return named > 0 ? named : (wholeNumber(/^\d+/.exec(text)?.[0]) ?? 0);
}

/**
 * The first day from one on that a rule of `takeRepeat` has. Intervals count from it.
 * @param isLate says of a day that it is over
 */
export function firstDay(rule: RuleObject, from: number, isLate: (wall: number) => boolean): number {
  // Two months have a 31st, a fifth Friday and all else that can be said.
  for (let at = startOfDay(from); at < from + 130 * day; at += day) if (hasDay(rule, at) && !isLate(at)) return at;
  return startOfDay(from);
}

function hasDay({ byDay, byMonthDay, bySetPos }: RuleObject, at: number): boolean {
  const date = new Date(at);
  const length = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  const number = date.getUTCDate();
  if (byMonthDay !== undefined && !byMonthDay.some((one) => one === number || one === number - length - 1))
    return false;
  if (byDay === undefined) return true;
  const name = weekdays[weekdayOf(at)] ?? 'MO';
  const ofName = [Math.ceil(number / 7), -Math.ceil((length - number + 1) / 7)];
  if (!byDay.some((one) => one === name || ofName.some((nth) => one === `${nth}${name}`))) return false;
  if (bySetPos === undefined) return true;
  const inMonth = Array.from({ length }, (_, index) => at + (index + 1 - number) * day).filter((each) =>
    byDay.includes(weekdays[weekdayOf(each)] ?? 'MO'),
  );
  const position = inMonth.indexOf(at);
  return bySetPos.some((one) => one === position + 1 || one === position - inMonth.length);
}
