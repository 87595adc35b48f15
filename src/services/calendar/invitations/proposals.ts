import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { invitations, Proposal } from '../../../contract/calendar/invitations.ts';
import type { Partstat, ProposalStatus } from '../../../contract/calendar/limits.ts';
import type { InputOf, ReplyOf } from '../../../contract/operation.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import type { CalendarProposalRow } from '../../../platform/store/tables/calendar-invitations.ts';
import { insertRows, writtenQuery } from '../../../platform/store/written-query.ts';
import { notify } from '../../../shared/notifications/notify.ts';
import { notThere } from '../access.ts';
import type { Person } from '../icalendar/fields/people.ts';
import { changeEvent } from '../icalendar/fields/change.ts';
import { spanOf } from '../icalendar/fields/times.ts';
import { componentsOf, withProperties, type JcalComponent } from '../icalendar/jcal.ts';
import { stampOf } from '../itip/messages.ts';
import { instanceKey, sequenceOf } from '../itip/receive.ts';
import { attendeeOf, type Party } from '../itip/self.ts';
import type { OwnProposal } from '../itip/versions.ts';
import { splitId, type OpenObject } from '../objects/read.ts';
import { uidOf } from '../objects/write.ts';
import { aimedAt, makeRoom, openOrganized, proposalPurpose } from './answer.ts';
import { asOpen, type InvitedEvent } from './find.ts';
import { queueMail } from './outgoing.ts';
import { hasRoute } from './routes.ts';
import { openText, partyKey, sealText } from './rows.ts';
import { zoneOfMember } from '../zones.ts';

type Contract = typeof invitations;

/** What a proposal says. */
export interface ProposedTime {
  readonly attendee: Person;
  readonly start: string;
  readonly end: string;
  readonly tzid?: string | undefined;
  readonly recurrenceId?: string | undefined;
  readonly comment?: string | undefined;
  /** the event of the attendee, if that is a member of this node */
  readonly attendeeEvent?: string | undefined;
  readonly uid: string;
  /** what an answer that comes by mail is compared with */
  readonly sent?: Pick<OwnProposal, 'key' | 'startAt' | 'insteadOf'>;
}

interface Proposing {
  readonly me: Party & { readonly memberId: string };
  readonly myName: string;
  readonly invited: InvitedEvent;
  readonly input: InputOf<Contract['counter']>;
}

/** Proposes another time to the organizer, whom the caller has locked if that is a member of this node. @throws Problem as the operation */
export async function propose(tx: Context, { me, myName, invited, input }: Proposing): Promise<Proposal> {
  const { stored, organizer, object, occurrence, invitation } = invited;
  const zone = stored?.calendar.zone ?? (await zoneOfMember(tx, me.memberId));
  const open = stored?.open ?? (asOpen(tx, { zone }, object) as OpenObject);
  const at = occurrence ?? input.recurrenceId;
  const now = tx.clock.now();
  const aimed = aimedAt(open, at, now);
  if (aimed === undefined) throw fieldProblem('recurrenceId', 'is not a time at which the series has an event');
  const event = meantBy(aimed, open);
  if (event === undefined || attendeeOf(event, me) === undefined)
    throw new Problem('forbidden', 'FORBIDDEN', 'You are not invited to this event.');
  const { proposedStart: start, proposedEnd: end, proposedTzid: tzid, comment } = input;
  // Whether it can be the time of this event, the event itself says.
  const moved = changeEvent(
    event,
    { dtstart: start, dtend: end, ...(tzid !== undefined && { tzid }) },
    { ...open.zones, now, memberOf: () => undefined },
  );
  const said: ProposedTime = {
    attendee: { userId: me.memberId, displayName: myName },
    start,
    end,
    tzid,
    recurrenceId: at,
    comment,
    attendeeEvent: stored?.open.row.id ?? invitation?.id,
    uid: uidOf(object),
    ...sentOf(event, moved, open),
  };
  const version = { sequence: sequenceOf(event), stamp: now };
  if (organizer.memberId !== undefined) {
    const target = await openOrganized(tx, organizer.memberId, said.uid);
    if (target === undefined) throw notThere('event');
    target.calendar.key.fill(0);
    const of = { organizerId: organizer.memberId, attendeeId: me.memberId, objectId: target.open.row.id };
    const row = await addProposal(tx, { ...of, party: me, name: myName, version, said });
    if (row === undefined) throw tooMany();
    return { ...toProposal(row, said), eventId: said.attendeeEvent ?? row.object_id };
  }
  const objectId = stored?.open.row.id ?? invitation?.id ?? '';
  const of = { organizerId: null, attendeeId: me.memberId, objectId };
  const row = await addProposal(tx, { ...of, party: me, name: myName, version, said });
  if (row === undefined) throw tooMany();
  const address = organizer.key.startsWith('mailto:') ? organizer.key.slice('mailto:'.length) : undefined;
  if (address !== undefined && (await hasRoute(tx, address))) {
    const message = counterMessage(object, moved, me, comment, now);
    await queueMail(tx, { memberId: me.memberId, method: 'COUNTER', message, recipients: [address] });
  }
  return toProposal(row, said);
}

