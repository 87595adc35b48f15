import type { Actor } from '../../service/actor.ts';
import { transaction, type Context } from '../../service/context.ts';
import type { invitations, Proposal } from '../../contract/calendar/invitations.ts';
import type { InputOf, ReplyOf } from '../../contract/operation.ts';
import { fieldProblem, Problem } from '../../base/problem.ts';
import { desc, pageOf } from '../../platform/store/page.ts';
import { lockMembers } from '../../platform/store/member-storage.ts';
import type { CalendarInvitationRow } from '../../platform/store/tables/calendar-invitations.ts';
import { writtenQuery } from '../../platform/store/written-query.ts';
import { once } from '../../service/repeats.ts';
import { assertStillSignedIn } from '../../shared/members/still-signed-in.ts';
import { requireCalendar } from './access.ts';
import { toEvent, toInstance } from './events/dto.ts';
import { findOccurrence } from './events/find-occurrence.ts';
import { updateEvent } from './events/update.ts';
import { componentsOf, propertyOf, type JcalComponent } from './icalendar/jcal.ts';
import { sequenceOf } from './itip/receive.ts';
import type { Party } from './itip/self.ts';
import { insertObject, replaceObject } from './objects/write.ts';
import { openRow, type OpenObject } from './objects/read.ts';
import { defaultCalendar, openContentKey } from './own-calendars.ts';
import { tellOrganizer, withReply, type GivenReply } from './invitations/answer.ts';
import { isCancelled, statusIn } from './invitations/deliver.ts';
import { asOpen, cancelled, requireInvited, type InvitedEvent } from './invitations/find.ts';
import { partyOfMember } from './invitations/people.ts';
import {
  decideProposal,
  listProposals,
  openProposal,
  propose,
  requireProposal,
  unexpectedReplies,
} from './invitations/proposals.ts';
import { putInvitation } from './invitations/rows.ts';
import { toInvitations } from './invitations/show.ts';

type Contract = typeof invitations;
type Me = Party & { readonly memberId: string };

const latest = [
  desc<CalendarInvitationRow>('created_at', (row) => row.created_at),
  desc<CalendarInvitationRow>('id', (row) => row.id),
];

const MOST_ON_PAGE = 101;

const withStatus = writtenQuery<CalendarInvitationRow>(`
  select * from calendar_invitations
  where member_id = $1 and status = $2 and (created_at, id) < ($3, $4) order by created_at desc, id desc limit $5`);
// A member has few hundreds of them.
const every = writtenQuery<CalendarInvitationRow>(`
  select * from calendar_invitations
  where member_id = $1 and (created_at, id) < ($2, $3) order by created_at desc, id desc limit $4`);

export async function listInvitations(
  ctx: Context,
  { memberId }: Actor,
  { status, ...page }: InputOf<Contract['listInvitations']>,
): Promise<ReplyOf<Contract['listInvitations']>> {
  const listing = { list: 'calendar.invitations', memberId, filter: { status }, by: latest };
  const { rows, next } = await pageOf(ctx, listing, page, async ({ values }, most = MOST_ON_PAGE) => {
    const [at = Number.MAX_SAFE_INTEGER, id = ''] = values;
    const query = status === 'all' ? every(memberId, at, id, most) : withStatus(memberId, status, at, id, most);
    return (await ctx.db.executeQuery(query)).rows;
  });
  const first = page.cursor === undefined;
  return {
    invitations: await toInvitations(ctx, memberId, rows),
    proposals: first ? await listProposals(ctx, memberId) : [],
    unexpectedReplies: first ? await unexpectedReplies(ctx, memberId) : [],
    ...(next.cursor !== undefined && { nextCursor: next.cursor }),
  };
}

async function meOf(tx: Context, { memberId }: Actor): Promise<Me> {
  return { ...(await partyOfMember(tx, memberId)), memberId };
}

export async function rsvp(
  ctx: Context,
  actor: Actor,
  { eventId, response, partstat: alias, comment, recurrenceId, sequence }: InputOf<Contract['rsvp']>,
): Promise<ReplyOf<Contract['rsvp']>> {
  const partstat = response ?? alias;
  if (partstat === undefined) throw fieldProblem('response', 'is required');
  return await transaction(ctx, async (tx) => {
    await assertStillSignedIn(tx, actor);
    const me = await meOf(tx, actor);
    const invited = await lockInvited(tx, me, eventId);
    if (isCancelled(invited.object)) throw cancelled();
    assertSequence(invited.object, sequence);
    const reply = { me, myName: actor.username, partstat, comment, at: invited.occurrence ?? recurrenceId };
    return { success: true as const, ...(await answerInvited(tx, invited, reply)) };
  });
}

/** What somebody is invited to, as it is when nobody else changes it any more. @throws Problem as requireInvited() */
async function lockInvited(tx: Context, me: Me, eventId: string): Promise<InvitedEvent> {
  await lockMembers(tx, [me.memberId, ...ids(await requireInvited(tx, me, eventId))]);
  return await requireInvited(tx, me, eventId);
}

/** Members of this node whose events an answer changes. */
function ids({ organizer, stored }: InvitedEvent): string[] {
  return [organizer.memberId, stored?.calendar.owner_id].flatMap((id) => id ?? []);
}

function assertSequence(object: JcalComponent, wanted: number | undefined): void {
  const events = componentsOf(object, 'vevent');
  const master = events.find((event) => propertyOf(event, 'recurrence-id') === undefined) ?? events[0];
  if (wanted !== undefined && master !== undefined && sequenceOf(master) !== wanted)
    throw new Problem('conflict', 'SEQUENCE_CONFLICT', 'The event was changed meanwhile. Read it again.');
}

