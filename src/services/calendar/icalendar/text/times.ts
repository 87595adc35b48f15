import { wholeNumber } from '../../../../base/whole-number.ts';

/** Days and times as iCalendar writes them (20260329T120000Z) and as jCal does (2026-03-29T12:00:00Z). */

const icalTime = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})?(Z)?)?$/i;
const jcalTime = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2}):(\d{2})(Z)?)?$/;

/** What isn't a time stays as it is: whoever needs a time notices, and nothing is lost. */
export function timeFromText(text: string): string {
  const parts = icalTime.exec(text);
  if (parts === null) return text;
  const [, year, month, day, hour, minute, second = '00', utc] = parts;
  const date = `${year}-${month}-${day}`;
  return hour === undefined ? date : `${date}T${hour}:${minute}:${second}${utc === undefined ? '' : 'Z'}`;
}

/** The opposite of {@link timeFromText}. */
export function timeToText(time: string): string {
  return jcalTime.test(time) ? time.replaceAll(/[-:]/g, '') : time;
}

/** Whether it is a day or a time of jCal, and one that exists. Leap seconds do. */
export function isTime(text: string): boolean {
  const parts = jcalTime.exec(text);
  if (parts === null) return false;
  const [, , , day, hour = '00', minute = '00', second = '00'] = parts;
  // The 31st of February is the 3rd of March to Date.
  if (new Date(`${text.slice(0, 10)}T00:00:00Z`).getUTCDate() !== wholeNumber(day)) return false;
  return hour <= '23' && minute <= '59' && second <= '60';
}

export function isDay(time: string): boolean {
  return time.length === 10;
}

export function isUtc(time: string): boolean {
  return time.endsWith('Z');
}

/** Milliseconds of a day or time as if its zone were UTC. It must be one ({@link isTime}). */
export function wallMs(time: string): number {
  if (time.length === 19 && !time.endsWith(':60')) return Date.parse(`${time}Z`);
  // A leap second is the second after it.
  const [day = '', clock = '00:00:00'] = time.replace('Z', '').split('T');
  const leap = clock.endsWith(':60');
  return Date.parse(`${day}T${leap ? `${clock.slice(0, 6)}59` : clock}Z`) + (leap ? 1000 : 0);
}

/** The wall-clock time of these milliseconds: `2026-03-29T12:00:00`. */
export function wallOfMs(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19);
}

const durationForm = /^([+-])?P(?:(\d{1,5})W|(?:(\d{1,5})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,7})M)?(?:(\d{1,8})S)?)?)$/i;

export interface Duration {
  /** of the calendar, which may be 23 or 25 hours long */
  readonly days: number;
  readonly seconds: number;
}

/** @returns undefined for what is no duration (RFC 5545 3.3.6). Weeks with days, which some programs write, are none. */
export function durationOf(text: string): Duration | undefined {
  const parts = durationForm.exec(text);
  if (parts === null || !/\d/.test(text)) return undefined;
  const [, sign, ...numbers] = parts;
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = numbers.map((digits) => wholeNumber(digits) ?? 0);
  const direction = sign === '-' ? -1 : 1;
  const exact = hours * 3600 + minutes * 60 + seconds;
  // Not -0, which is not 0 to those who compare.
  return { days: direction * (weeks * 7 + days) || 0, seconds: direction * exact || 0 };
}

/** An exact duration: `-PT15M`, `PT0S`. */
export function durationText(seconds: number): string {
  const left = Math.abs(seconds);
  const [hours, minutes, rest] = [Math.floor(left / 3600), Math.floor((left % 3600) / 60), left % 60];
  const parts = [hours > 0 ? `${hours}H` : '', minutes > 0 ? `${minutes}M` : '', rest > 0 ? `${rest}S` : ''].join('');
  return `${seconds < 0 ? '-' : ''}PT${parts === '' ? '0S' : parts}`;
}
