import { createHmac } from 'node:crypto';
import type { Context } from '../../../service/context.ts';
import type { Event } from '../../../contract/calendar/event.ts';
import { deriveKey } from '../../../crypto/hkdf.ts';
import type { CalendarObjectRow } from '../../../platform/store/tables/calendars.ts';
import type { OpenCalendar } from '../access.ts';
import { toFields, type EventFields, type Times } from '../icalendar/fields/to-fields.ts';
import type { JcalComponent } from '../icalendar/jcal.ts';
import { visibilityOf } from '../objects/instances.ts';
import type { OpenObject } from '../objects/read.ts';
import type { Instance } from '../recurrence/open-series.ts';
import type { ChangedInstance } from '../objects/series.ts';
import { etagFor } from './seen-etag.ts';
import type { EventInstance } from '../objects/runs.ts';

/** How much of an event somebody sees. */
export type Insight = 'all' | 'title' | 'busy';

/** The one rule for what others see of an event: lists, searches, files and programs ask it. */
export function insightOf(
  { permission }: Pick<OpenCalendar, 'permission'>,
  memberId: string,
  { created_by: createdBy }: Pick<CalendarObjectRow, 'created_by'>,
  component: JcalComponent | undefined,
): Insight {
  const visibility = visibilityOf(component);
  if (permission === 'owner' || visibility === 'PUBLIC' || createdBy === memberId) return 'all';
  if (visibility === 'PRIVATE') return 'busy';
  return permission === 'editor' ? 'all' : 'title';
}

interface Reader {
  readonly memberId: string;
  readonly calendar: OpenCalendar;
}

/** An event or a series, as the reader sees it. @returns undefined for what is no event */
export function toEvent(open: OpenObject, { memberId, calendar }: Reader): Event | undefined {
  const { row, master, span, zones } = open;
  const component = master ?? open.series.overrides[0]?.component;
  const fields = component === undefined ? undefined : toFields(component, zones, span);
  if (fields === undefined) return undefined;
  const event = { ...fields, ...common(row, { memberId, calendar }), ...ofPeople(fields, memberId), id: row.id };
  return seen(event, insightOf(calendar, memberId, row, component));
}

/** One instance of a series, as the reader sees it. */
export function toInstance(
  open: OpenObject,
  instance: Instance<ChangedInstance>,
  { memberId, calendar }: Reader,
): Event | undefined {
  const { row, master, span, zones } = open;
  const component = instance.override?.component ?? master;
  const known = component === master ? span : undefined;
  const fields = component === undefined ? undefined : toFields(component, zones, known, timesOf(instance));
  if (fields === undefined) return undefined;
  const id = `${row.id}_${instance.recurrence.id}`;
  // They are nobody else's. Copies of so many fields would take a third of the time of a page.
  const more = common(row, { memberId, calendar });
  const event: Event = Object.assign(fields, more, ofPeople(fields, memberId), {
    id,
    occurrenceId: id,
    parentEventId: row.id,
    recurrenceId: instance.recurrence.at,
    isRecurring: true,
    isException: instance.override !== undefined,
  });
  return seen(event, insightOf(calendar, memberId, row, component));
}

function timesOf({ allDay, zone, startAt, endAt, start, end }: Instance): Times {
  const wall = (text: string) => text.replace(/Z$/, '');
  const named = allDay || zone === 'floating' ? {} : { dtstartTzid: zone === 'utc' ? 'UTC' : zone };
  return {
    allDay,
    dtstart: wall(startAt),
    dtend: wall(endAt),
    ...named,
    ...('dtstartTzid' in named && { dtendTzid: named.dtstartTzid }),
    start: new Date(start).toISOString(),
    end: new Date(end).toISOString(),
  };
}

function common(row: CalendarObjectRow, reader: Reader) {
  const { id, permission } = reader.calendar;
  return {
    calendarId: id,
    etag: etagFor(reader, row),
    dateCreated: new Date(row.created_at).toISOString(),
    dateModified: new Date(row.modified_at).toISOString(),
    organizerId: row.created_by,
    myPermission: permission,
  };
}

