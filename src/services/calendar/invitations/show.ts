import type { Context } from '../../../service/context.ts';
import type { Invitation } from '../../../contract/calendar/invitations.ts';
import type { InvitationStatus } from '../../../contract/calendar/limits.ts';
import type { CalendarInvitationRow } from '../../../platform/store/tables/calendar-invitations.ts';
import type { CalendarObjectRow, CalendarRow } from '../../../platform/store/tables/calendars.ts';
import { writtenList } from '../../../platform/store/written-query.ts';
import { toFields } from '../icalendar/fields/to-fields.ts';
import { componentsOf, propertyOf, type JcalComponent } from '../icalendar/jcal.ts';
import { openContent } from '../objects/content.ts';
import { zonesOf, zonesOfObject } from '../objects/known-zones.ts';
import { openContentKey } from '../own-calendars.ts';
import { zoneOfMember } from '../zones.ts';
import { openText, waitingPurpose } from './rows.ts';

const objectsById = writtenList<CalendarObjectRow>(0, (ids) => `select * from calendar_objects where id in ${ids}`);
const calendarsById = writtenList<CalendarRow>(0, (ids) => `select * from calendars where id in ${ids}`);

/** Invitations as their list has them, without those of which nothing is left to show. */
export async function toInvitations(
  ctx: Context,
  memberId: string,
  rows: readonly CalendarInvitationRow[],
): Promise<Invitation[]> {
  const objectIds = rows.flatMap((row) => row.object_id ?? []);
  const objects = objectIds.length === 0 ? [] : (await ctx.db.executeQuery(objectsById(objectIds))).rows;
  const calendarIds = [...new Set(objects.map((object) => object.calendar_id))];
  const calendars = calendarIds.length === 0 ? [] : (await ctx.db.executeQuery(calendarsById(calendarIds))).rows;
  const own = new Map(calendars.filter((one) => one.owner_id === memberId).map((one) => [one.id, one]));
  const stored = new Map(objects.map((object) => [object.id, { object, calendar: own.get(object.calendar_id) }]));
  const zone = await zoneOfMember(ctx, memberId);
  return rows.flatMap((row) => {
    const found = row.object_id === null ? waitingIn(ctx, row, zone) : copyIn(ctx, stored.get(row.object_id));
    return (found && toInvitation(ctx, row, found)) ?? [];
  });
}

interface Content {
  readonly object: JcalComponent;
  readonly zone: string;
}

function waitingIn(ctx: Context, { id, sealed }: CalendarInvitationRow, zone: string): Content | undefined {
  if (sealed === null) return undefined;
  return { object: JSON.parse(openText(ctx, waitingPurpose(id), sealed)) as JcalComponent, zone };
}

interface Stored {
  readonly object: CalendarObjectRow;
  /** undefined: it is not the member's */
  readonly calendar: CalendarRow | undefined;
}

function copyIn(ctx: Context, stored: Stored | undefined): Content | undefined {
  if (stored?.calendar === undefined) return undefined;
  const key = openContentKey(ctx, stored.calendar);
  try {
    return { object: openContent(key, stored.object), zone: stored.calendar.zone };
  } finally {
    key.fill(0);
  }
}

function toInvitation(ctx: Context, row: CalendarInvitationRow, { object, zone }: Content): Invitation | undefined {
  const events = componentsOf(object, 'vevent');
  const event = events.find((one) => propertyOf(one, 'recurrence-id') === undefined) ?? events[0];
  const fields = event && toFields(event, zonesOfObject(zonesOf(ctx), zone, object));
  if (fields === undefined) return undefined;
  const { uid, summary, description, location, allDay, dtstart, dtstartTzid, dtend, start, end, recurrence } = fields;
  return {
    id: row.id,
    eventId: row.object_id ?? row.id,
    status: row.status as InvitationStatus,
    waits: row.object_id === null,
    organizer: fields.organizer ?? {},
    uid,
    summary,
    description,
    location,
    allDay,
    dtstart,
    dtend,
    start,
    end,
    ...(dtstartTzid !== undefined && { dtstartTzid }),
    ...(recurrence !== undefined && { recurrence }),
    attendeeCount: fields.attendees.length,
    receivedAt: new Date(row.created_at).toISOString(),
  };
}
