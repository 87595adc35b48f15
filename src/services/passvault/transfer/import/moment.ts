import { timeFrom } from '../../../../base/iso-time.ts';
import { wholeNumber } from '../../../../base/whole-number.ts';

/** Converts a time to ISO 8601 in UTC; undefined if it isn't a time. Times without a zone are read as UTC. */
export function isoFromText(text: string | undefined): string | undefined {
  const upper = text?.toUpperCase() ?? '';
  if (upper[10] !== 'T') return undefined;
  return isoFromMilliseconds(timeFrom(upper) ?? timeFrom(`${upper}Z`) ?? Number.NaN);
}

/** @param milliseconds since 1970; 0 and negative values mean that the time is unknown */
export function isoFromMilliseconds(milliseconds: number): string | undefined {
  // A Date reaches to 8.64e15, and ISO 8601 with four digits to the year 9999.
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
 * The expiration date as `MM/YYYY`. Either half may be missing (`MM/`, `/YYYY`); it is not invented.
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

/** Reads `01/2030`, `1-30`, `2030-01` or `203001`; undefined for any other text. */
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