/** What an event says of its reader, and of who organizes it. */
function ofPeople({ organizer, attendees }: Pick<EventFields, 'organizer' | 'attendees'>, memberId: string) {
  const mine = attendees.find(({ userId }) => userId === memberId)?.partstat;
  const organizerId = organizer?.userId;
  return {
    // Somebody who is elsewhere has no id.
    ...(organizer !== undefined && { organizerId }),
    ...(mine !== undefined && { myPartstat: mine }),
  };
}

/** The title of what others do not see. */
export const BUSY = 'Busy';

/** What is left of an event for those who do not see all of it. */
function seen(event: Event, insight: Insight): Event {
  if (insight === 'all') return event;
  const { id, calendarId, sequence, etag, dateCreated, dateModified, myPermission } = event;
  const { allDay, dtstart, dtstartTzid, dtend, dtendTzid, start, end, duration, floating } = event;
  const { visibility, transparency, status, isRecurring, isException } = event;
  const { recurrenceId, parentEventId, occurrenceId, rrule, recurrence } = event;
  return {
    id,
    calendarId,
    // A UID may name somebody.
    uid: insight === 'title' ? event.uid : (parentEventId ?? id),
    sequence,
    etag,
    dateCreated,
    dateModified,
    myPermission,
    summary: insight === 'title' ? event.summary : BUSY,
    description: '',
    location: '',
    categories: [],
    allDay,
    dtstart,
    dtend,
    start,
    end,
    duration,
    visibility,
    transparency,
    status,
    ...(dtstartTzid !== undefined && { dtstartTzid }),
    ...(dtendTzid !== undefined && { dtendTzid }),
    ...(floating !== undefined && { floating }),
    attendees: [],
    ...(rrule !== undefined && { rrule }),
    ...(recurrence !== undefined && { recurrence }),
    exdates: event.exdates,
    rdates: event.rdates,
    ...(recurrenceId !== undefined && { recurrenceId }),
    ...(parentEventId !== undefined && { parentEventId }),
    ...(occurrenceId !== undefined && { occurrenceId }),
    isRecurring,
    isException,
    reminders: [],
    attachments: [],
  };
}

/** Ids of busy blocks, which open nothing. The key is derived once for all of a page. */
interface BusyIds {
  of(row: EventInstance): string;
  [Symbol.dispose](): void;
}

/** Dispose of them when they are of no more use. */
export function openBusyIds({ keys }: Pick<Context, 'keys'>): BusyIds {
  const key = deriveKey(keys.wrap, 'conclave/calendar/busy/v1');
  return {
    of: (row) => createHmac('sha256', key).update(`${row.object_id} ${row.recurrence}`).digest('hex').slice(0, 32),
    [Symbol.dispose]: () => void key.fill(0),
  };
}

/** That time is taken, for those who see nothing else of a calendar. */
export function toBusyBlock(id: string, row: EventInstance, calendar: OpenCalendar): Event {
  const [start, end] = [row.start_at, row.end_at].map((at) => new Date(at).toISOString()) as [string, string];
  return {
    id,
    calendarId: calendar.id,
    uid: id,
    sequence: 0,
    etag: id,
    dateCreated: start,
    dateModified: start,
    summary: BUSY,
    description: '',
    location: '',
    categories: [],
    allDay: false,
    dtstart: start.slice(0, 19),
    dtstartTzid: 'UTC',
    dtend: end.slice(0, 19),
    dtendTzid: 'UTC',
    start,
    end,
    duration: `PT${Math.round((row.end_at - row.start_at) / 1000)}S`,
    visibility: 'PUBLIC',
    transparency: 'OPAQUE',
    status: row.status === 'TENTATIVE' ? 'TENTATIVE' : 'CONFIRMED',
    attendees: [],
    exdates: [],
    rdates: [],
    isRecurring: false,
    isException: false,
    reminders: [],
    attachments: [],
    myPermission: calendar.permission,
  };
}
