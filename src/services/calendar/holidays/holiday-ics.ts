import { createHash } from 'node:crypto';
import type { Holiday } from '../../../contract/calendar/holidays.ts';
import type { JcalComponent, JcalProperty } from '../icalendar/jcal.ts';
import { componentText } from '../icalendar/write.ts';
import { dayAfter } from './data.ts';

interface Calendar {
  readonly id: string;
  readonly name: string;
  /** the day on which what is known was written down */
  readonly made: string;
}

/** Holidays as a calendar (RFC 5545, RFC 7986) of whole days that take no time. The same holidays give the same bytes. */
export function holidayIcs({ id, name, made }: Calendar, holidays: readonly Holiday[]): string {
  // Some readers show the backslash before a comma in X-WR-CALNAME.
  const title = `Holidays in ${name.replaceAll(', ', ' – ')}`;
  const about: readonly JcalProperty[] = [
    ['version', {}, 'text', '2.0'],
    ['prodid', {}, 'text', '-//Conclave//Holidays//EN'],
    ['calscale', {}, 'text', 'GREGORIAN'],
    ['method', {}, 'text', 'PUBLISH'],
    ['name', {}, 'text', title],
    ['x-wr-calname', {}, 'unknown', title],
    ['refresh-interval', {}, 'duration', 'P7D'],
    ['x-published-ttl', {}, 'unknown', 'P7D'],
  ];
  const events = holidays.map((holiday): JcalComponent => [
    'vevent',
    [
      ['uid', {}, 'text', uidOf(id, holiday)],
      ['dtstamp', {}, 'date-time', `${made}T00:00:00Z`],
      ['dtstart', {}, 'date', holiday.date],
      ['dtend', {}, 'date', holiday.endDate ?? dayAfter(holiday.date, 1)],
      ['summary', {}, 'text', summaryOf(holiday)],
      ...descriptionOf(holiday),
      ['transp', {}, 'text', 'TRANSPARENT'],
    ],
    [],
  ]);
  return componentText(['vcalendar', about, events]);
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

function descriptionOf({ name, localName, note }: Holiday): JcalProperty[] {
  const lines = [...(name === localName ? [] : [name]), ...(note === undefined ? [] : [note])];
  return lines.length === 0 ? [] : [['description', {}, 'text', lines.join('\n')]];
}
