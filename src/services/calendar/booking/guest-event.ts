import type { Context } from '../../../service/context.ts';
import type { GivenEvent } from '../../../contract/calendar/event.ts';
import type { BookingStatus } from '../../../contract/calendar/limits.ts';
import type { CalendarObjectRow, CalendarRow } from '../../../platform/store/tables/calendars.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { changeEvent, newEvent } from '../icalendar/fields/change.ts';
import { withProperties, type JcalComponent } from '../icalendar/jcal.ts';
import { objectText } from '../icalendar/write.ts';
import { uidKeyOf } from '../objects/content.ts';
import { zonesOf, zonesOfObject } from '../objects/known-zones.ts';
import { openRow } from '../objects/read.ts';
import { insertObject, removeObject, replaceObject } from '../objects/write.ts';
import { defaultCalendar, openContentKey } from '../own-calendars.ts';
import { statusOf, type OpenAppointment } from './guest-data.ts';

/** Appointments as events: in the calendar of the host, and as a file for the guest. */

const calendarBy = writtenQuery<CalendarRow>('select * from calendars where id = $1 and owner_id = $2');
// The host may have moved it to another calendar, and a program may have made it anew there.
const objectBy = writtenQuery<CalendarObjectRow>(`
  select o.* from calendars c join calendar_objects o on o.calendar_id = c.id and o.uid_key = $1
  where c.owner_id = $2 order by o.id <> $3, o.id limit 1`);

type Made = Pick<CalendarObjectRow, 'id' | 'calendar_id'>;

/** Writes the event of an appointment into the calendar of its host; one that the host has deleted is there again. */
export async function putEvent(tx: Context, open: OpenAppointment): Promise<Made> {
  const { row } = open;
  const there = await findEvent(tx, open);
  const calendar = there?.calendar ?? (await targetCalendar(tx, open));
  const key = openContentKey(tx, calendar);
  try {
    const writable = { ...calendar, key };
    if (there === undefined) {
      const object: JcalComponent = ['vcalendar', [], [eventOf(tx, calendar.zone, open, given(open))]];
      return await insertObject(tx, writable, { object, createdBy: row.host_id });
    }
    const { object, master } = openRow(tx, calendar, key, there.object);
    const changed = eventOf(tx, calendar.zone, open, given(open), master);
    const [name, properties, components] = object;
    const others = components.filter(([kind]) => kind !== 'vevent');
    return await replaceObject(tx, writable, there.object, { object: [name, properties, [...others, changed]] });
  } finally {
    key.fill(0);
  }
}

/** Removes the event of an appointment that takes no time any more. */
export async function dropEvent(tx: Context, open: OpenAppointment): Promise<void> {
  const there = await findEvent(tx, open);
  if (there !== undefined) await removeObject(tx, there.calendar, there.object);
}

async function findEvent(tx: Context, { row, data }: OpenAppointment) {
  const [object] = (await tx.db.executeQuery(objectBy(uidKeyOf(tx, data.uid), row.host_id, row.object_id))).rows;
  if (object === undefined) return undefined;
  const [calendar] = (await tx.db.executeQuery(calendarBy(object.calendar_id, row.host_id))).rows;
  return calendar === undefined ? undefined : { calendar, object };
}

/** Where a page puts bookings; the default calendar, if that one is gone. */
async function targetCalendar(tx: Context, { row, page }: OpenAppointment): Promise<CalendarRow> {
  const { calendarId } = page.settings;
  const named = calendarId === undefined ? [] : (await tx.db.executeQuery(calendarBy(calendarId, row.host_id))).rows;
  return named[0] ?? (await defaultCalendar(tx, row.host_id));
}

function given({ row, data, page }: OpenAppointment): GivenEvent {
  const type = page.settings.appointmentTypes.find(({ id }) => id === row.type_id);
  return {
    ...timesOf({ row, page }),
    summary: `${data.typeName}: ${data.name}`.slice(0, 1_000),
    description: description(data, type?.questions ?? []),
    ...(data.location !== undefined && { location: data.location }),
    ...(data.conferenceUri !== undefined && { conference: { type: 'url' as const, uri: data.conferenceUri } }),
    ...(type?.color !== undefined && { color: type.color }),
    status: statusOf(row) === 'pending' ? 'TENTATIVE' : 'CONFIRMED',
    transparency: 'OPAQUE',
  };
}

function timesOf({ row, page }: Pick<OpenAppointment, 'row' | 'page'>): GivenEvent {
  const zone = page.settings.timezone;
  const [dtstart, dtend] = [row.start_at, row.end_at].map((at) => new Date(at).toISOString()) as [string, string];
  return { dtstart, dtstartTzid: zone, dtend, dtendTzid: zone };
}

/** What the host reads of the guest. */
function description(
  { name, email, guests, answers, notes }: OpenAppointment['data'],
  questions: readonly { readonly id: string; readonly label: string }[],
): string {
  const said = Object.entries(answers).map(([id, answer]) => {
    const label = questions.find((question) => question.id === id)?.label ?? id;
    return `${label}: ${typeof answer === 'string' ? answer : answer ? 'yes' : 'no'}`;
  });
  return [
    `Booked by ${name} <${email}>`,
    ...(guests.length > 0 ? [`With ${guests.join(', ')}`] : []),
    ...said,
    ...(notes === undefined || notes === '' ? [] : ['', notes]),
  ].join('\n');
}

function eventOf(
  ctx: Context,
  zone: string,
  { data }: OpenAppointment,
  event: GivenEvent,
  before?: JcalComponent,
): JcalComponent {
  const zones = zonesOfObject(zonesOf(ctx), zone, ['vcalendar', [], []]);
  const changing = { ...zones, now: ctx.clock.now(), memberOf: () => undefined };
  const made = before === undefined ? newEvent(data.uid, event, changing) : changeEvent(before, event, changing);
  return withProperties(made, ['sequence'], [['sequence', {}, 'integer', data.sequence]]);
}

const words: Readonly<Record<BookingStatus, 'TENTATIVE' | 'CONFIRMED' | 'CANCELLED'>> = {
  pending: 'TENTATIVE',
  confirmed: 'CONFIRMED',
  cancelled: 'CANCELLED',
  rejected: 'CANCELLED',
};

/**
 * The appointment as a file for the programs of its guest.
 * @param hostName as guests see it
 * @param link where the guest moves and cancels it; without it, for somebody else
 */
export function guestIcs(ctx: Context, open: OpenAppointment, hostName: string, link?: string): string {
  const { row, data, page } = open;
  const status = statusOf(row);
  const hasLink = link !== undefined && words[status] !== 'CANCELLED';
  const event: GivenEvent = {
    ...timesOf({ row, page }),
    summary: `${data.typeName} (${hostName})`.slice(0, 1_000),
    description: `${page.settings.title}${hasLink ? `\n\nTo move or cancel it: ${link}` : ''}`,
    ...(data.location !== undefined && { location: data.location }),
    ...(data.conferenceUri !== undefined &&
      status === 'confirmed' && { conference: { type: 'url' as const, uri: data.conferenceUri } }),
    status: words[status],
  };
  const component = eventOf(ctx, page.settings.timezone, open, event);
  return objectText(['vcalendar', [], [component]], zonesOf(ctx), { method: 'PUBLISH' });
}
