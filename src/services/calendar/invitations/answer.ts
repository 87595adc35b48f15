import type { Context } from '../../../service/context.ts';
import { calendarLimits } from '../../../contract/calendar/limits.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import type { CalendarRow } from '../../../platform/store/tables/calendars.ts';
import { savepoint } from '../../../platform/store/savepoint.ts';
import { insertRows, writtenQuery } from '../../../platform/store/written-query.ts';
import { notify } from '../../../shared/notifications/notify.ts';
import { changeOne } from '../events/change-series.ts';
import { findOccurrence } from '../events/find-occurrence.ts';
import type { Person } from '../icalendar/fields/people.ts';
import { componentsOf, type JcalComponent } from '../icalendar/jcal.ts';
import { answered, replyOf } from '../itip/messages.ts';
import { instanceKey, sequenceOf, takeAnswer, type Answer } from '../itip/receive.ts';
import { attendeeOf, organizerParty, partOf, withEvents, type Party } from '../itip/self.ts';
import { uidKeyOf } from '../objects/content.ts';
import { openRow, type OpenObject } from '../objects/read.ts';
import { replaceObject, uidOf, type WritableCalendar } from '../objects/write.ts';
import { openContentKey } from '../own-calendars.ts';
import { noRoom } from './no-room.ts';
import { queueMail } from './outgoing.ts';
import { partyOfMember } from './people.ts';
import { hasRoute } from './routes.ts';
import { objectOf, partyKey, sealText } from './rows.ts';

/** An answer that a member of this node gives. */
export interface GivenReply {
  readonly me: Party & { readonly memberId: string };
  readonly myName: string;
  readonly partstat: string;
  readonly comment: string | undefined;
  /** the instance; undefined: the whole event */
  readonly at: string | undefined;
}

/**
 * A copy in which its owner has answered, and the events of it that say so.
 * @returns undefined if the owner is not invited to it
 */
export function withReply(
  open: OpenObject,
  { me, partstat, at }: Pick<GivenReply, 'me' | 'partstat' | 'at'>,
  now: number,
): { readonly object: JcalComponent; readonly events: readonly JcalComponent[] } | undefined {
  const aimed = aimedAt(open, at, now);
  if (aimed === undefined) return undefined;
  const events: JcalComponent[] = [];
  const after = withEvents(aimed.object, (event) => {
    const isMeant = aimed.key === undefined || instanceKey(event, open.zones) === aimed.key;
    if (!isMeant || attendeeOf(event, me) === undefined) return event;
    const said = answered(event, me, partstat);
    events.push(said);
    return said;
  });
  return events.length === 0 ? undefined : { object: after, events };
}

interface Aimed {
  readonly object: JcalComponent;
  /** of the instance; undefined: the whole event is meant */
  readonly key: string | undefined;
}

/** The object with a component of its own for an instance. @returns undefined if there is no such instance */
export function aimedAt(open: OpenObject, at: string | undefined, now: number): Aimed | undefined {
  const { object, zones } = open;
  if (at === undefined) return { object, key: undefined };
  const same = componentsOf(object, 'vevent').find((event) => instanceKey(event, zones) === at);
  if (same !== undefined) return { object, key: at };
  const instance = findOccurrence(open, at.replace('.000', ''));
  if (instance === undefined) return undefined;
  if (instance.override !== undefined) return { object, key: instanceKey(instance.override.component, zones) };
  const changed = changeOne(open, instance, {}, { now, memberOf: () => undefined });
  const made = componentsOf(changed, 'vevent').at(-1);
  return { object: changed, key: made && instanceKey(made, zones) };
}

/** Tells the organizer of an answer: in the running transaction, whose caller has locked them, if that is a member of this node, else by mail. */
export async function tellOrganizer(
  tx: Context,
  object: JcalComponent,
  events: readonly JcalComponent[],
  { me, myName, partstat, comment, at }: GivenReply,
  zones: OpenObject['zones'],
): Promise<void> {
  const organizer = organizerParty(object);
  if (organizer === undefined) return;
  const now = tx.clock.now();
  const [first] = events;
  if (first === undefined) return;
  if (organizer.memberId !== undefined) {
    const answer: Answer = {
      partstat,
      comment,
      version: { sequence: Math.max(...events.map(sequenceOf)), stamp: now },
      key: at === undefined ? undefined : instanceKey(first, zones),
      inOrder: true,
    };
    const from = { party: me, person: { userId: me.memberId, displayName: myName }, name: myName };
    await takeReply(tx, { memberId: organizer.memberId, uid: uidOf(object), from, answer });
    return;
  }
  const address = organizer.key.startsWith('mailto:') ? organizer.key.slice('mailto:'.length) : undefined;
  if (address === undefined || !(await hasRoute(tx, address))) return;
  const message = replyOf(object, first, me, { now, partstat, comment });
  await queueMail(tx, { memberId: me.memberId, method: 'REPLY', message, recipients: [address] });
}