function sentOf(event: JcalComponent, moved: JcalComponent, { zones }: OpenObject): Pick<ProposedTime, 'sent'> {
  const [before, after] = [event, moved].map((one) => spanOf(one, zones)?.startAt);
  if (before === undefined || after === undefined) return {};
  return { sent: { key: instanceKey(event, zones), startAt: after, insteadOf: before } };
}

/** The component of an instance, or of the whole event. */
function meantBy(
  { object, key }: NonNullable<ReturnType<typeof aimedAt>>,
  { zones }: Pick<OpenObject, 'zones'>,
): JcalComponent | undefined {
  const events = componentsOf(object, 'vevent');
  const found = events.find((event) => instanceKey(event, zones) === key);
  return found ?? (key === undefined ? events[0] : undefined);
}

function tooMany(): Problem {
  return new Problem(
    'tooMany',
    'RATE_LIMITED',
    'The event has as many proposals as is possible. Try again when some are decided.',
  );
}

function counterMessage(
  object: JcalComponent,
  [name, properties]: JcalComponent,
  me: Party,
  comment: string | undefined,
  now: number,
): JcalComponent {
  const mine = attendeeOf([name, properties, []], me);
  const kept = properties.filter(([one]) => one !== 'attendee' && !one.startsWith('x-') && one !== 'dtstamp');
  const event: JcalComponent = [
    name,
    [
      ...kept,
      ['dtstamp', {}, 'date-time', stampOf(now)],
      ...(mine === undefined ? [] : [mine]),
      ...(comment === undefined || comment === '' ? [] : [['comment', {}, 'text', comment] as const]),
    ],
    [],
  ];
  return [object[0], object[1], [...object[2].filter(([kind]) => kind === 'vtimezone'), event]];
}

export interface NewProposal {
  readonly organizerId: string | null;
  readonly attendeeId: string | null;
  readonly objectId: string;
  readonly party: Party;
  readonly name: string;
  readonly version: { readonly sequence: number; readonly stamp: number };
  readonly said: ProposedTime;
}

/** @returns undefined if there are too many */
export async function addProposal(
  tx: Context,
  { organizerId, attendeeId, objectId, party, name, version, said }: NewProposal,
): Promise<CalendarProposalRow | undefined> {
  if (!(await makeRoom(tx, objectId, party, 'counter'))) return undefined;
  const now = tx.clock.now();
  const id = recordId(now, tx.random);
  const row: CalendarProposalRow = {
    id,
    kind: 'counter',
    organizer_id: organizerId,
    attendee_id: attendeeId,
    object_id: objectId,
    party_key: partyKey(party),
    status: 'pending',
    sequence: version.sequence,
    stamp: version.stamp,
    sealed: sealText(tx, proposalPurpose(id), JSON.stringify(said)),
    created_at: now,
  };
  await insertRows(tx.db, 'calendar_proposals', [row]);
  if (organizerId !== null)
    await notify(tx, {
      recipientId: organizerId,
      type: 'event_reply',
      actorId: party.memberId,
      targetId: objectId,
      content: `${name} proposes another time for your event.`,
    });
  return row;
}

