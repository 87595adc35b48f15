import type { RuleObject } from '../../../contract/calendar/recurrence.ts';
import { plainNumber } from '../../../base/whole-number.ts';
import { basicForm, dayText, parseTime, wallText } from './civil.ts';
import { RuleError } from './rule-error.ts';

export type Rule = RuleObject;
type Frequency = Rule['freq'];
export type Weekday = NonNullable<Rule['wkst']>;

const frequencies: readonly Frequency[] = ['SECONDLY', 'MINUTELY', 'HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'];
/** In the order of weekdayOf. */
export const weekdays: readonly Weekday[] = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

const numbers = {
  BYSECOND: 'bySecond',
  BYMINUTE: 'byMinute',
  BYHOUR: 'byHour',
  BYMONTHDAY: 'byMonthDay',
  BYYEARDAY: 'byYearDay',
  BYWEEKNO: 'byWeekNo',
  BYMONTH: 'byMonth',
  BYSETPOS: 'bySetPos',
} as const;
type NumberPart = keyof typeof numbers;

const bounds: Readonly<Record<NumberPart, readonly [min: number, max: number]>> = {
  BYSECOND: [0, 60],
  BYMINUTE: [0, 59],
  BYHOUR: [0, 23],
  BYMONTHDAY: [-31, 31],
  BYYEARDAY: [-366, 366],
  BYWEEKNO: [-53, 53],
  BYMONTH: [1, 12],
  BYSETPOS: [-366, 366],
};

const isNumberPart = (name: string): name is NumberPart => Object.hasOwn(numbers, name);

/** The bounds of the contract: what an object may say, text may say too. */
const most = { interval: 10_000, count: 1_000_000, values: 732, days: 100 };

/**
 * Reads `FREQ=WEEKLY;BYDAY=MO`, in any case, with or without `RRULE:` in front.
 *
 * @throws RuleError INVALID_RULE, UNSUPPORTED_RULE for what RFC 7529 adds
 */
export function parseRule(text: string): Rule {
  const seen = new Set<string>();
  const rule: Partial<Rule> = {};
  const parts = text
    .trim()
    .toUpperCase()
    .replace(/^RRULE[:;]/, '')
    .replace(/;$/, '')
    .split(';');
  for (const part of parts) {
    const [name = '', value = '', ...more] = part.trim().split('=');
    if (value === '' || more.length > 0)
      throw invalid('A rule must be parts such as FREQ=WEEKLY, separated by semicolons.');
    if (seen.has(name)) throw invalid(`A rule must have ${name} only once.`);
    seen.add(name);
    readPart(rule, name, value);
  }
  return checkRule(rule);
}

function readPart(rule: Partial<Rule>, name: string, value: string): void {
  if (isNumberPart(name)) {
    rule[numbers[name]] = list(name, value, most.values).map((one) => whole(name, one, bounds[name]));
    return;
  }
  switch (name) {
    case 'FREQ':
      rule.freq = frequencies.find((one) => one === value) ?? raise('FREQ must be a frequency such as WEEKLY.');
      return;
    case 'INTERVAL':
      rule.interval = whole(name, value, [1, most.interval]);
      return;
    case 'COUNT':
      rule.count = whole(name, value, [1, most.count]);
      return;
    case 'UNTIL':
      rule.until = extended(value);
      return;
    case 'WKST':
      rule.wkst = weekdays.find((one) => one === value) ?? raise('WKST must be MO, TU, WE, TH, FR, SA or SU.');
      return;
    case 'BYDAY':
      rule.byDay = list(name, value, most.days);
      return;
    case 'RSCALE':
      // The same as without it.
      if (value === 'GREGORIAN') return;
      throw new RuleError('UNSUPPORTED_RULE', 'RSCALE is supported only with the value GREGORIAN.');
    case 'SKIP':
      if (value === 'OMIT') return;
      throw new RuleError('UNSUPPORTED_RULE', 'SKIP is supported only with the value OMIT.');
    default:
      throw invalid('A rule must only have parts of RFC 5545, such as FREQ, INTERVAL, COUNT, UNTIL and BYDAY.');
  }
}

/** Extended form, so that an object looks like one that a client sends. */
function extended(value: string): string {
  const { kind, ms } = parseTime(value);
  if (kind === 'day') return dayText(ms);
  return kind === 'local' ? wallText(ms) : `${wallText(ms)}Z`;
}

const dayForm = /^(?<nth>[+-]?\d{1,2})?(?<day>MO|TU|WE|TH|FR|SA|SU)$/;

/** A day of BYDAY: 0 for each such day, -1 for the last one of its month or year. `day` is 0 on Monday. */
export interface NumberedDay {
  readonly nth: number;
  readonly day: number;
}