const words: Readonly<Record<string, string>> = {
  ACCEPTED: 'accepted your invitation',
  TENTATIVE: 'may come to your event',
  DECLINED: 'declined your invitation',
};

/** An answer for an event of a member of this node. */
export interface ReceivedReply {
  /** whose event it is */
  readonly memberId: string;
  readonly uid: string;
  readonly from: { readonly party: Party; readonly person: Person; readonly name: string };
  readonly answer: Answer;
}

const calendarById = writtenQuery<CalendarRow>('select * from calendars where id = $1');

/** The event of its organizer, open. The caller overwrites the key. */
export async function openOrganized(
  tx: Context,
  memberId: string,
  uid: string,
): Promise<{ readonly calendar: CalendarRow & WritableCalendar; readonly open: OpenObject } | undefined> {
  const row = await objectOf(tx, memberId, uidKeyOf(tx, uid));
  const calendar = row && (await tx.db.executeQuery(calendarById(row.calendar_id))).rows[0];
  if (row === undefined || calendar === undefined) return undefined;
  const key = openContentKey(tx, calendar);
  const open = openRow(tx, calendar, key, row);
  if (partOf(open.object, await partyOfMember(tx, memberId)) === 'organizer')
    return { calendar: { ...calendar, key }, open };
  key.fill(0);
  return undefined;
}

/** Puts an answer into the event of its organizer, whom the caller has locked. Answers of people whom nobody invited wait for the organizer. */
export async function takeReply(tx: Context, { memberId, uid, from, answer }: ReceivedReply): Promise<void> {
  const found = await openOrganized(tx, memberId, uid);
  if (found === undefined) return;
  const { calendar, open } = found;
  try {
    const { party, name } = from;
    const now = tx.clock.now();
    const aimed = aimedAt(open, answer.key, now);
    if (aimed === undefined) return;
    let [isInvited, changes] = [false, false];
    const object = withEvents(aimed.object, (event) => {
      if (aimed.key !== undefined && instanceKey(event, open.zones) !== aimed.key) return event;
      isInvited ||= attendeeOf(event, party) !== undefined;
      const after = takeAnswer(event, party, answer);
      changes ||= after !== undefined;
      return after ?? event;
    });
    if (!isInvited) return await keepUnexpected(tx, memberId, open, { from, answer });
    if (!changes) return;
    // Whoever has no room for an answer hears of it all the same, and keeps nobody from giving it.
    await savepoint(tx.db, async () => await replaceObject(tx, calendar, open.row, { object })).catch(noRoom);
    await notify(tx, {
      recipientId: memberId,
      type: 'event_reply',
      actorId: party.memberId,
      targetId: open.row.id,
      content: `${name} ${words[answer.partstat] ?? 'answered your invitation'}.`,
    });
  } finally {
    calendar.key.fill(0);
  }
}

const pendingCount = writtenQuery<{ count: number }>(`
  select count(*) as count from calendar_proposals where object_id = $1 and kind = $2 and status = 'pending'`);
const dropEarlier = writtenQuery(`
  delete from calendar_proposals where object_id = $1 and party_key = $2 and kind = $3 and status = 'pending'`);

export function proposalPurpose(id: string): string {
  return `calendar-proposal:${id}`;
}

/** Whether there is room for one more proposal, or unexpected answer. Earlier ones of the same person are dropped. */
export async function makeRoom(tx: Context, objectId: string, party: Party, kind: string): Promise<boolean> {
  await tx.db.executeQuery(dropEarlier(objectId, partyKey(party), kind));
  const { rows } = await tx.db.executeQuery(pendingCount(objectId, kind));
  return (rows[0]?.count ?? 0) < calendarLimits.proposals;
}

async function keepUnexpected(
  tx: Context,
  memberId: string,
  { row }: OpenObject,
  { from, answer }: Pick<ReceivedReply, 'from' | 'answer'>,
): Promise<void> {
  if (!(await makeRoom(tx, row.id, from.party, 'reply'))) return;
  const now = tx.clock.now();
  const id = recordId(now, tx.random);
  const { partstat, comment } = answer;
  const said = JSON.stringify({ attendee: from.person, partstat, comment });
  await insertRows(tx.db, 'calendar_proposals', [
    {
      id,
      kind: 'reply',
      organizer_id: memberId,
      attendee_id: from.party.memberId ?? null,
      object_id: row.id,
      party_key: partyKey(from.party),
      status: 'pending',
      sequence: answer.version.sequence,
      stamp: answer.version.stamp,
      sealed: sealText(tx, proposalPurpose(id), said),
      created_at: now,
    },
  ]);
}
