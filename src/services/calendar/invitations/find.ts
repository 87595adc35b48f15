import type { Context } from '../../../service/context.ts';
import { Problem } from '../../../base/problem.ts';
import type { CalendarInvitationRow } from '../../../platform/store/tables/calendar-invitations.ts';
import { notThere, type OpenCalendar } from '../access.ts';
import type { JcalComponent } from '../icalendar/jcal.ts';
import { organizerParty, partOf, type Party } from '../itip/self.ts';
import { zonesOf, zonesOfObject } from '../objects/known-zones.ts';
import { openRow, requireObject, splitId, type OpenObject } from '../objects/read.ts';
import { seriesOf } from '../objects/series.ts';
import { uidOf } from '../objects/write.ts';
import { uidKeyOf } from '../objects/content.ts';
import { openContentKey } from '../own-calendars.ts';
import { invitationById, invitationTo, objectOf, openText, waitingPurpose } from './rows.ts';

/** An event to which a member is invited: a copy of it, an invitation that waits, or the event of an organizer who shares the calendar. */
export interface InvitedEvent {
  readonly object: JcalComponent;
  readonly organizer: Party;
  /** second half of the id that was given */
  readonly occurrence: string | undefined;
  /** undefined: it waits */
  readonly stored: { readonly open: OpenObject; readonly calendar: OpenCalendar } | undefined;
  /** what the member knows of the invitation */
  readonly invitation: CalendarInvitationRow | undefined;
  /** the copy is the member's own */
  readonly own: boolean;
}

/**
 * The event that a member may answer.
 * @throws Problem missing NOT_FOUND, forbidden FORBIDDEN for who is not invited
 */
export async function requireInvited(
  tx: Context,
  me: Party & { readonly memberId: string },
  id: string,
): Promise<InvitedEvent> {
  const { objectId, occurrence } = splitId(id);
  const waiting = await invitationById(tx, me.memberId, objectId);
  if (waiting !== undefined) {
    if (waiting.object_id !== null) return await requireInvited(tx, me, joined(waiting.object_id, occurrence));
    if (waiting.sealed === null) throw waiting.status === 'cancelled' ? cancelled() : notThere('invitation');
    const object = JSON.parse(openText(tx, waitingPurpose(waiting.id), waiting.sealed)) as JcalComponent;
    const organizer = organizerParty(object);
    if (organizer === undefined) throw notThere('invitation');
    return { object, organizer, occurrence, stored: undefined, invitation: waiting, own: true };
  }
  const { calendar, row } = await requireObject(tx, me.memberId, objectId, 'viewer');
  const key = openContentKey(tx, calendar);
  try {
    const open = openRow(tx, calendar, key, row);
    const organizer = organizerParty(open.object);
    if (organizer === undefined || partOf(open.object, me) !== 'attendee')
      throw new Problem('forbidden', 'FORBIDDEN', 'You are not invited to this event.');
    const uidKey = uidKeyOf(tx, uidOf(open.object));
    const invitation = await invitationTo(tx, me.memberId, uidKey, organizer);
    const own = calendar.owner_id === me.memberId;
    if (!own) {
      // In the calendar of somebody else it is looked at; what is answered is the own copy.
      const copy = await objectOf(tx, me.memberId, uidKey);
      if (copy !== undefined) return await requireInvited(tx, me, joined(copy.id, occurrence));
    }
    return { object: open.object, organizer, occurrence, stored: { open, calendar }, invitation, own };
  } finally {
    key.fill(0);
  }
}

function joined(objectId: string, occurrence: string | undefined): string {
  return occurrence === undefined ? objectId : `${objectId}_${occurrence}`;
}

/** An object that is in no calendar, as if it were in this one. */
export function asOpen(
  ctx: Context,
  { zone }: Pick<OpenCalendar, 'zone'>,
  object: JcalComponent,
): Pick<OpenObject, 'object' | 'zones' | 'master' | 'series'> {
  const zones = zonesOfObject(zonesOf(ctx), zone, object);
  return { object, zones, ...seriesOf(object, zones) };
}

export function cancelled(): Problem {
  return new Problem('gone', 'EVENT_CANCELLED', 'The organizer has cancelled this event.');
}
