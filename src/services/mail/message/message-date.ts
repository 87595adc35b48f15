import { wholeNumber } from '../../../base/whole-number.ts';

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** In hours; RFC 5322 4.3. Other letters say nothing of the time. */
const zones: Readonly<Record<string, number>> = {
  est: -5,
  edt: -4,
  cst: -6,
  cdt: -5,
  mst: -7,
  mdt: -6,
  pst: -8,
  pdt: -7,
};

const form =
  /^(?:[a-z]+\s*,?\s*)?(?<day>\d{1,2})[\s-]+(?<month>[a-z]{3})[a-z]*[\s.-]+(?<year>\d{2,4})\s+(?<hour>\d{1,2})\s*:\s*(?<minute>\d{2})(?:\s*:\s*(?<second>\d{2})(?:\.\d+)?)?\s*(?:(?<sign>[+-])(?<offset>\d{4})|(?<zone>[a-z]+))?\s*$/i;

/** Dates are below 40 characters. */
const LONGEST = 500;

/** A date of RFC 5322, with its obsolete forms. @returns milliseconds since 1970; undefined if there is no such date */
export function dateFrom(text: string): number | undefined {
  if (text.length > LONGEST) return undefined;
  const found = form.exec(withoutComments(text).trim())?.groups;
  if (found === undefined) return undefined;
  const part = (name: string): number => wholeNumber(found[name]) ?? 0;
  const month = months.indexOf((found['month'] ?? '').toLowerCase());
  const [year, day, hour, minute, second] = [
    yearOf(found['year'] ?? ''),
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  ];
  if (month === -1 || year < 1900 || day < 1 || hour > 23 || minute > 59 || second > 60) return undefined;
  // The day after the last one of a month would be the first of the next.
  if (new Date(Date.UTC(year, month, day)).getUTCDate() !== day) return undefined;
  return Date.UTC(year, month, day, hour, minute, second) - offsetOf(found) * 60_000;
}

/** RFC 5322 4.3: years of two digits end in 2049, those of three begin in 1900. */
function yearOf(digits: string): number {
  const year = wholeNumber(digits) ?? 0;
  if (digits.length === 4) return year;
  return year + (digits.length === 2 && year < 50 ? 2000 : 1900);
}

/** In minutes. */
function offsetOf({ sign, offset = '', zone = '' }: Readonly<Record<string, string | undefined>>): number {
  if (sign === undefined) return (zones[zone.toLowerCase()] ?? 0) * 60;
  const minutes = (wholeNumber(offset.slice(0, 2)) ?? 0) * 60 + (wholeNumber(offset.slice(2)) ?? 0);
  return sign === '-' ? -minutes : minutes;
}

/** Comments nest, so the innermost go first. */
function withoutComments(text: string): string {
  const without = text.replaceAll(/\((?:[^()\\]|\\.)*\)/g, ' ');
  return without === text ? text : withoutComments(without);
}
