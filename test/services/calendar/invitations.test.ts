import { describe, expect, it } from 'vitest';
import type { Config } from '../../../src/config/config.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { events } from '../../../src/contract/calendar/events.ts';
import type { Event } from '../../../src/contract/calendar/event.ts';
import { invitations } from '../../../src/contract/calendar/invitations.ts';
import { notificationInbox } from '../../../src/contract/notifications/inbox.ts';
import type { RawInputOf } from '../../../src/contract/operation.ts';
import type { EngineName } from '../../../src/platform/store/database.ts';
import { purgeCalendars } from '../../../src/services/calendar/purge.ts';
import { bothEngines } from '../../support/stores.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { config } from '../../support/mail-config.ts';
import { groupOf } from '../chat/chat-scene.ts';
import { openCalendars, type CalendarScene } from './calendar-scene.ts';

const { createEvent, listEvents, showEvent, updateEvent, deleteEvent } = events;
const { listInvitations, rsvp, counter, declineCounter, acceptCounter } = invitations;

const times = { dtstart: '2026-03-23T09:00:00', dtend: '2026-03-23T10:00:00', tzid: 'Europe/Berlin' };
type Changes = Omit<RawInputOf<typeof updateEvent>, 'id'>;
const range = { start: '2026-03-20', end: '2026-04-20' };

/** Members who know each other. */
async function open(engine: EngineName, more: Partial<Config> = {}) {
  const scene = await openCalendars(engine, { config: { ...config, ...more } });
  await groupOf(scene.house, [scene.ann, scene.bob, scene.cleo]);
  return scene;
}

async function invite(
  { done, ann }: CalendarScene,
  who: readonly HouseMember[],
  more: RawInputOf<typeof createEvent> = {},
) {
  const attendees = who.map(({ memberId: userId }) => ({ userId }));
  return (await done(createEvent, ann, { summary: 'Plan', ...times, attendees, ...more })).event;
}

async function eventsOf({ done }: CalendarScene, who: HouseMember): Promise<Event[]> {
  return (await done(listEvents, who, range)).events;
}

async function copyOf(scene: CalendarScene, who: HouseMember): Promise<Event> {
  const [one, ...more] = await eventsOf(scene, who);
  expect([one === undefined, more.length]).toEqual([false, 0]);
  return one!;
}

async function waitingFor({ done }: CalendarScene, who: HouseMember) {
  return (await done(listInvitations, who, {})).invitations.filter(({ waits }) => waits);
}

const answersIn = ({ attendees }: Event) =>
  Object.fromEntries(attendees.map(({ displayName, partstat }) => [displayName ?? '', partstat]));

async function noticesOf({ house }: CalendarScene, { token }: HouseMember): Promise<string[]> {
  const { body } = await house.perform(notificationInbox.list, {}, token);
  return body.data.notifications
    .filter(({ category }: { category: string }) => category === 'calendar')
    .map(({ type }: { type: string }) => type)
    .toSorted();
}