/** @throws RuleError INVALID_RULE */
export function numberedDay(text: string): NumberedDay {
  const parts = dayForm.exec(text)?.groups;
  if (parts === undefined) throw invalid('BYDAY must be days such as MO, 2TU or -1FR.');
  const nth = signedNumber(parts['nth'] ?? '0');
  if (parts['nth'] !== undefined && (nth === 0 || Math.abs(nth) > 53))
    throw invalid('The number of a day in BYDAY must be 1 to 53 or -53 to -1.');
  return { nth, day: weekdays.indexOf(parts['day'] as Weekday) };
}

/**
 * What the parts of a rule must not do together (RFC 5545 3.3.10), of an object whose fields have the shapes of the contract.
 *
 * @throws RuleError INVALID_RULE, INVALID_TIME for an `until` that is no time
 */
export function checkRule(rule: Partial<Rule>): Rule {
  const { freq } = rule;
  if (freq === undefined) throw invalid('A rule must have a FREQ.');
  if (rule.count !== undefined && rule.until !== undefined) throw invalid('A rule must not have both COUNT and UNTIL.');
  if (rule.until !== undefined) parseTime(rule.until);
  for (const part of Object.keys(numbers).filter(isNumberPart)) {
    if (rule[numbers[part]]?.length === 0) throw invalid(`${part} must not be empty.`);
    if (bounds[part][0] < 0 && rule[numbers[part]]?.includes(0) === true) throw invalid(`${part} must not contain 0.`);
  }
  const days = rule.byDay?.map(numberedDay);
  if (days?.length === 0) throw invalid('BYDAY must not be empty.');
  if (rule.byWeekNo !== undefined && freq !== 'YEARLY') throw invalid('BYWEEKNO is only possible with FREQ=YEARLY.');
  if (rule.byYearDay !== undefined && ['DAILY', 'WEEKLY', 'MONTHLY'].includes(freq))
    throw invalid('BYYEARDAY is not possible with FREQ=DAILY, WEEKLY or MONTHLY.');
  if (rule.byMonthDay !== undefined && freq === 'WEEKLY') throw invalid('BYMONTHDAY is not possible with FREQ=WEEKLY.');
  if (days?.some(({ nth }) => nth !== 0) === true) {
    if (freq !== 'MONTHLY' && freq !== 'YEARLY')
      throw invalid('Days with a number, such as 2TU, are only possible with FREQ=MONTHLY or YEARLY.');
    if (rule.byWeekNo !== undefined) throw invalid('Days with a number, such as 2TU, are not possible with BYWEEKNO.');
  }
  if (rule.bySetPos !== undefined && !hasByPart(rule)) throw invalid('BYSETPOS needs another BY part.');
  return { ...rule, freq };
}

function hasByPart(rule: Partial<Rule>): boolean {
  return (
    rule.byDay !== undefined ||
    Object.values(numbers).some((field) => field !== 'bySetPos' && rule[field] !== undefined)
  );
}

/** As iCalendar writes it, the parts in the order of the RFC. */
export function formatRule(rule: Rule): string {
  const parts: (readonly [string, string | number | undefined])[] = [
    ['FREQ', rule.freq],
    ['UNTIL', rule.until === undefined ? undefined : basicForm(extended(rule.until))],
    ['COUNT', rule.count],
    ['INTERVAL', rule.interval === 1 ? undefined : rule.interval],
    ['BYSECOND', rule.bySecond?.join(',')],
    ['BYMINUTE', rule.byMinute?.join(',')],
    ['BYHOUR', rule.byHour?.join(',')],
    ['BYDAY', rule.byDay?.join(',')],
    ['BYMONTHDAY', rule.byMonthDay?.join(',')],
    ['BYYEARDAY', rule.byYearDay?.join(',')],
    ['BYWEEKNO', rule.byWeekNo?.join(',')],
    ['BYMONTH', rule.byMonth?.join(',')],
    ['BYSETPOS', rule.bySetPos?.join(',')],
    ['WKST', rule.wkst],
  ];
  return parts.flatMap(([name, value]) => (value === undefined ? [] : `${name}=${value}`)).join(';');
}

function list(name: string, value: string, longest: number): string[] {
  const values = value.split(',').map((one) => one.trim());
  if (values.length > longest) throw invalid(`${name} must have at most ${longest} values.`);
  return values;
}

function whole(name: string, value: string, [min, max]: readonly [number, number]): number {
  const number = /^[+-]?\d{1,9}$/.test(value) ? signedNumber(value) : Number.NaN;
  if (!(number >= min && number <= max)) throw invalid(`${name} must be ${min} to ${max}.`);
  return number;
}

function signedNumber(text: string): number {
  return plainNumber(text.replace('+', '')) ?? Number.NaN;
}

function raise(message: string): never {
  throw invalid(message);
}

function invalid(message: string): RuleError {
  return new RuleError('INVALID_RULE', message);
}
