import { describe, expect, it } from 'vitest';
import { events } from '../../../src/contract/calendar/events.ts';
import { invitations } from '../../../src/contract/calendar/invitations.ts';
import type { JsonOperation, RawInputOf, ReplyOf } from '../../../src/contract/operation.ts';
import { engines } from '../../support/stores.ts';
import { openMailPool, type MailNode, type MailPool } from '../mail/pool-scene.ts';
import type { Correspondent } from '../mail/scene.ts';
import { runDueJobs } from '../quorum/due-jobs.ts';
import { settle } from './settle-mail.ts';

const { createEvent, listEvents, showEvent, updateEvent, deleteEvent } = events;
const { listInvitations, rsvp, counter, declineCounter, acceptCounter } = invitations;

const times = { dtstart: '2026-03-23T09:00:00', dtend: '2026-03-23T10:00:00', tzid: 'Europe/Berlin' };

async function done<O extends JsonOperation>(
  node: MailNode,
  operation: O,
  who: Correspondent,
  input: RawInputOf<O>,
): Promise<ReplyOf<O>> {
  const { status, body } = await node.house.perform(operation, input, who.token);
  if (status !== operation.status) throw new Error(`${operation.id}: ${status} ${JSON.stringify(body)}`);
  return body as ReplyOf<O>;
}

async function inboxOf(node: MailNode, who: Correspondent): Promise<string[]> {
  const { emails } = await node.ask(who, 'GET', '/inbox');
  return emails.map(({ subject }: { subject: string }) => subject);
}

/** Mails of a member that say something of an event. */
function sending(mail: MailPool, nodes: readonly MailNode[], uid: string) {
  return async (
    node: MailNode,
    from: Correspondent,
    to: Correspondent,
    method: string,
    ...each: readonly (readonly string[])[]
  ) => {
    const parts: string[] = [];
    for (const [at, lines] of each.entries()) {
      const own = at === each.length - 1 ? uid : `${uid}-${at}`;
      parts.push('BEGIN:VEVENT', `UID:${own}`, 'DTSTAMP:20260401T000000Z', 'SEQUENCE:9');
      parts.push('DTSTART:20260323T120000Z', 'DTEND:20260323T130000Z', ...lines, 'END:VEVENT');
    }
    const ics = ['BEGIN:VCALENDAR', 'VERSION:2.0', `METHOD:${method}`, ...parts, 'END:VCALENDAR', ''];
    const head = [
      `From: ${from.address}`,
      `To: ${to.address}`,
      'Subject: x',
      'MIME-Version: 1.0',
      `Content-Type: text/calendar; method=${method}`,
    ];
    const rawBody = `${head.join('\r\n')}\r\n\r\n${ics.join('\r\n')}`;
    const headers = { 'content-type': 'message/rfc822' };
    const { status } = await node.house.api('POST', '/api/emails/raw', { token: from.token, rawBody, headers });
    expect(status).toBe(201);
    await settle(mail, ...nodes);
  };
}

