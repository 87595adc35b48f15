import { transaction, type Context } from '../../../service/context.ts';
import { Problem } from '../../../base/problem.ts';
import type { JobHandler } from '../../../platform/store/jobs/jobs.ts';
import { lockMembers } from '../../../platform/store/member-storage.ts';
import type { CalendarProposalRow } from '../../../platform/store/tables/calendar-invitations.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { notify } from '../../../shared/notifications/notify.ts';
import { keyOf, personOf, type Person } from '../icalendar/fields/people.ts';
import { spanOf } from '../icalendar/fields/times.ts';
import { componentsOf, paramOf, propertyOf, textOf, type JcalComponent } from '../icalendar/jcal.ts';
import { openFile } from '../imports/given-file.ts';
import { requestFor } from '../itip/messages.ts';
import { instanceKey, sequenceOf, versionOf } from '../itip/receive.ts';
import { attendeeOf, invitedTo, isSame, organizerParty, partyOf, type Party } from '../itip/self.ts';
import { declines, isReplaced, type DeclinedProposal, type Version } from '../itip/versions.ts';
import { zonesOf, zonesOfObject } from '../objects/known-zones.ts';
import { uidKeyOf } from '../objects/content.ts';
import { uidOf } from '../objects/write.ts';
import { openOrganized, takeReply } from './answer.ts';
import { deliverCancel, deliverRequest, maySpeak } from './deliver.ts';
import { apart } from './apart.ts';
import { queueMail } from './outgoing.ts';
import { membersById, usernameOf, withMembers } from './people.ts';
import { addProposal, openProposal, type ProposedTime } from './proposals.ts';
import { partyKey } from './rows.ts';
import { zoneOfMember } from '../zones.ts';

/** A part of iCalendar that came by mail. */
export interface ReceivedPart {
  /** the verified address of the sender */
  readonly from: string;
  readonly name: string | undefined;
  readonly octets: Uint8Array;
}

export type ReadPart = (
  ctx: Context,
  message: { readonly itemId: string; readonly memberId: string },
) => Promise<ReceivedPart | undefined>;

interface Received {
  readonly memberId: string;
  /** the recipient */
  readonly me: Party & { readonly memberId: string };
  readonly sender: Party;
  readonly senderName: string;
  /** one event with what belongs to it */
  readonly message: JcalComponent;
}

/** Reads what a message in a mailbox says of events (RFC 6047), and does it. What is not understood is left to whoever reads the message. */
export function messageHandler(ctx: Context, read: ReadPart): JobHandler {
  return async (payload) => {
    const given = payload as { readonly itemId: string; readonly memberId: string };
    const part = await read(ctx, given);
    if (part === undefined) return;
    const found = await objectsIn(ctx, part.octets);
    const handle = found === undefined ? undefined : handlers[found.method];
    if (found === undefined || handle === undefined) return;
    await transaction(ctx, async (tx) => {
      const member = (await membersById(tx, [given.memberId])).get(given.memberId);
      if (member?.active !== true) return;
      const me = { memberId: given.memberId, key: keyOf(member) };
      const sender = await senderOf(tx, part.from);
      const senderName = Array.from(part.name ?? part.from)
        .slice(0, MOST_NAME)
        .join('');
      await lockMembers(tx, [given.memberId]);
      for (const object of found.objects) {
        const message = await withMembers(tx, object);
        // What cannot be done of one event keeps nobody from the others.
        await apart(tx, async () => await handle(tx, { memberId: given.memberId, me, sender, senderName, message }));
      }
    });
  };
}

async function objectsIn(
  ctx: Context,
  octets: Uint8Array,
): Promise<{ readonly method: string; readonly objects: readonly JcalComponent[] } | undefined> {
  try {
    const file = await openFile(octets, zonesOf(ctx));
    const [calendar] = file.calendars;
    // Several in one message would be a file, and no message.
    if (calendar?.method === undefined || file.calendars.length > 1 || file.total > MOST_EVENTS) return undefined;
    const objects = [...file.objects()].flatMap(({ object }) => (object?.component === 'VEVENT' ? [object.jcal] : []));
    return { method: calendar.method, objects };
  } catch (error) {
    if (error instanceof Problem && error.kind === 'invalid') return undefined;
    throw error;
  }
}

const MOST_EVENTS = 20;
/** Characters of a name in a notification. */
const MOST_NAME = 100;

const idByName = writtenQuery<{ id: string }>('select id from members where username_key = $1');

