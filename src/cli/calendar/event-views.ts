import type { Event } from '../../contract/calendar/event.ts';
import { counted } from '../kit/counted.ts';
import type { Detail } from '../kit/table.ts';
import { wallFrom, type WallClock } from './wall-clock.ts';
import { whenWords } from './when-words.ts';

/** When an event is, where the reader is. */
export function eventTime(event: Event, clock: WallClock): { readonly start: number; readonly end: number } {
  const { allDay, dtstart, dtend, floating } = event;
  // Days and times without a zone are the same everywhere.
  const [start, end] = [wallFrom(dtstart), wallFrom(dtend)];
  if ((allDay || floating === true) && start !== undefined && end !== undefined) return { start, end };
  return { start: clock.wallOf(Date.parse(event.start)), end: clock.wallOf(Date.parse(event.end)) };
}

export function eventWords(event: Event, clock: WallClock): string {
  const zone = event.floating === true ? 'wherever you are' : clock.zone;
  return whenWords({ allDay: event.allDay, ...eventTime(event, clock), rule: event.rrule }, zone);
}

const visibilities = {
  PUBLIC: undefined,
  PRIVATE: 'private: others see only that time is taken',
  CONFIDENTIAL: 'others see only title and time',
} as const;

/** The facts of an event, for `details`. */
export function eventFacts(event: Event, clock: WallClock, calendarName: string): Detail[] {
  const { location, description, url, categories, conference, attendees, reminders, dtstartTzid, organizer } = event;
  const facts: (Detail | undefined)[] = [
    ['Title', event.summary],
    ['When', eventWords(event, clock)],
    fact('Zone', dtstartTzid === clock.zone ? undefined : dtstartTzid),
    ['Calendar', calendarName],
    fact('Where', location),
    fact('Address', url),
    fact('Conference', conference?.uri),
    fact('Status', event.status === 'CONFIRMED' ? undefined : event.status.toLowerCase()),
    fact('Time', event.transparency === 'TRANSPARENT' ? 'free' : undefined),
    fact('Visible', visibilities[event.visibility]),
    fact('Categories', categories.join(', ')),
    fact('Organizer', organizer?.displayName ?? organizer?.email),
    fact(
      'Attendees',
      attendees
        .map(({ displayName, email, partstat }) => `${displayName ?? email ?? ''} (${partstat.toLowerCase()})`)
        .join(', '),
    ),
    fact('Reminders', reminders.map(({ trigger }) => trigger).join(', ')),
    fact('Left out', event.exdates.join(', ')),
    event.isException ? ['Note', 'an instance that was changed by itself'] : undefined,
    description === '' ? undefined : ['About', description, 'prose'],
    ['Id', event.id],
  ];
  return facts.filter((each) => each !== undefined);
}

function fact(name: string, value: string | undefined): Detail | undefined {
  return value === undefined || value === '' ? undefined : [name, value];
}

/** `the 3 instances`, `the series` */
export function droppedWords(dropped: readonly string[] | undefined): string {
  if (dropped === undefined || dropped.length === 0) return '';
  return ` ${counted(dropped.length, 'instance')} that had been changed are no longer part of the series.`;
}
