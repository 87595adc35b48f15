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

const time = String.raw`(?<hour>\d{1,2}) ?: ?(?<minute>\d{2})(?: ?: ?(?<second>\d{2})(?:[.,]\d+)?)?`;
const offset = String.raw`(?<sign>[+-])(?<hours>\d{1,2})(?::?(?<minutes>\d{2}))?`;
/** A name before or after an offset says the same. */
const zone = `(?:(?:utc?|gmt)?${offset}(?: [a-z]+)?|(?<zone>[a-z]+))`;
const weekday = '(?:[a-z]+(?: ?, ?| ))?';
const monthName = String.raw`(?<month>[a-z]{3})[a-z]*`;

/** Blanks are single ones. */
const forms = [
  // RFC 5322, 3.3 and 4.3
  String.raw`${weekday}(?<day>\d{1,2})[ -]+${monthName}[ .-]+(?<year>\d{2,4}),? ${time} ?${zone}?`,
  // asctime and date(1), where a zone may stand before the year, or behind it
  String.raw`${weekday}${monthName} (?<day>\d{1,2}) ${time}(?: (?<before>[a-z]+|[+-]\d{4}))? (?<year>\d{4})(?: ${zone})?`,
  // JavaScript, and Americans
  String.raw`${weekday}${monthName}\.? (?<day>\d{1,2}),? (?<year>\d{4}),? ${time} ?${zone}?`,
  // ISO 8601
  String.raw`(?<year>\d{4})-(?<number>\d{2})-(?<day>\d{2})[t ]${time} ?${zone}?`,
].map((form) => new RegExp(`^${form}$`, 'i'));

/** Dates are below 40 characters. */
const LONGEST = 500;

type Found = Readonly<Record<string, string | undefined>>;

/**
 * A date of RFC 5322 with its obsolete forms, and other dates that say one time: those of asctime, of JavaScript, and of ISO 8601. What is in
 * numbers alone, other than in ISO 8601, has two meanings. Without a zone, it is UTC.
 * @returns milliseconds since 1970; undefined if there is no such date
 */
export function dateFrom(text: string): number | undefined {
  if (text.length > LONGEST) return undefined;
  const written = withoutComments(text)
    .replaceAll(/[\s"]+/g, ' ')
    .trim();
  const found = forms.map((form) => form.exec(written)?.groups).find((groups) => groups !== undefined);
  if (found === undefined) return undefined;
  const part = (name: string): number => wholeNumber(found[name]) ?? 0;
  const month = monthOf(found);
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

/** From 0; -1 if there is no such month. */
function monthOf({ month = '', number }: Found): number {
  if (number === undefined) return months.indexOf(month.toLowerCase());
  const index = (wholeNumber(number) ?? 0) - 1;
  return index < months.length ? index : -1;
}

/** RFC 5322 4.3: years of two digits end in 2049, those of three begin in 1900. */
function yearOf(digits: string): number {
  const year = wholeNumber(digits) ?? 0;
  if (digits.length === 4) return year;
  return year + (digits.length === 2 && year < 50 ? 2000 : 1900);
}

/** In minutes. */
function offsetOf({ sign, hours = '', minutes = '', zone: name = '', before = '' }: Found): number {
  const found = new RegExp(`^${offset}$`).exec(before)?.groups;
  if (found !== undefined) return offsetOf(found);
  if (sign === undefined) return (zones[(name === '' ? before : name).toLowerCase()] ?? 0) * 60;
  const amount = (wholeNumber(hours) ?? 0) * 60 + (wholeNumber(minutes) ?? 0);
  return sign === '-' ? -amount : amount;
}

/** Comments nest, so the innermost go first. One that nothing ends goes on to the end. */
function withoutComments(text: string): string {
  const without = text.replaceAll(/\((?:[^()\\]|\\.)*\)/g, ' ');
  return without === text ? text.replace(/\(.*$/s, '') : withoutComments(without);
}
