import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import { davRefusal } from '../../../service/dav-matching.ts';
import type { OpenCalendar } from '../access.ts';
import { keyOf } from '../icalendar/fields/people.ts';
import { announceChange } from '../invitations/announce.ts';
import { tellOrganizer } from '../invitations/answer.ts';
import { declineRemoved } from '../invitations/decline-removed.ts';
import { isCancelled, statusIn } from '../invitations/deliver.ts';
import { membersById } from '../invitations/people.ts';
import { invitationTo, objectOf, putInvitation } from '../invitations/rows.ts';
import { organizerParty } from '../itip/self.ts';
import { openRow } from '../objects/read.ts';
import { zonesOf, zonesOfObject } from '../objects/known-zones.ts';
import type { Found } from './found.ts';
import { schedulingPart, type Scheduled } from './scheduled.ts';

/** What others have to hear of an object that was written. */
interface Written {
  readonly calendar: OpenCalendar;
  readonly found: Found | undefined;
  readonly scheduled: Scheduled;
  /** of the object */
  readonly row: Found['row'];
}

/**
 * Tells attendees what the organizer stores, and the organizer what an attendee answers. The caller has locked all of them.
 * @throws Problem tooMany RATE_LIMITED
 */
export async function announceWritten(tx: Context, { memberId }: Actor, written: Written): Promise<void> {
  const { calendar, found, scheduled } = written;
  const { part, object } = scheduled;
  if (part === 'organizer')
    await announceChange(tx, { calendar, actorId: memberId, before: found?.object, after: object });
  if (part === 'attendee') await answer(tx, written);
}

async function answer(tx: Context, { calendar, found, scheduled: { object, replies }, row }: Written): Promise<void> {
  const organizer = organizerParty(object);
  const member = (await membersById(tx, [calendar.owner_id])).get(calendar.owner_id);
  if (replies.length === 0 || organizer === undefined || member === undefined || isCancelled(object)) return;
  const invitation = await invitationTo(tx, calendar.owner_id, row.uid_key, organizer);
  // A program that brings what it had elsewhere answers nobody by that.
  if (found === undefined && invitation === undefined) return;
  const me = { memberId: calendar.owner_id, key: keyOf(member) };
  if (invitation !== undefined) {
    const status = statusIn(object, me);
    await putInvitation(tx, { ...invitation, status, object_id: row.id, sealed: null, updated_at: tx.clock.now() });
  }
  const zones = zonesOfObject(zonesOf(tx), calendar.zone, object);
  for (const { events, ...reply } of replies)
    await tellOrganizer(tx, object, events, { me, myName: member.username, ...reply }, zones);
}

/**
 * Tells others of an object that was removed: whom its organizer invited that there is nothing left, or its organizer that an attendee does not come.
 * @param scheduleReply false: the organizer hears nothing
 * @throws Problem tooMany RATE_LIMITED
 */
export async function announceRemoved(
  tx: Context,
  { memberId }: Actor,
  calendar: OpenCalendar & { readonly key: Uint8Array },
  { row, object }: Found,
  scheduleReply: boolean,
): Promise<void> {
  const part = await schedulingPart(tx, calendar, object);
  if (part === 'organizer') await announceChange(tx, { calendar, actorId: memberId, before: object, after: undefined });
  if (part === 'attendee' && scheduleReply)
    await declineRemoved(tx, calendar.owner_id, openRow(tx, calendar, calendar.key, row), undefined);
}

/**
 * A member has an event to which there are invitations in one calendar only (RFC 6638 3.2.4.1).
 * @param uid key of its UID
 * @throws Problem forbidden FORBIDDEN
 */
export async function assertOnlyOne(tx: Context, { owner_id: ownerId }: OpenCalendar, uid: string): Promise<void> {
  if ((await objectOf(tx, ownerId, uid)) === undefined) return;
  const message = 'This event is in another calendar already. Change it there, or move it.';
  throw davRefusal('forbidden', 'FORBIDDEN', 'c:unique-scheduling-object-resource', message);
}
