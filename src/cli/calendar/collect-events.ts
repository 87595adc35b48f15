import { perform, type Caller } from '../../client/perform.ts';
import { calendar } from '../../contract/calendar.ts';
import type { Event } from '../../contract/calendar/event.ts';
import { calendarLimits } from '../../contract/calendar/limits.ts';

interface Wanted {
  readonly start?: string;
  readonly end?: string;
  readonly timezone?: string;
  readonly calendarId?: string[];
}

/** All events of a range, or without one all as they are stored. */
export async function collectEvents(caller: Caller, wanted: Wanted, signal?: AbortSignal): Promise<Event[]> {
  const found: Event[] = [];
  let cursor: string | undefined;
  do {
    const page = { ...wanted, limit: calendarLimits.mostOnPage, ...(cursor !== undefined && { cursor }) };
    const { events, nextCursor } = await perform(caller, calendar.listEvents, page, signal);
    found.push(...events);
    cursor = nextCursor;
  } while (cursor !== undefined);
  return found;
}