const byId = writtenQuery<CalendarProposalRow>("select * from calendar_proposals where id = $1 and kind = 'counter'");

/**
 * A proposal that the member may decide.
 * @throws Problem missing NOT_FOUND, forbidden FORBIDDEN, conflict ALREADY_DECIDED
 */
export async function requireProposal(
  tx: Context,
  memberId: string,
  eventId: string,
  id: string,
): Promise<CalendarProposalRow> {
  const row = (await tx.db.executeQuery(byId(id))).rows[0];
  const mine = row !== undefined && (row.organizer_id === memberId || row.attendee_id === memberId);
  if (!mine) throw notThere('proposal');
  if (row.organizer_id !== memberId)
    throw new Problem('forbidden', 'FORBIDDEN', 'Only the organizer of the event can decide this.');
  if (splitId(eventId).objectId !== row.object_id) throw notThere('proposal');
  if (row.status !== 'pending')
    throw new Problem('conflict', 'ALREADY_DECIDED', `The proposal was ${row.status} already.`);
  return row;
}

export function openProposal(ctx: Context, { id, sealed }: CalendarProposalRow): ProposedTime {
  return JSON.parse(openText(ctx, proposalPurpose(id), sealed)) as ProposedTime;
}

const decide = writtenQuery("update calendar_proposals set status = $1 where id = $2 and status = 'pending'");

/** Notes what became of a proposal, and tells who made it. The caller has locked them. */
export async function decideProposal(
  tx: Context,
  { memberId, username }: Pick<Actor, 'memberId' | 'username'>,
  row: CalendarProposalRow,
  { status, comment }: { readonly status: 'accepted' | 'declined'; readonly comment: string | undefined },
): Promise<Proposal> {
  await tx.db.executeQuery(decide(status, row.id));
  const said = openProposal(tx, row);
  if (status === 'declined') {
    if (row.attendee_id !== null)
      await notify(tx, {
        recipientId: row.attendee_id,
        type: 'event_reply',
        actorId: memberId,
        targetId: said.attendeeEvent,
        content: `${username} declined the time that you proposed.`,
      });
    else await mailDecline(tx, row, said, comment);
  }
  return toProposal({ ...row, status }, said);
}

/** With the times that were proposed, or without any if those can be none of this event. */
function withTimes(
  event: JcalComponent,
  { start, end, tzid }: Pick<ProposedTime, 'start' | 'end' | 'tzid'>,
  context: OpenObject['zones'] & { readonly now: number },
): JcalComponent {
  try {
    const proposed = { dtstart: start, dtend: end, ...(tzid !== undefined && { tzid }) };
    return changeEvent(event, proposed, { ...context, memberOf: () => undefined });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return withProperties(event, ['dtstart', 'dtend', 'duration'], []);
  }
}

const declining = new Set(['uid', 'sequence', 'organizer', 'recurrence-id', 'dtstart', 'dtend', 'duration']);