async function answerInvited(tx: Context, invited: InvitedEvent, reply: GivenReply) {
  const { stored, invitation, own, object } = invited;
  const { me } = reply;
  if (stored === undefined) return await answerWaiting(tx, invited, reply);
  const { open, calendar } = stored;
  const said = demandSaid(withReply(open, reply, tx.clock.now()));
  if (!own) {
    // The member has no copy: the event of the organizer itself says who comes.
    await tellOrganizer(tx, object, said.events, reply, open.zones);
    return {};
  }
  const key = openContentKey(tx, calendar);
  try {
    const row = await replaceObject(tx, { ...calendar, key }, open.row, { object: said.object });
    const after = openRow(tx, calendar, key, row);
    if (invitation !== undefined) await noteAnswer(tx, invitation, after.object, me, row.id);
    await tellOrganizer(tx, said.object, said.events, reply, open.zones);
    return { event: shown(after, reply, calendar) };
  } finally {
    key.fill(0);
  }
}

/** What waits comes into the default calendar, unless it is declined. */
async function answerWaiting(tx: Context, { object, invitation }: InvitedEvent, reply: GivenReply) {
  const { me, partstat } = reply;
  const { id } = await defaultCalendar(tx, me.memberId);
  const calendar = await requireCalendar(tx, me.memberId, id, 'owner');
  const open = asOpen(tx, calendar, object) as OpenObject;
  const said = demandSaid(withReply(open, reply, tx.clock.now()));
  if (invitation === undefined) throw new Error('what waits has a row');
  if (partstat === 'DECLINED') {
    await putInvitation(tx, { ...invitation, status: 'declined', updated_at: tx.clock.now() });
    await tellOrganizer(tx, said.object, said.events, reply, open.zones);
    return {};
  }
  const key = openContentKey(tx, calendar);
  try {
    const row = await insertObject(tx, { ...calendar, key }, { object: said.object, createdBy: me.memberId });
    const after = openRow(tx, calendar, key, row);
    await noteAnswer(tx, invitation, after.object, me, row.id);
    await tellOrganizer(tx, said.object, said.events, reply, open.zones);
    return { event: shown(after, reply, calendar) };
  } finally {
    key.fill(0);
  }
}

async function noteAnswer(
  tx: Context,
  invitation: CalendarInvitationRow,
  object: JcalComponent,
  me: Me,
  objectId: string,
): Promise<void> {
  const now = tx.clock.now();
  const status = statusIn(object, me);
  await putInvitation(tx, { ...invitation, status, object_id: objectId, sealed: null, updated_at: now });
}

function demandSaid<T>(said: T | undefined): T {
  if (said === undefined) throw fieldProblem('recurrenceId', 'is not a time at which you are invited');
  return said;
}

function shown(open: OpenObject, { me, at }: GivenReply, calendar: Parameters<typeof toEvent>[1]['calendar']) {
  const reader = { memberId: me.memberId, calendar };
  const instance = at === undefined ? undefined : findOccurrence(open, at);
  return instance === undefined ? toEvent(open, reader) : toInstance(open, instance, reader);
}

export async function counter(
  ctx: Context,
  actor: Actor,
  input: InputOf<Contract['counter']>,
): Promise<ReplyOf<Contract['counter']>> {
  return await transaction(ctx, async (tx) => {
    await assertStillSignedIn(tx, actor);
    return await once(tx, async () => {
      const me = await meOf(tx, actor);
      const invited = await lockInvited(tx, me, input.eventId);
      if (isCancelled(invited.object)) throw cancelled();
      const proposal = await propose(tx, { me, myName: actor.username, invited, input });
      return { success: true as const, counterProposalId: proposal.id, proposal };
    });
  });
}

export async function declineCounter(
  ctx: Context,
  actor: Actor,
  { eventId, counterProposalId, comment }: InputOf<Contract['declineCounter']>,
): Promise<ReplyOf<Contract['declineCounter']>> {
  return await transaction(ctx, async (tx) => {
    await assertStillSignedIn(tx, actor);
    const { attendee_id: attendeeId } = await requireProposal(tx, actor.memberId, eventId, counterProposalId);
    await lockMembers(tx, [actor.memberId, ...(attendeeId === null ? [] : [attendeeId])]);
    const row = await requireProposal(tx, actor.memberId, eventId, counterProposalId);
    const proposal = await decideProposal(tx, actor, row, { status: 'declined', comment });
    return { success: true as const, proposal };
  });
}

export async function acceptCounter(
  ctx: Context,
  actor: Actor,
  { eventId, counterProposalId }: InputOf<Contract['acceptCounter']>,
): Promise<ReplyOf<Contract['acceptCounter']>> {
  return await transaction(ctx, async (tx) => {
    await assertStillSignedIn(tx, actor);
    const before = await requireProposal(tx, actor.memberId, eventId, counterProposalId);
    const { start, end, tzid, recurrenceId } = openProposal(tx, before);
    const target = {
      id: before.object_id,
      mode: recurrenceId === undefined ? ('all' as const) : ('single' as const),
      recurrenceId,
      ifMatch: undefined,
    };
    const given = { dtstart: start, dtend: end, ...(tzid !== undefined && { tzid }) };
    const { event } = await updateEvent(tx, actor, target, { given, calendarId: undefined });
    // The change has locked who decides: whoever decided meanwhile was before.
    const row = await requireProposal(tx, actor.memberId, eventId, counterProposalId);
    const proposal: Proposal = await decideProposal(tx, actor, row, { status: 'accepted', comment: undefined });
    return { success: true as const, proposal, event };
  });
}
