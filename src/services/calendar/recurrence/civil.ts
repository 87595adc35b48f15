import { wholeNumber } from '../../../base/whole-number.ts';
import { RuleError } from './rule-error.ts';

/**
 * Days and wall-clock times of the Gregorian calendar as numbers. A day is the number of days since 1970-01-01; a wall-clock time is the
 * milliseconds since 1970-01-01T00:00 as a clock on the wall counts them, without any zone. Nothing here knows of zones.
 */

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** 9999-12-31, the last day that iCalendar can write. */
export const LAST_DAY = 2_932_896;

export interface CivilDate {
  readonly year: number;
  /** 1 to 12 */
  readonly month: number;
  readonly day: number;
}

/** Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", days_from_civil. */
export function dayOf(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

/** Source: as above, civil_from_days. */
export function civilOf(days: number): CivilDate {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1,
  };
}

/** 0 is Monday. */
export function weekdayOf(days: number): number {
  return (((days + 3) % 7) + 7) % 7;
}

export function monthLength(year: number, month: number): number {
  return (month === 12 ? dayOf(year + 1, 1, 1) : dayOf(year, month + 1, 1)) - dayOf(year, month, 1);
}

export function yearLength(year: number): number {
  return dayOf(year + 1, 1, 1) - dayOf(year, 1, 1);
}

/** Of a wall-clock time. */
export function wallDay(wall: number): number {
  return Math.floor(wall / DAY);
}

/** `00` to `99`; faster than padding, which is most of what an instance costs. */
const two = Array.from({ length: 100 }, (_, value) => String(value).padStart(2, '0'));

export function dayText(wall: number): string {
  const { year, month, day } = civilOf(wallDay(wall));
  const century = Math.floor(year / 100);
  return `${two[century] ?? century}${two[year % 100]}-${two[month]}-${two[day]}`;
}

export function wallText(wall: number): string {
  const seconds = Math.floor((wall - wallDay(wall) * DAY) / SECOND);
  const minutes = Math.floor(seconds / 60);
  return `${dayText(wall)}T${two[Math.floor(minutes / 60)]}:${two[minutes % 60]}:${two[seconds % 60]}`;
}

/** `2026-03-29T14:00:00Z` as iCalendar writes it. */
export function basicForm(text: string): string {
  const day = text.slice(0, 4) + text.slice(5, 7) + text.slice(8, 10);
  return text.length === 10 ? day : day + text.slice(10, 13) + text.slice(14, 16) + text.slice(17);
}

/** A day, a wall-clock time, or an instant (then `ms` is UTC). */
export interface ParsedTime {
  readonly kind: 'day' | 'local' | 'instant';
  readonly ms: number;
  /** as it is written, whatever the offset */
  readonly wall: number;
}

const form =
  /^(?<year>\d{4})(?<dash>-?)(?<month>\d\d)\k<dash>(?<day>\d\d)(?:T(?<hour>\d\d)(?<colon>:?)(?<minute>\d\d)(?:\k<colon>(?<second>\d\d)(?:[.,]\d{1,9})?)?(?<zone>Z|[+-]\d\d:?\d\d)?)?$/;

/**
 * Reads `2026-03-29`, `2026-03-29T14:00[:00]`, the same with `Z` or an offset, and the forms without `-` and `:`. Parts of seconds are
 * dropped, as iCalendar has none; a leap second is the second before it (RFC 5545 3.3.12).
 *
 * @throws RuleError INVALID_TIME
 */
export function parseTime(text: string): ParsedTime {
  const parts = form.exec(text)?.groups;
  if (parts === undefined) throw invalidTime();
  const number = (name: string) => wholeNumber(parts[name]) ?? 0;
  const [year, month, day] = [number('year'), number('month'), number('day')];
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > monthLength(year, month)) throw invalidTime();
  const midnight = dayOf(year, month, day) * DAY;
  if (parts['hour'] === undefined) return { kind: 'day', ms: midnight, wall: midnight };
  const [hour, minute, second] = [number('hour'), number('minute'), number('second')];
  if (hour > 23 || minute > 59 || second > 60) throw invalidTime();
  const wall = midnight + hour * HOUR + minute * MINUTE + Math.min(second, 59) * SECOND;
  const zone = parts['zone'];
  return zone === undefined ? { kind: 'local', ms: wall, wall } : { kind: 'instant', ms: wall - offsetOf(zone), wall };
}

function offsetOf(zone: string): number {
  if (zone === 'Z') return 0;
  const [hours = 0, minutes = 0] = [wholeNumber(zone.slice(1, 3)), wholeNumber(zone.slice(-2))];
  if (hours > 23 || minutes > 59) throw invalidTime();
  return (zone.startsWith('-') ? -1 : 1) * (hours * HOUR + minutes * MINUTE);
}

function invalidTime(): RuleError {
  return new RuleError(
    'INVALID_TIME',
    'A time must be a day that exists, such as 2026-03-29, or a time such as 2026-03-29T14:00:00.',
  );
}
