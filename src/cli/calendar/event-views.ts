import type { Event } from '../../contract/calendar/event.ts';
import { counted } from '../kit/counted.ts';
import type { Detail } from '../kit/table.ts';
import { minute, wallFrom, type WallClock } from './wall-clock.ts';
import type { When } from './plain-words.ts';
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
  const times = eventTime(event, clock);
  return whenWords({ allDay: event.allDay, ...times, rule: event.rrule }, zone) + clockNote(event, times, clock);
}

/** What wall-clock times do not say where clocks change: how long it is, and which of two equal times is meant. */
function clockNote(
  { allDay, floating, start, end }: Event,
  wall: { readonly start: number; readonly end: number },
  { instantOf }: WallClock,
): string {
  if (allDay || floating === true) return '';
  const length = Date.parse(end) - Date.parse(start);
  const notes = [
    ...(instantOf(wall.start) < Date.parse(start) ? ['after the clocks go back'] : []),
    ...(length === wall.end - wall.start ? [] : [`${lengthWords(length)}, as the clocks change`]),
  ];
  return notes.length === 0 ? '' : ` (${notes.join('; ')})`;
}

function lengthWords(ms: number): string {
  const minutes = Math.round(ms / minute);
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [hours > 0 ? `${hours} h` : '', rest > 0 || hours === 0 ? `${rest} min` : '']
    .filter((part) => part !== '')
    .join(' ');
}

/** When an event will be; if nothing was said of its length, it is as long as before. */
export function movedWords(when: When, before: Event, clock: WallClock): string {
  const { start, end } = eventTime(before, clock);
  const isKept = !when.ended && when.allDay === before.allDay;
  return whenWords({ ...when, ...(isKept && { end: when.start + end - start }) }, clock.zone);
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
    event.occurrenceId === undefined || event.isException ? undefined : ['Note', 'an instance of a series'],
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
