import type { Context } from '../../../service/context.ts';
import type { Invitation } from '../../../contract/calendar/invitations.ts';
import type { InvitationStatus } from '../../../contract/calendar/limits.ts';
import type { CalendarInvitationRow } from '../../../platform/store/tables/calendar-invitations.ts';
import type { CalendarObjectRow, CalendarRow } from '../../../platform/store/tables/calendars.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { toFields } from '../icalendar/fields/to-fields.ts';
import { componentsOf, propertyOf, type JcalComponent } from '../icalendar/jcal.ts';
import { openContent } from '../objects/content.ts';
import { zonesOf, zonesOfObject } from '../objects/known-zones.ts';
import { openContentKey } from '../own-calendars.ts';
import { zoneOfMember } from '../zones.ts';
import { openText, waitingPurpose } from './rows.ts';

const objectById = writtenQuery<CalendarObjectRow>('select * from calendar_objects where id = $1');
const calendarById = writtenQuery<CalendarRow>('select * from calendars where id = $1');

/** An invitation as its list has it. @returns undefined for one of which nothing is left to show */
export async function toInvitation(
  ctx: Context,
  memberId: string,
  row: CalendarInvitationRow,
): Promise<Invitation | undefined> {
  const found = await contentOf(ctx, memberId, row);
  if (found === undefined) return undefined;
  const { object, zone } = found;
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

async function contentOf(
  ctx: Context,
  memberId: string,
  row: CalendarInvitationRow,
): Promise<{ readonly object: JcalComponent; readonly zone: string } | undefined> {
  if (row.object_id === null) {
    if (row.sealed === null) return undefined;
    const object = JSON.parse(openText(ctx, waitingPurpose(row.id), row.sealed)) as JcalComponent;
    return { object, zone: await zoneOfMember(ctx, memberId) };
  }
  const object = (await ctx.db.executeQuery(objectById(row.object_id))).rows[0];
  const calendar = object && (await ctx.db.executeQuery(calendarById(object.calendar_id))).rows[0];
  if (object === undefined || calendar?.owner_id !== memberId) return undefined;
  const key = openContentKey(ctx, calendar);
  try {
    return { object: openContent(key, object), zone: calendar.zone };
  } finally {
    key.fill(0);
  }
}