/** Who a verified address is. */
async function senderOf(tx: Context, from: string): Promise<Party> {
  const username = usernameOf(tx, from);
  const [member] = username === undefined ? [] : (await tx.db.executeQuery(idByName(username))).rows;
  return { memberId: member?.id, key: keyOf({ email: from }) };
}

type Handle = (tx: Context, received: Received) => Promise<void>;

const handlers: Readonly<Record<string, Handle>> = {
  REQUEST: takeRequestMail,
  // What an ADD brings is an instance (RFC 5546 3.2.4), as in a REQUEST with a RECURRENCE-ID.
  ADD: takeRequestMail,
  CANCEL: async (tx, received) => {
    if (isFromOrganizer(received)) await deliverCancel(tx, { ...received, recipient: received.me });
  },
  REPLY: takeReplyMail,
  COUNTER: takeCounterMail,
  DECLINECOUNTER: takeDeclineCounter,
  REFRESH: answerRefresh,
};

/** Only the organizer, or whoever the organizer lets act for them, invites and cancels (RFC 6047 2.2). */
function isFromOrganizer({ sender, message }: Received): boolean {
  const events = componentsOf(message, 'vevent');
  return events.every((event) => {
    const property = propertyOf(event, 'organizer');
    if (property === undefined) return false;
    const organizer = partyOf(personOf(property));
    if (isSame(organizer, sender)) return true;
    // Whoever acts for a member of this node does it here, and needs no mail.
    if (organizer.memberId !== undefined) return false;
    const by = paramOf(property, 'sent-by');
    return by !== undefined && by.toLowerCase() === sender.key;
  });
}

async function takeRequestMail(tx: Context, received: Received): Promise<void> {
  const { me, message } = received;
  if (!isFromOrganizer(received)) return;
  // Whoever is not invited has got it from somebody who forwarded it, or by a list.
  if (!componentsOf(message, 'vevent').some((event) => attendeeOf(event, me) !== undefined)) return;
  await deliverRequest(tx, { ...received, recipient: me });
}

const partstats = new Set(['ACCEPTED', 'DECLINED', 'TENTATIVE', 'DELEGATED', 'NEEDS-ACTION']);

/** The one who answers: the only attendee of a REPLY, who must be its sender. */
function answering({ sender, message }: Received): { readonly event: JcalComponent; readonly person: Person }[] {
  return componentsOf(message, 'vevent').flatMap((event) => {
    const attendees = event[1].filter(([name]) => name === 'attendee');
    const [property] = attendees;
    if (property === undefined || attendees.length > 1) return [];
    const person = personOf(property);
    return isSame(partyOf(person), sender) ? [{ event, person }] : [];
  });
}

async function takeReplyMail(tx: Context, received: Received): Promise<void> {
  const { memberId, sender, senderName, message } = received;
  const zones = zonesOfObject(zonesOf(tx), 'UTC', message);
  for (const { event, person } of answering(received)) {
    const partstat = paramOf(attendeeOf(event, sender) ?? ['', {}, ''], 'partstat')?.toUpperCase() ?? '';
    if (!partstats.has(partstat)) continue;
    const answer = {
      partstat,
      comment: textOf(propertyOf(event, 'comment')).slice(0, MOST_COMMENT),
      version: versionOf(event),
      key: instanceKey(event, zones),
    };
    await takeReply(tx, { memberId, uid: uidOf(message), from: { party: sender, person, name: senderName }, answer });
  }
}

const MOST_COMMENT = 1_000;

async function takeCounterMail(tx: Context, received: Received): Promise<void> {
  const { memberId, sender, senderName, message } = received;
  const found = await openOrganized(tx, memberId, uidOf(message));
  if (found === undefined) return;
  found.calendar.key.fill(0);
  const isInvited = invitedTo(found.open.object).some((party) => isSame(party, sender));
  const [event] = componentsOf(message, 'vevent');
  const span = event && spanOf(event, zonesOfObject(zonesOf(tx), found.calendar.zone, message));
  // A proposal to an earlier state of the event is about nothing any more.
  const current = Math.max(...componentsOf(found.open.object, 'vevent').map(sequenceOf));
  if (!isInvited || event === undefined || span === undefined || sequenceOf(event) < current) return;
  if (await isLate(tx, found.open.row.id, sender, versionOf(event))) return;
  const zones = zonesOfObject(zonesOf(tx), found.calendar.zone, message);
  const at = instanceKey(event, zones);
  const said: ProposedTime = {
    attendee: { email: sender.key.replace(/^mailto:/, ''), displayName: senderName },
    start: span.start.time,
    end: span.end.time,
    ...(span.start.zone !== undefined && { tzid: span.start.zone }),
    ...(at !== undefined && { recurrenceId: at.replace('.000', '') }),
    comment: textOf(propertyOf(event, 'comment')).slice(0, MOST_COMMENT),
    uid: uidOf(message),
  };
  const of = { organizerId: memberId, attendeeId: sender.memberId ?? null, objectId: found.open.row.id };
  await addProposal(tx, { ...of, party: sender, name: senderName, version: versionOf(event), said });
}