async function mailDecline(
  tx: Context,
  { organizer_id: memberId, stamp }: CalendarProposalRow,
  { uid, attendee: { email }, recurrenceId, start, end, tzid }: ProposedTime,
  comment: string | undefined,
): Promise<void> {
  if (memberId === null || email === undefined || !(await hasRoute(tx, email))) return;
  const found = await openOrganized(tx, memberId, uid);
  if (found === undefined) return;
  found.calendar.key.fill(0);
  const now = tx.clock.now();
  const aimed = aimedAt(found.open, recurrenceId, now);
  const event = aimed && meantBy(aimed, found.open);
  if (event === undefined) return;
  // With its time an attendee knows which of several proposals is meant.
  const [name, properties] = withTimes(event, { start, end, tzid }, { ...found.open.zones, now });
  const kept = properties.filter(([one]) => declining.has(one));
  const told = attendeeOf(event, { key: `mailto:${email}` });
  const message: JcalComponent = [
    name,
    [
      ...kept,
      // Clocks of two nodes may differ: it was proposed before.
      ['dtstamp', {}, 'date-time', stampOf(Math.max(now, stamp))],
      ...(told === undefined ? [] : [told]),
      ...(comment === undefined || comment === '' ? [] : [['comment', {}, 'text', comment] as const]),
    ],
    [],
  ];
  const [root, about, components] = found.open.object;
  const whole: JcalComponent = [root, about, [...components.filter(([kind]) => kind === 'vtimezone'), message]];
  await queueMail(tx, { memberId, method: 'DECLINECOUNTER', message: whole, recipients: [email] });
}

function toProposal(row: CalendarProposalRow, said: ProposedTime): Proposal {
  const { attendee, start, end, tzid, recurrenceId, comment } = said;
  return {
    id: row.id,
    eventId: row.object_id,
    attendee,
    proposedStart: start,
    proposedEnd: end,
    ...(tzid !== undefined && { proposedTzid: tzid }),
    ...(recurrenceId !== undefined && { recurrenceId }),
    ...(comment !== undefined && comment !== '' && { comment }),
    status: row.status as ProposalStatus,
    createdAt: new Date(row.created_at).toISOString(),
  };
}

const LISTED = 200;
const ofOrganizer = writtenQuery<CalendarProposalRow>(`
  select * from calendar_proposals where organizer_id = $1 and status = 'pending' order by id desc limit ${LISTED}`);
const ofAttendee = writtenQuery<CalendarProposalRow>(`
  select * from calendar_proposals where attendee_id = $1 and status = 'pending' order by id desc limit ${LISTED}`);

/** Proposals that are not decided: for own events, and own ones. */
export async function listProposals(ctx: Context, memberId: string): Promise<Proposal[]> {
  const mine = await ctx.db.executeQuery(ofOrganizer(memberId));
  const others = await ctx.db.executeQuery(ofAttendee(memberId));
  const asAttendee = (row: CalendarProposalRow): Proposal => {
    const said = openProposal(ctx, row);
    return { ...toProposal(row, said), eventId: said.attendeeEvent ?? row.object_id };
  };
  return [
    ...mine.rows.filter(({ kind }) => kind === 'counter').map((row) => toProposal(row, openProposal(ctx, row))),
    ...others.rows.filter(({ kind }) => kind === 'counter').map(asAttendee),
  ];
}

type Unexpected = ReplyOf<Contract['listInvitations']>['unexpectedReplies'];

/** Answers to own events by people whom nobody invited. */
export async function unexpectedReplies(ctx: Context, memberId: string): Promise<Unexpected> {
  const { rows } = await ctx.db.executeQuery(ofOrganizer(memberId));
  return rows.filter(({ kind }) => kind === 'reply').map((row) => toUnexpected(ctx, row));
}

function toUnexpected(ctx: Context, row: CalendarProposalRow): Unexpected[number] {
  const text = openText(ctx, proposalPurpose(row.id), row.sealed);
  const said = JSON.parse(text) as { attendee: Person; partstat: Partstat; comment?: string };
  return {
    id: row.id,
    eventId: row.object_id,
    attendee: said.attendee,
    response: said.partstat,
    ...(said.comment !== undefined && said.comment !== '' && { comment: said.comment }),
    createdAt: new Date(row.created_at).toISOString(),
  };
}
