import type { Client } from '../../client/client.ts';
import { agendaSpan, readSpan, type AgendaGiven } from './agenda-span.ts';
import { collectEvents } from './collect-events.ts';
import { calendarsNamed } from './find-calendar.ts';
import { placedEvents } from './picture/placed.ts';
import { readerClock } from './reader-zone.ts';
import { dayText } from './wall-clock.ts';

interface Wanted extends AgendaGiven {
  readonly calendar?: readonly string[] | undefined;
  readonly zone?: string | undefined;
  /** whether it is drawn, which needs more than a list */
  readonly isDrawn: boolean;
}

/** What an agenda shows, as the reader's clocks have it. @throws Problem invalid USAGE, missing NOT_FOUND, conflict AMBIGUOUS */
export async function readAgenda(client: Client, wanted: Wanted, now: number) {
  const clock = await readerClock(client, wanted.zone);
  const span = await agendaSpan(wanted, { now, clock });
  const read = readSpan(span, wanted.isDrawn);
  const { calendars, chosen } = await calendarsNamed(client, wanted.calendar ?? []);
  const range = { start: dayText(read.from), end: dayText(read.to), timezone: clock.zone };
  const events = await collectEvents(client, { ...range, ...(chosen.length > 0 && { calendarId: chosen }) });
  return { answer: { ...range, events }, agenda: { span, placed: placedEvents(events, clock), calendars, clock, now } };
}