const earlierOf = writtenQuery<Pick<CalendarProposalRow, 'status' | 'sequence' | 'stamp'>>(`
  select status, sequence, stamp from calendar_proposals where object_id = $1 and party_key = $2 and kind = 'counter'`);

/** Whether somebody has proposed another time since. */
async function isLate(tx: Context, objectId: string, party: Party, version: Version): Promise<boolean> {
  const { rows } = await tx.db.executeQuery(earlierOf(objectId, partyKey(party)));
  return rows.some(({ status, ...known }) => isReplaced(version, { ...known, decided: status !== 'pending' }));
}

const ownPending = writtenQuery<CalendarProposalRow>(`
  select * from calendar_proposals
  where attendee_id = $1 and object_id in (
    select i.object_id from calendar_invitations i
    where i.member_id = $1 and i.uid_key = $2 and i.organizer_key = $3
    union all
    select i.id from calendar_invitations i where i.member_id = $1 and i.uid_key = $2 and i.organizer_key = $3)
    and organizer_id is null and status = 'pending' and kind = 'counter'`);
const declineOwn = writtenQuery("update calendar_proposals set status = 'declined' where id = $1");

async function takeDeclineCounter(tx: Context, received: Received): Promise<void> {
  const { memberId, me, senderName, message, sender } = received;
  const organizer = organizerParty(message);
  if (organizer === undefined || !isFromOrganizer(received)) return;
  if (!(await maySpeak(tx, { ...received, recipient: me }, organizer))) return;
  const wanted = ownPending(memberId, uidKeyOf(tx, uidOf(message)), partyKey(organizer));
  const said = declinedIn(tx, message, await zoneOfMember(tx, memberId));
  const declined = (await tx.db.executeQuery(wanted)).rows.filter((row) => isDeclined(tx, row, said));
  const [first] = declined;
  if (first === undefined) return;
  for (const { id } of declined) await tx.db.executeQuery(declineOwn(id));
  await notify(tx, {
    recipientId: memberId,
    type: 'event_reply',
    actorId: sender.memberId,
    targetId: first.id,
    content: `${senderName} declined the time that you proposed.`,
  });
}

function declinedIn(tx: Context, message: JcalComponent, zone: string): DeclinedProposal | undefined {
  const [event] = componentsOf(message, 'vevent');
  if (event === undefined) return undefined;
  const zones = zonesOfObject(zonesOf(tx), zone, message);
  const span = propertyOf(event, 'dtstart') === undefined ? undefined : spanOf(event, zones);
  // A time without a zone is another one for each of them.
  const startAt = span?.start.zone === undefined ? undefined : span.startAt;
  return { ...versionOf(event), key: instanceKey(event, zones), startAt };
}

function isDeclined(tx: Context, row: CalendarProposalRow, said: DeclinedProposal | undefined): boolean {
  const { sent } = openProposal(tx, row);
  const { sequence, stamp } = row;
  // Of those that were sent by earlier versions nothing is known to compare with.
  return said !== undefined && (sent === undefined || declines(said, { sequence, stamp, ...sent, key: sent.key }));
}

/** Whoever lost an invitation gets it again; whoever was never invited gets nothing. */
async function answerRefresh(tx: Context, { memberId, sender, message }: Received): Promise<void> {
  const found = await openOrganized(tx, memberId, uidOf(message));
  if (found === undefined) return;
  found.calendar.key.fill(0);
  const { object, zones } = found.open;
  const party = invitedTo(object).find((one) => isSame(one, sender));
  const request = party && requestFor(object, party, zones, tx.clock.now());
  if (request === undefined || !sender.key.startsWith('mailto:')) return;
  const recipients = [sender.key.slice('mailto:'.length)];
  await queueMail(tx, { memberId, method: 'REQUEST', message: request, recipients });
}