describe.each(bothEngines)('invitations on %s', (engine) => {
  it('come to members with the event, are changed with it, and end with it', async () => {
    await using scene = await open(engine);
    const { ann, bob, cleo, done } = scene;
    const made = await invite(scene, [bob, cleo]);
    expect(made).toMatchObject({ organizerId: ann.memberId, organizer: { userId: ann.memberId }, sequence: 0 });
    expect(answersIn(made)).toEqual({ bob: 'NEEDS-ACTION', cleo: 'NEEDS-ACTION' });
    const copy = await copyOf(scene, bob);
    expect(copy).toMatchObject({
      uid: made.uid,
      summary: 'Plan',
      organizerId: ann.memberId,
      myPartstat: 'NEEDS-ACTION',
      myPermission: 'owner',
      start: '2026-03-23T08:00:00.000Z',
    });
    expect(copy.id).not.toBe(made.id);
    expect(await noticesOf(scene, bob)).toEqual(['event_invitation']);
    const later = { dtstart: '2026-03-24T09:00:00', dtend: '2026-03-24T10:00:00' };
    const { event: moved } = await done(updateEvent, ann, { id: made.id, ...later, summary: 'Plans' });
    expect(moved.sequence).toBe(1);
    expect(await copyOf(scene, bob)).toMatchObject({
      id: copy.id,
      summary: 'Plans',
      start: '2026-03-24T08:00:00.000Z',
    });
    await done(updateEvent, ann, { id: made.id, attendees: [{ userId: 'bob' }] });
    expect(await copyOf(scene, cleo)).toMatchObject({ status: 'CANCELLED' });
    await done(updateEvent, ann, { id: made.id, attendees: [{ userId: 'bob' }, { email: 'CLEO@home.example' }] }).catch(
      () => undefined,
    );
    await done(deleteEvent, ann, { id: made.id });
    expect(await copyOf(scene, bob)).toMatchObject({ status: 'CANCELLED' });
    expect(await noticesOf(scene, bob)).toEqual(['event_cancelled', 'event_changed', 'event_invitation']);
    expect(await scene.refused(rsvp, bob, { eventId: copy.id, response: 'ACCEPTED' })).toBe('410 EVENT_CANCELLED');
  });

  it('are answered, also for one instance, and a change of the time asks anew', async () => {
    await using scene = await open(engine);
    const { ann, bob, cleo, done } = scene;
    const made = await invite(scene, [bob, cleo], { rrule: 'FREQ=DAILY;COUNT=3' });
    const [first, second] = await eventsOf(scene, bob);
    const id = first!.parentEventId!;
    const { event: accepted } = await done(rsvp, bob, { eventId: id, response: 'accept', comment: 'Gladly' });
    expect(accepted).toMatchObject({ id, myPartstat: 'ACCEPTED' });
    const { event: single } = await done(rsvp, bob, { eventId: second!.id, partstat: 'declined' });
    expect(single).toMatchObject({ id: second!.id, isException: true, myPartstat: 'DECLINED' });
    const seen = async () => (await eventsOf(scene, ann)).map((event) => answersIn(event)['bob']);
    expect(await seen()).toEqual(['ACCEPTED', 'DECLINED', 'ACCEPTED']);
    const { event: whole } = await done(showEvent, ann, { id: made.id });
    expect(whole.attendees.find(({ userId }) => userId === bob.memberId)).toMatchObject({
      comment: 'Gladly',
      respondedAt: expect.any(String),
    });
    expect(await noticesOf(scene, ann)).toEqual(['event_reply']);
    // What nobody needs to answer leaves the answers.
    await done(updateEvent, ann, { id: made.id, description: 'Bring tea' });
    // What is said with them is for the organizer.
    const told = (await eventsOf(scene, cleo)).flatMap(({ attendees }) => attendees.map((one) => one.comment));
    expect(told.filter((text) => text !== undefined)).toEqual([]);
    expect(await seen()).toEqual(['ACCEPTED', 'DECLINED', 'ACCEPTED']);
    expect((await eventsOf(scene, bob)).map(({ myPartstat, description }) => `${myPartstat} ${description}`)).toEqual([
      'ACCEPTED Bring tea',
      'DECLINED ',
      'ACCEPTED Bring tea',
    ]);
    await done(updateEvent, ann, { id: made.id, location: 'Garden' });
    expect((await done(showEvent, bob, { id })).event).toMatchObject({
      myPartstat: 'NEEDS-ACTION',
      location: 'Garden',
    });
    expect((await done(showEvent, ann, { id: made.id })).event.attendees.map(({ partstat }) => partstat)).toEqual([
      'NEEDS-ACTION',
      'NEEDS-ACTION',
    ]);
    expect(await scene.refused(rsvp, bob, { eventId: id, response: 'yes', sequence: 0 })).toBe('409 SEQUENCE_CONFLICT');
    expect(await scene.refused(rsvp, bob, { eventId: id, response: 'perhaps' })).toBe('400 VALIDATION_ERROR');
    expect(await scene.refused(rsvp, ann, { eventId: made.id, response: 'yes' })).toBe('403 FORBIDDEN');
    expect(await scene.refused(rsvp, bob, { eventId: made.id, response: 'yes' })).toBe('404 NOT_FOUND');
  });

  it('of strangers wait until they are accepted; of those whom a block parts nothing comes', async () => {
    await using scene = await openCalendars(engine);
    const { ann, bob, cleo, done } = scene;
    await scene.block(cleo, ann);
    const made = await invite(scene, [bob, cleo]);
    expect(answersIn(made)).toEqual({ bob: 'NEEDS-ACTION', cleo: 'NEEDS-ACTION' });
    expect([await eventsOf(scene, bob), await eventsOf(scene, cleo)]).toEqual([[], []]);
    expect((await done(listInvitations, cleo, { status: 'all' })).invitations).toEqual([]);
    expect(await noticesOf(scene, cleo)).toEqual([]);
    const [waiting] = await waitingFor(scene, bob);
    expect(waiting).toMatchObject({
      eventId: waiting!.id,
      status: 'pending',
      organizer: { userId: ann.memberId, displayName: 'ann' },
      summary: 'Plan',
      attendeeCount: 2,
      start: '2026-03-23T08:00:00.000Z',
    });
    await done(updateEvent, ann, { id: made.id, summary: 'Better plan' });
    expect((await waitingFor(scene, bob)).map(({ summary }) => summary)).toEqual(['Better plan']);
    await done(rsvp, bob, { eventId: waiting!.id, response: 'DECLINED' });
    expect(answersIn((await done(showEvent, ann, { id: made.id })).event)['bob']).toBe('DECLINED');
    expect(await eventsOf(scene, bob)).toEqual([]);
    const { event } = await done(rsvp, bob, { eventId: waiting!.id, response: 'TENTATIVE' });
    expect(event).toMatchObject({ summary: 'Better plan', myPartstat: 'TENTATIVE' });
    expect((await copyOf(scene, bob)).id).toBe(event!.id);
    expect((await done(listInvitations, bob, { status: 'all' })).invitations).toMatchObject([
      { id: waiting!.id, eventId: event!.id, status: 'tentative', waits: false },
    ]);
    expect(answersIn((await done(showEvent, ann, { id: made.id })).event)['bob']).toBe('TENTATIVE');
    // Whose invitation was accepted is no stranger any more.
    await invite(scene, [bob], { summary: 'Next' });
    expect((await eventsOf(scene, bob)).map(({ summary }) => summary).toSorted()).toEqual(['Better plan', 'Next']);
  });

  it('let attendees change what is theirs alone, and removing one declines it', async () => {
    await using scene = await open(engine);
    const { ann, bob, done } = scene;
    const made = await invite(scene, [bob]);
    const { id } = await copyOf(scene, bob);
    const foreign: Changes[] = [
      { summary: 'Mine' },
      { dtstart: times.dtstart },
      { attendees: [] },
      { status: 'CANCELLED' },
    ];
    for (const field of foreign) expect(await scene.refused(updateEvent, bob, { id, ...field })).toBe('403 FORBIDDEN');
    const own: Changes = {
      transparency: 'TRANSPARENT',
      categories: ['Dull'],
      reminders: [{ triggerMinutesBefore: 5 }],
    };
    expect((await done(updateEvent, bob, { id, ...own })).event).toMatchObject({ categories: ['Dull'] });
    await done(updateEvent, ann, { id: made.id, description: 'More', categories: ['Work'] });
    expect(await copyOf(scene, bob)).toMatchObject({
      transparency: 'TRANSPARENT',
      categories: ['Dull'],
      description: 'More',
      reminders: [{ triggerMinutesBefore: 5 }],
    });
    await done(deleteEvent, bob, { id });
    expect(answersIn((await done(showEvent, ann, { id: made.id })).event)).toEqual({ bob: 'DECLINED' });
    await done(updateEvent, ann, { id: made.id, description: 'Even more' });
    expect(await eventsOf(scene, bob)).toEqual([]);
  });

  it('are countered: a proposal is declined, or moves the event and asks all anew', async () => {
    await using scene = await open(engine);
    const { ann, bob, cleo, done } = scene;
    const made = await invite(scene, [bob, cleo]);
    const { id: eventId } = await copyOf(scene, bob);
    const wanted = {
      eventId,
      proposedStart: '2026-03-23T15:00:00',
      proposedEnd: '2026-03-23T16:00:00',
      comment: 'Tea first',
    };
    const { proposal: first } = await done(counter, bob, wanted);
    expect(first).toMatchObject({
      eventId,
      status: 'pending',
      attendee: { userId: bob.memberId },
      comment: 'Tea first',
    });
    const listed = async (who: HouseMember) => (await done(listInvitations, who, {})).proposals.map(({ id }) => id);
    expect(await listed(ann)).toEqual([first.id]);
    const decide = { eventId: made.id, counterProposalId: first.id };
    expect(await scene.refused(declineCounter, bob, decide)).toBe('403 FORBIDDEN');
    expect(await scene.refused(declineCounter, cleo, decide)).toBe('404 NOT_FOUND');
    expect(await scene.refused(declineCounter, ann, { ...decide, eventId })).toBe('404 NOT_FOUND');
    expect((await done(declineCounter, ann, decide)).proposal.status).toBe('declined');
    expect(await scene.refused(acceptCounter, ann, decide)).toBe('409 ALREADY_DECIDED');
    const { counterProposalId } = await done(counter, bob, wanted);
    const { event, proposal } = await done(acceptCounter, ann, { eventId: made.id, counterProposalId });
    expect([event.sequence, event.start, proposal.status]).toEqual([1, '2026-03-23T14:00:00.000Z', 'accepted']);
    expect((await copyOf(scene, cleo)).start).toBe('2026-03-23T14:00:00.000Z');
    expect(await scene.refused(counter, bob, { ...wanted, proposedEnd: '2026-03-23T14:00:00' })).toBe(
      '400 VALIDATION_ERROR',
    );
    expect(await scene.refused(counter, ann, { ...wanted, eventId: made.id })).toBe('403 FORBIDDEN');
    await done(counter, cleo, { ...wanted, eventId: (await copyOf(scene, cleo)).id });
    await done(deleteEvent, ann, { id: made.id });
    expect(await listed(ann)).toEqual([]);
  });

  it('of events with a UID that a member has already touch nothing of it', async () => {
    await using scene = await open(engine);
    const { ann, bob, done } = scene;
    const own = (await done(createEvent, bob, { summary: 'Private', uid: 'taken', ...times })).event;
    await invite(scene, [bob], { uid: 'taken', summary: 'Other' });
    expect((await copyOf(scene, bob)).summary).toBe('Private');
    const [waiting] = await waitingFor(scene, bob);
    expect(waiting).toMatchObject({ summary: 'Other' });
    expect(await scene.refused(rsvp, bob, { eventId: waiting!.id, response: 'yes' })).toBe('409 CONFLICT');
    const [made] = await eventsOf(scene, ann);
    await done(deleteEvent, ann, { id: made!.id });
    expect((await done(showEvent, bob, { id: own.id })).event).toEqual(own);
  });

  it('go out for editors of the calendar too, and are at most so many a day', async () => {
    const { limits } = (await loadConfig({ flags: {}, env: {}, home: '/nowhere', cwd: '/nowhere' })).config;
    await using scene = await open(engine, { limits });
    const { ann, bob, cleo, done, house } = scene;
    const made = await invite(scene, [bob]);
    await scene.share(ann, made.calendarId, cleo, 'editor');
    const later = { dtstart: '2026-03-23T11:00:00', dtend: '2026-03-23T12:00:00' };
    await done(updateEvent, cleo, { id: made.id, ...later });
    expect(await copyOf(scene, bob)).toMatchObject({ organizerId: ann.memberId, start: '2026-03-23T10:00:00.000Z' });
    // What nobody is to hear of stays where it is.
    await done(updateEvent, ann, { id: made.id, summary: 'Quiet', notify: false });
    expect((await copyOf(scene, bob)).summary).toBe('Plan');
    await house.ctx.db
      .updateTable('calendar_inviting')
      .set({ count: 1_999 })
      .where('member_id', '=', ann.memberId)
      .execute();
    const attendees = [bob, cleo].map(({ memberId: userId }) => ({ userId }));
    const input = { summary: 'Flood', ...times, attendees };
    expect(await scene.refused(createEvent, ann, input)).toBe('429 RATE_LIMITED');
    expect((await eventsOf(scene, ann)).map(({ summary }) => summary)).toEqual(['Quiet']);
    expect((await eventsOf(scene, cleo)).map(({ summary }) => summary)).toEqual(['Quiet']);
    await scene.later(24 * 3_600_000);
    await done(createEvent, ann, input);
    expect((await eventsOf(scene, bob)).map(({ summary }) => summary).toSorted()).toEqual(['Flood', 'Plan']);
  });

  it('to a thousand people are one event, and none of those whom no mail reaches is written to', async () => {
    await using scene = await open(engine);
    const { ann, done, house } = scene;
    const attendees = Array.from({ length: 1_000 }, (_, at) => ({ email: `m${at}@elsewhere.example` }));
    const { event } = await done(createEvent, ann, { summary: 'All', ...times, attendees });
    expect(new Set(event.attendees.map(({ delivery }) => delivery))).toEqual(new Set(['NO_ROUTE']));
    expect(event.attendees.length).toBe(1_000);
    expect(await house.ctx.db.selectFrom('calendar_outgoing').selectAll().execute()).toEqual([]);
  });

  it('to many members come to fifty with the event, and to the others right after it', async () => {
    await using scene = await open(engine, { calendar: { subscriptions: false, autoAdd: 'all' } });
    const { ann, done, later, house } = scene;
    const many: HouseMember[] = [];
    while (many.length < 53) many.push(await house.register());
    const made = await invite(scene, many);
    const counts = async () => {
      const rows = await house.ctx.db.selectFrom('calendar_invitations').select(['object_id', 'status']).execute();
      return [
        rows.filter((row) => row.object_id !== null).length,
        rows.filter(({ status }) => status === 'cancelled').length,
      ];
    };
    expect(await counts()).toEqual([50, 0]);
    await later(1);
    expect(await counts()).toEqual([53, 0]);
    await done(deleteEvent, ann, { id: made.id });
    await later(1);
    expect(await counts()).toEqual([53, 53]);
    expect(await house.ctx.db.selectFrom('calendar_outgoing').selectAll().execute()).toEqual([]);
  });

  it('that nobody answers are forgotten after 90 days', async () => {
    await using scene = await openCalendars(engine, { config });
    const { bob, later, house } = scene;
    await invite(scene, [bob]);
    const kept = async () => (await house.ctx.db.selectFrom('calendar_invitations').select('id').execute()).length;
    await later(89 * 24 * 3_600_000);
    await purgeCalendars(house.ctx);
    expect(await kept()).toBe(1);
    await later(24 * 3_600_000);
    await purgeCalendars(house.ctx);
    expect(await kept()).toBe(0);
  });

  it('name members by id, username or address, and refuse who is none', async () => {
    await using scene = await open(engine);
    const { ann, bob, cleo, done, house } = scene;
    const domain = house.ctx.config.mail.domain!;
    const attendees = [{ userId: 'BOB' }, { email: `cleo+x@${domain}` }, { email: 'eve@elsewhere.example' }];
    const { event } = await done(createEvent, ann, { summary: 'All', ...times, attendees });
    expect(event.attendees.map(({ userId, email, delivery }) => ({ userId, email, delivery }))).toEqual([
      { userId: bob.memberId, email: `bob@${domain}`, delivery: undefined },
      { userId: cleo.memberId, email: `cleo@${domain}`, delivery: undefined },
      { userId: undefined, email: 'eve@elsewhere.example', delivery: 'NO_ROUTE' },
    ]);
    await scene.suspend(cleo);
    const refused = async (one: object) =>
      await scene.refused(createEvent, ann, { summary: 'x', ...times, attendees: [one] });
    for (const one of [{ userId: 'nobody' }, { userId: 'cleo' }, { email: `nobody@${domain}` }])
      expect(await refused(one)).toBe('400 VALIDATION_ERROR');
    const many = Array.from({ length: 1_001 }, (_, at) => ({ email: `m${at}@elsewhere.example` }));
    expect(await scene.refused(createEvent, ann, { summary: 'x', ...times, attendees: many })).toBe(
      '400 VALIDATION_ERROR',
    );
  });
});
