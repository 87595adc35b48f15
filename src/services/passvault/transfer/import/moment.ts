import { timeFrom } from '../../../../iso-time.ts';
import { wholeNumber } from '../../../../whole-number.ts';

/** ISO 8601 in UTC; undefined for what is no time. Times without a zone are taken as UTC. */
export function isoFromText(text: string | undefined): string | undefined {
  const upper = text?.toUpperCase() ?? '';
  if (upper[10] !== 'T') return undefined;
  return isoFromMilliseconds(timeFrom(upper) ?? timeFrom(`${upper}Z`) ?? Number.NaN);
}

/** @param milliseconds since 1970; 0 and below mean that the file doesn't know */
export function isoFromMilliseconds(milliseconds: number): string | undefined {
  // 8.64e15 is as far as dates go; the year 9999 as far as ISO 8601 has four digits.
  if (!(milliseconds > 0 && milliseconds < 253_402_300_800_000)) return undefined;
  return new Date(milliseconds).toISOString();
}

export function isoFromSeconds(text: string | undefined): string | undefined {
  return isoFromMilliseconds((wholeNumber(text) ?? 0) * 1000);
}

const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];

/**
 * `MM/YYYY` of what a file says; half of it may be missing (`MM/`, `/YYYY`) and none is invented.
 *
 * @param month a number from 1 to 12 or an English name
 * @param year four digits, or two for 20xx
 */
export function expirationDate(month: string | undefined, year: string | undefined): string | undefined {
  const number = monthNumber(month?.trim() ?? '');
  const full = fullYear(year?.trim() ?? '');
  return number === '' && full === '' ? undefined : `${number}/${full}`;
}

function monthNumber(month: string): string {
  const name = month.toLowerCase();
  const named = name.length < 3 ? -1 : MONTHS.findIndex((each) => each.startsWith(name));
  const number = named < 0 ? (wholeNumber(name, 12) ?? 0) : named + 1;
  return number >= 1 ? String(number).padStart(2, '0') : '';
}

function fullYear(year: string): string {
  if (/^\d{4}$/.test(year)) return year;
  return /^\d\d$/.test(year) ? `20${year}` : '';
}

/** Of `01/2030`, `1-30`, `2030-01`, `203001`; undefined for anything else. */
export function expirationDateOf(text: string | undefined): string | undefined {
  const compact = text?.trim() ?? '';
  const yearFirst = /^(\d{4})[-/.]?(\d\d)(?:[-/.]\d\d)?$/.exec(compact);
  if (yearFirst) return whole(expirationDate(yearFirst[2], yearFirst[1]));
  const monthFirst = /^(\d{1,2})[-/.](\d{2}|\d{4})$/.exec(compact);
  return monthFirst ? whole(expirationDate(monthFirst[1], monthFirst[2])) : undefined;
}

function whole(date: string | undefined): string | undefined {
  return date?.length === 7 ? date : undefined;
}
