import { plainNumber, wholeNumber } from '../../base/whole-number.ts';
import { hour, minute } from './wall-clock.ts';

/** Times of day and durations in plain words. */

export interface Phrase {
  /** takes a part out of the text */
  readonly take: (pattern: RegExp) => RegExpExecArray | undefined;
  readonly rest: () => string;
}

export function phraseOf(text: string): Phrase {
  let rest = text;
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    const found = pattern.exec(rest) ?? undefined;
    if (found === undefined) return undefined;
    const after = rest.slice(found.index + found[0].length);
    rest = `${rest.slice(0, found.index)} ${after}`.replaceAll(/\s+/g, ' ').trim();
    return found;
  };
  return { take, rest: () => rest };
}

const half = String.raw`(?:\s*([ap])\.?m\.?)?`;
const time = String.raw`(?:(noon|midday|midnight)|(\d{1,2})(?:[:.](\d{2}))?${half})`;
const before = String.raw`(?<![\w.:-])`;
const after = String.raw`(?![\w:]|[.-]\d)`;
/** In `20:00 until 1 January` the number is a day. */
const noDate = String.raw`(?!\s+(?:of\s+)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))`;
const range = new RegExp(
  String.raw`${before}(?:(?:from|at)\s+)?${time}\s*(?:-|to|until|till)\s*${time}${after}${noDate}`,
  'g',
);
const one = new RegExp(String.raw`${before}(at\s+)?${time}${after}`, 'g');

export interface TimeRange {
  /** ms since midnight */
  readonly start: number;
  readonly end: number | undefined;
}

/** Takes `14:00`, `2pm`, `at 9`, `noon` or `14:00-15:30` out of a phrase. A bare number is a time only after `at`, or if the other end of a range is one. */
export function takeTimes(phrase: Phrase): TimeRange | undefined {
  const text = phrase.rest();
  for (const match of text.matchAll(range)) {
    const [whole, firstName, firstHour, firstMinute, firstHalf, name, hours, minutes, halfDay] = match;
    if (firstHalf === undefined && halfDay === undefined && !(minutes ?? firstMinute) && !(name ?? firstName)) continue;
    const end = timeOf(name, hours, minutes, halfDay);
    const start = timeOf(firstName, firstHour, firstMinute, firstHalf);
    const alike = timeOf(firstName, firstHour, firstMinute, firstHalf ?? halfDay);
    if (start === undefined || end === undefined) continue;
    phrase.take(literally(whole));
    // `2-4pm` is in the afternoon, `11-1pm` begins before noon.
    return { start: alike !== undefined && alike < end ? alike : start, end };
  }
  for (const match of text.matchAll(one)) {
    const [whole, at, name, hours, minutes, halfDay] = match;
    if (at === undefined && name === undefined && minutes === undefined && halfDay === undefined) continue;
    const start = timeOf(name, hours, minutes, halfDay);
    if (start === undefined) continue;
    phrase.take(literally(whole));
    return { start, end: undefined };
  }
  return undefined;
}

function literally(text: string): RegExp {
  return new RegExp(before + text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`) + after);
}

function timeOf(
  name: string | undefined,
  hours: string | undefined,
  minutes = '00',
  halfDay: string | undefined,
): number | undefined {
  if (name !== undefined) return name === 'midnight' ? 0 : 12 * hour;
  const given = wholeNumber(hours) ?? Number.NaN;
  const past = wholeNumber(minutes) ?? Number.NaN;
  if (!(given <= 24 && past <= 59)) return undefined;
  if (halfDay === undefined) return given < 24 || past === 0 ? given * hour + past * minute : undefined;
  if (given < 1 || given > 12) return undefined;
  return ((given % 12) + (halfDay === 'p' ? 12 : 0)) * hour + past * minute;
}

export interface Duration {
  readonly days: number;
  readonly minutes: number;
}

const number = String.raw`(\d{1,4}(?:[.,]\d{1,2})?|an?|half\s+an?)`;
const unit = '(minutes?|mins?|m|hours?|hrs?|hr|h|days?|d|weeks?|w)';
const notAPoint = String.raw`(?<!\b(?:in|next|last|after)\s)`;
const duration = new RegExp(
  String.raw`(?<![\w.:-])(?:for\s+)?${notAPoint}${number}\s*${unit}(?:\s*(?:and\s+)?(\d{1,2})\s*(?:minutes?|mins?|m)?)?(?![\w:]|\s+(?:from\s+now|ago|later|before|after))`,
);

/** Takes `1h`, `90 min`, `1h30`, `for 2 hours` or `3 days` out of a phrase. */
export function takeDuration(phrase: Phrase): Duration | undefined {
  const match = duration.exec(phrase.rest());
  if (match === null) return undefined;
  const [, amount = '', name = '', more] = match;
  const isHours = name.startsWith('h');
  // Only of hours there are minutes: in `30 min 12 May` the second number is a day.
  if (more !== undefined && !isHours) {
    phrase.take(new RegExp(String.raw`(?<![\w.:-])(?:for\s+)?${amount}\s*${name}(?!\w)`));
    return durationOf(amount, name, 0);
  }
  phrase.take(duration);
  return durationOf(amount, name, wholeNumber(more) ?? 0);
}

function durationOf(amount: string, unitName: string, more: number): Duration | undefined {
  const count = amount.startsWith('half')
    ? 0.5
    : amount.startsWith('a')
      ? 1
      : (plainNumber(amount.replace(',', '.')) ?? 1);
  if (unitName.startsWith('d')) return { days: Math.round(count), minutes: 0 };
  if (unitName.startsWith('w')) return { days: Math.round(count * 7), minutes: 0 };
  return { days: 0, minutes: Math.round(unitName.startsWith('h') ? count * 60 + more : count) };
}

/** A duration as iCalendar has it. */
export function durationText({ days, minutes }: Duration): string {
  return `P${days > 0 ? `${days}D` : ''}${minutes > 0 || days === 0 ? `T${minutes}M` : ''}`;
}
