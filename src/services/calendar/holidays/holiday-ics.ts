import { createHash } from 'node:crypto';
import type { Holiday } from '../../../contract/calendar/holidays.ts';
import { dayAfter } from './data.ts';

interface Calendar {
  readonly id: string;
  readonly name: string;
  /** the day on which what is known was written down */
  readonly made: string;
}

/** octets of a line without its end (RFC 5545 3.1) */
const LONGEST = 75;

/** Holidays as a calendar (RFC 5545, RFC 7986) of whole days that take no time. The same holidays give the same bytes. */
export function holidayIcs({ id, name, made }: Calendar, holidays: readonly Holiday[]): string {
  // Some readers show the backslash before a comma in X-WR-CALNAME.
  const title = textOf(`Holidays in ${name.replaceAll(', ', ' – ')}`);
  const stamp = `DTSTAMP:${basic(made)}T000000Z`;
  return [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Conclave//Holidays//EN',
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    `NAME:${title}`,
    `X-WR-CALNAME:${title}`,
    'REFRESH-INTERVAL;VALUE=DURATION:P7D',
    'X-PUBLISHED-TTL:P7D',
    ...holidays.flatMap((holiday) => [
      'BEGIN:VEVENT',
      `UID:${uidOf(id, holiday)}`,
      stamp,
      `DTSTART;VALUE=DATE:${basic(holiday.date)}`,
      `DTEND;VALUE=DATE:${basic(holiday.endDate ?? dayAfter(holiday.date, 1))}`,
      `SUMMARY:${textOf(summaryOf(holiday))}`,
      ...descriptionOf(holiday),
      'TRANSP:TRANSPARENT',
      'END:VEVENT',
    ]),
    'END:VCALENDAR',
  ]
    .map((line) => `${folded(line)}\r\n`)
    .join('');
}

/** The same for the same holiday in each version of the data. */
function uidOf(id: string, { date, name }: Holiday): string {
  const hash = createHash('sha256').update(JSON.stringify([id, date, name]));
  return `${hash.digest('hex').slice(0, 32)}@holidays`;
}

/** Who is off only for the afternoon should see it. */
function summaryOf({ localName, type }: Holiday): string {
  return type === 'partial' ? `${localName} (part of the day)` : localName;
}

function descriptionOf({ name, localName, note }: Holiday): string[] {
  const lines = [...(name === localName ? [] : [name]), ...(note === undefined ? [] : [note])];
  return lines.length === 0 ? [] : [`DESCRIPTION:${textOf(lines.join('\n'))}`];
}

function basic(date: string): string {
  return date.replaceAll('-', '');
}

function textOf(text: string): string {
  return text.replaceAll(/[\\;,]/g, String.raw`\$&`).replaceAll('\n', String.raw`\n`);
}

/** Lines are folded between letters, because most programs unfold text, not bytes. */
function folded(line: string): string {
  let text = '';
  let room = LONGEST;
  for (const letter of line) {
    const size = Buffer.byteLength(letter);
    if (size > room) {
      text += '\r\n ';
      room = LONGEST - 1;
    }
    text += letter;
    room -= size;
  }
  return text;
}