describe.each(engines)('invitations between nodes on %s', (engine) => {
  it('are mailed, answered, countered, changed and cancelled', { tags: 'thorough' }, async () => {
    await using mail = openMailPool(engine);
    const [a, b] = [await mail.open('a'), await mail.open('b')];
    const [ada, bob, eve] = [await a.join('ada'), await b.join('bob'), await b.join('eve')];
    const attendees = [{ email: bob.address }, { email: eve.address }, { email: 'x@nowhere.example' }];
    const { event } = await done(a, createEvent, ada, { summary: 'Plan', ...times, attendees });
    expect(event.attendees.map(({ delivery }) => delivery)).toEqual([undefined, undefined, 'NO_ROUTE']);
    // Two changes within half a minute are one message.
    await done(a, updateEvent, ada, { id: event.id, location: 'Garden' });
    await settle(mail, a, b);
    expect(await inboxOf(b, bob)).toEqual(['Invitation: Plan']);
    const waiting = async (who: Correspondent) => (await done(b, listInvitations, who, {})).invitations;
    const [invited] = await waiting(bob);
    expect(invited).toMatchObject({
      waits: true,
      summary: 'Plan',
      location: 'Garden',
      organizer: { email: ada.address },
    });
    await done(b, rsvp, bob, { eventId: invited!.id, response: 'ACCEPTED', comment: 'Gladly' });
    await settle(mail, a, b);
    const answers = async () =>
      (await done(a, showEvent, ada, { id: event.id })).event.attendees.map(
        ({ email, partstat }) => `${email} ${partstat}`,
      );
    expect(await answers()).toEqual([
      `${bob.address} ACCEPTED`,
      `${eve.address} NEEDS-ACTION`,
      'x@nowhere.example NEEDS-ACTION',
    ]);
    const copyOf = async (who: Correspondent) =>
      (await done(b, listEvents, who, { start: '2026-03-01', end: '2026-05-01' })).events[0]!;
    const copy = await copyOf(bob);
    const wanted = { eventId: copy.id, proposedStart: '2026-03-23T15:00:00', proposedEnd: '2026-03-23T16:00:00' };
    await done(b, counter, bob, wanted);
    await settle(mail, a, b);
    const proposals = async () => (await done(a, listInvitations, ada, {})).proposals;
    const [first] = await proposals();
    expect(first).toMatchObject({
      attendee: { email: bob.address },
      proposedStart: '2026-03-23T15:00:00',
      proposedTzid: 'Europe/Berlin',
    });
    await done(a, declineCounter, ada, { eventId: event.id, counterProposalId: first!.id });
    await settle(mail, a, b);
    expect((await done(b, listInvitations, bob, {})).proposals).toEqual([]);
    await done(b, counter, bob, wanted);
    await settle(mail, a, b);
    const [second] = await proposals();
    await done(a, acceptCounter, ada, { eventId: event.id, counterProposalId: second!.id });
    await settle(mail, a, b);
    expect(await copyOf(bob)).toMatchObject({
      id: copy.id,
      start: '2026-03-23T14:00:00.000Z',
      myPartstat: 'NEEDS-ACTION',
    });
    await done(a, deleteEvent, ada, { id: event.id });
    await settle(mail, a, b);
    expect(await copyOf(bob)).toMatchObject({ status: 'CANCELLED' });
    expect(await waiting(eve)).toEqual([]);
  });

  it('go to a hundred in one message, of what is said last, and once', { tags: 'thorough' }, async () => {
    await using mail = openMailPool(engine);
    const [a] = [await mail.open('a'), await mail.open('b')];
    const ada = await a.join('ada');
    const attendees = Array.from({ length: 150 }, (_, at) => ({ email: `m${at}@b.example` }));
    const { event } = await done(a, createEvent, ada, { summary: 'Draft', ...times, attendees });
    await done(a, updateEvent, ada, { id: event.id, summary: 'Plan', attendees: attendees.slice(1) });
    const sent = async () => {
      const { db } = a.house.ctx;
      const items = await db.selectFrom('mail_items').select('subject').where('folder', '=', 'sent').execute();
      const to = await db.selectFrom('mail_deliveries').select(['item_id', 'address']).execute();
      return [
        items.map(({ subject }) => subject).toSorted(),
        to.length,
        new Set(to.map(({ address }) => address)).size,
      ];
    };
    await runDueJobs(a, 'calendar');
    expect(await sent()).toEqual([[], 0, 0]);
    a.house.clock.advance(30_000);
    await runDueJobs(a, 'calendar');
    // Who was invited and removed within the half minute hears that it is off: it may have been said to them before.
    const all = [['Cancelled: Draft', 'Invitation: Plan', 'Invitation: Plan'], 150, 150];
    expect(await sent()).toEqual(all);
    await a.house.ctx.db.updateTable('jobs').set({ run_at: 0 }).where('kind', '=', 'calendar-outgoing').execute();
    a.house.clock.advance(60_000);
    await runDueJobs(a, 'calendar');
    expect(await sent()).toEqual(all);
  });

  it('count only from the organizer, and answers only from who gives them', { tags: 'thorough' }, async () => {
    await using mail = openMailPool(engine);
    const [a, b] = [await mail.open('a'), await mail.open('b')];
    const [ada, mallory, bob] = [await a.join('ada'), await a.join('mallory'), await b.join('bob')];
    const { event } = await done(a, createEvent, ada, {
      summary: 'Plan',
      ...times,
      attendees: [{ email: bob.address }],
    });
    await settle(mail, a, b);
    const [invited] = (await done(b, listInvitations, bob, {})).invitations;
    await done(b, rsvp, bob, { eventId: invited!.id, response: 'yes' });
    await settle(mail, a, b);
    const send = sending(mail, [a, b], event.uid);
    const organizer = `ORGANIZER:mailto:${ada.address}`;
    const attendee = `ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:${bob.address}`;
    const copy = async () => (await done(b, listEvents, bob, { start: '2026-03-01', end: '2026-05-01' })).events;
    const before = await copy();
    expect(before).toMatchObject([{ start: '2026-03-23T08:00:00.000Z', myPartstat: 'ACCEPTED' }]);
    // Somebody else moves and cancels it, in the name of the organizer, and as who says to act for the organizer.
    const acting = `ORGANIZER;SENT-BY="mailto:${mallory.address}":mailto:${ada.address}`;
    for (const who of [organizer, acting]) {
      await send(a, mallory, bob, 'REQUEST', [who, attendee]);
      await send(a, mallory, bob, 'CANCEL', [who, attendee]);
    }
    expect(await copy()).toEqual(before);
    // With an event of their own under the same UID they reach nothing of it either.
    await send(a, mallory, bob, 'REQUEST', [`ORGANIZER:mailto:${mallory.address}`, attendee]);
    expect(await copy()).toEqual(before);
    // Nobody hears from somebody else of what the organizer never made.
    const waiting = async () => (await done(b, listInvitations, bob, {})).invitations;
    const ofMallory = await waiting();
    expect(ofMallory.map((one) => one.organizer?.email)).toEqual([mallory.address]);
    const sendOther = sending(mail, [a, b], 'never-made');
    await sendOther(a, mallory, bob, 'REQUEST', [organizer, attendee]);
    expect(await waiting()).toEqual(ofMallory);
    expect(await copy()).toEqual(before);
    // An answer in the name of somebody else, and one of somebody who is not invited.
    const partstat = async () =>
      (await done(a, showEvent, ada, { id: event.id })).event.attendees.map((one) => one.partstat);
    await send(a, mallory, ada, 'REPLY', [organizer, `ATTENDEE;PARTSTAT=DECLINED:mailto:${bob.address}`]);
    expect(await partstat()).toEqual(['ACCEPTED']);
    await send(a, mallory, ada, 'REPLY', [organizer, `ATTENDEE;PARTSTAT=ACCEPTED:mailto:${mallory.address}`]);
    expect(await partstat()).toEqual(['ACCEPTED']);
    expect((await done(a, listInvitations, ada, {})).unexpectedReplies).toMatchObject([
      { eventId: event.id, response: 'ACCEPTED', attendee: { email: mallory.address } },
    ]);
    // A copy that was lost is sent again to who was invited, and to nobody else.
    const received = (await inboxOf(b, bob)).length;
    await send(a, mallory, ada, 'REFRESH', [organizer, `ATTENDEE:mailto:${mallory.address}`]);
    expect((await inboxOf(a, mallory)).length).toBe(0);
    await send(b, bob, ada, 'REFRESH', [organizer, `ATTENDEE:mailto:${bob.address}`]);
    expect((await inboxOf(b, bob)).length).toBe(received + 1);
    // A stale message changes nothing.
    const older = (lines: readonly string[]) => lines.map((one) => one);
    await send(a, ada, bob, 'REQUEST', older([organizer, attendee, 'SUMMARY:New']));
    const moved = await copy();
    expect(moved).toMatchObject([{ summary: 'New', start: '2026-03-23T12:00:00.000Z' }]);
    await send(a, ada, bob, 'REQUEST', [organizer, attendee, 'SUMMARY:Again']);
    expect(await copy()).toEqual(moved);
  });

  it(
    'are declined, and cancelled before they are known, by who may speak for the organizer alone',
    { tags: 'thorough' },
    async () => {
      await using mail = openMailPool(engine);
      const [a, b] = [await mail.open('a'), await mail.open('b')];
      const [ada, mallory, bob] = [await a.join('ada'), await a.join('mallory'), await b.join('bob')];
      const given = { summary: 'Plan', ...times, attendees: [{ email: bob.address }] };
      const { event } = await done(a, createEvent, ada, given);
      await settle(mail, a, b);
      const [invited] = (await done(b, listInvitations, bob, {})).invitations;
      const wanted = { proposedStart: '2026-03-23T15:00:00', proposedEnd: '2026-03-23T16:00:00' };
      await done(b, counter, bob, { eventId: invited!.id, ...wanted });
      const pending = async () => (await done(b, listInvitations, bob, {})).proposals.length;
      const attendee = `ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:${bob.address}`;
      const own = `ORGANIZER:mailto:${mallory.address}`;
      const acting = `ORGANIZER;SENT-BY="mailto:${mallory.address}":mailto:${ada.address}`;
      const send = sending(mail, [a, b], event.uid);
      for (const who of [own, acting]) await send(a, mallory, bob, 'DECLINECOUNTER', [who, attendee]);
      expect(await pending()).toBe(1);
      await send(a, ada, bob, 'DECLINECOUNTER', [`ORGANIZER:mailto:${ada.address}`, attendee]);
      expect(await pending()).toBe(0);
      // Whoever knows the UID of what somebody will be invited to keeps nobody from it.
      const uid = 'b8a4c1de-late';
      await sending(mail, [a, b], uid)(a, mallory, bob, 'CANCEL', [acting, attendee]);
      await done(a, createEvent, ada, { ...given, uid, summary: 'Late' });
      await settle(mail, a, b);
      const summaries = async () => (await done(b, listInvitations, bob, {})).invitations.map(({ summary }) => summary);
      expect(await summaries()).toEqual(['Late', 'Plan']);
      // What cannot be taken of one event keeps nobody from the next one of the message.
      const long = `DESCRIPTION:${`${'x'.repeat(70)}\r\n `.repeat(8_000)}`;
      const organizer = `ORGANIZER:mailto:${ada.address}`;
      await sending(mail, [a, b], 'b8a4c1de-next')(
        a,
        ada,
        bob,
        'REQUEST',
        [organizer, attendee, 'SUMMARY:Long', long],
        [organizer, attendee, 'SUMMARY:Next'],
      );
      expect((await summaries()).slice(0, 1)).toEqual(['Next']);
    },
  );
});
