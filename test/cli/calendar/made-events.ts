import type { Event } from '../../../src/contract/calendar/event.ts';
import { loadMeasure } from '../../../src/cli/kit/display-width.ts';
import { colourOf, type PictureLook } from '../../../src/cli/calendar/picture/look.ts';
import { wallClock } from '../../../src/cli/calendar/wall-clock.ts';

export const measure = await loadMeasure();
export const berlin = wallClock('Europe/Berlin');

/** Names that would move the cursor, turn the direction of text, or take two columns a character. */
export const hostile = '\u001b[2J\u202e\u009b31m漢字👩‍👩‍👧 ';

let made = 0;

/** An event with times of Berlin, or on days. */
export function eventOf(summary: string, from: string, to: string, more: Partial<Event> = {}): Event {
  const allDay = from.length === 10;
  const instant = (text: string): string =>
    new Date(allDay ? text : berlin.instantOf(Date.parse(`${text}Z`))).toISOString();
  return {
    id: String((made += 1)).padStart(32, '0'),
    calendarId: 'work',
    uid: 'x',
    sequence: 0,
    etag: 'e',
    dateCreated: '2026-11-01T00:00:00.000Z',
    dateModified: '2026-11-01T00:00:00.000Z',
    summary,
    description: '',
    location: '',
    categories: [],
    allDay,
    dtstart: from,
    ...(!allDay && { dtstartTzid: 'Europe/Berlin' }),
    dtend: to,
    start: instant(from),
    end: instant(to),
    duration: 'PT1H',
    visibility: 'PUBLIC',
    transparency: 'OPAQUE',
    status: 'CONFIRMED',
    attendees: [],
    exdates: [],
    rdates: [],
    isRecurring: false,
    isException: false,
    reminders: [],
    attachments: [],
    myPermission: 'owner',
    ...more,
  };
}

export function plainLook(width: number): PictureLook {
  return { width, paint: (_, text) => text, measure, colour: colourOf([], 'none') };
}
