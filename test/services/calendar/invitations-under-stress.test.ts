import { describe, expect, it } from 'vitest';
import type { Event } from '../../../src/contract/calendar/event.ts';
import { events } from '../../../src/contract/calendar/events.ts';
import { invitations } from '../../../src/contract/calendar/invitations.ts';
import { notificationInbox } from '../../../src/contract/notifications/inbox.ts';
import type { RawInputOf } from '../../../src/contract/operation.ts';
import type { EngineName } from '../../../src/platform/store/database.ts';
import { config } from '../../support/mail-config.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { bothEngines } from '../../support/stores.ts';
import { groupOf } from '../chat/chat-scene.ts';
import { openCalendars, type CalendarScene } from './calendar-scene.ts';

const { createEvent, listEvents, showEvent, updateEvent, deleteEvent } = events;
const { listInvitations, rsvp, counter, acceptCounter, declineCounter } = invitations;

const times = { dtstart: '2026-03-23T09:00:00', dtend: '2026-03-23T10:00:00', tzid: 'Europe/Berlin' };
const proposed = { proposedStart: '2026-03-23T15:00:00', proposedEnd: '2026-03-23T16:00:00' };

/** Members who know each other. */
async function open(engine: EngineName): Promise<CalendarScene> {
  const scene = await openCalendars(engine, { config });
  await groupOf(scene.house, [scene.ann, scene.bob, scene.cleo]);
  return scene;
}

async function invite({ done, ann, bob, cleo }: CalendarScene, more: RawInputOf<typeof createEvent> = {}) {
  const attendees = [bob, cleo].map(({ memberId: userId }) => ({ userId }));
  return (await done(createEvent, ann, { summary: 'Plan', ...times, attendees, ...more })).event;
}

async function eventsOf({ done }: CalendarScene, who: HouseMember): Promise<Event[]> {
  return (await done(listEvents, who, { start: '2026-03-20', end: '2026-04-20' })).events;
}

async function noticesOf({ house }: CalendarScene, { token }: HouseMember): Promise<string[]> {
  const { body } = await house.perform(notificationInbox.list, {}, token);
  return body.data.notifications
    .filter(({ category }: { category: string }) => category === 'calendar')
    .map(({ type }: { type: string }) => type)
    .toSorted();
}

/** Nothing more has room in what the member keeps. */
async function fill({ house }: CalendarScene, { memberId }: HouseMember): Promise<void> {
  const { db } = house.ctx;
  await db
    .updateTable('member_storage')
    .set({ bytes: 2 ** 50 })
    .where('member_id', '=', memberId)
    .execute();
}

const answersIn = ({ attendees }: Event): Record<string, string> =>
  Object.fromEntries(attendees.map(({ displayName = '', partstat }) => [displayName, partstat]));

describe.each(bothEngines)('invitations on %s', (engine) => {
  it('lose neither an answer nor a change when both are made at once', async () => {
    await using scene = await open(engine);
    const { ann, bob, cleo, done } = scene;
    const { id } = await invite(scene);
    const copies = [(await eventsOf(scene, bob))[0]!.id, (await eventsOf(scene, cleo))[0]!.id];
    for (let round = 0; round < 5; round += 1) {
      const response = round % 2 === 0 ? 'ACCEPTED' : 'TENTATIVE';
      await Promise.all([
        done(updateEvent, ann, { id, summary: `Plan ${round}` }),
        done(rsvp, bob, { eventId: copies[0]!, response }),
        done(rsvp, cleo, { eventId: copies[1]!, response }),
        done(updateEvent, bob, { id: copies[0]!, categories: [`at ${round}`] }),
      ]);
      const { event } = await done(showEvent, ann, { id });
      expect([event.summary, answersIn(event)]).toEqual([`Plan ${round}`, { bob: response, cleo: response }]);
      expect(await eventsOf(scene, bob)).toMatchObject([
        { summary: `Plan ${round}`, myPartstat: response, categories: [`at ${round}`] },
      ]);
    }
  });

  it('have each proposal decided once', async () => {
    await using scene = await open(engine);
    const { ann, bob, house } = scene;
    const { id: eventId } = await invite(scene);
    const [copy] = await eventsOf(scene, bob);
    const { counterProposalId } = await scene.done(counter, bob, { eventId: copy!.id, ...proposed });
    const decisions = [acceptCounter, declineCounter, acceptCounter].map(
      async (operation) => (await house.perform(operation, { eventId, counterProposalId }, ann.token)).status,
    );
    expect((await Promise.all(decisions)).toSorted()).toEqual([200, 409, 409]);
    const { sequence } = (await scene.done(showEvent, ann, { id: eventId })).event;
    expect(sequence).toBeLessThanOrEqual(1);
  });

  it('are answered and cancelled, however full the store of who hears of it is', async () => {
    await using scene = await open(engine);
    const { ann, bob, cleo, done } = scene;
    const { id } = await invite(scene);
    const [copy] = await eventsOf(scene, bob);
    await fill(scene, ann);
    await done(rsvp, bob, { eventId: copy!.id, response: 'ACCEPTED' });
    expect(await eventsOf(scene, bob)).toMatchObject([{ myPartstat: 'ACCEPTED' }]);
    expect(await noticesOf(scene, ann)).toEqual(['event_reply']);
    await fill(scene, bob);
    await done(deleteEvent, ann, { id });
    expect(await eventsOf(scene, bob)).toEqual([]);
    expect(await noticesOf(scene, bob)).toEqual(['event_cancelled', 'event_invitation']);
    expect(await eventsOf(scene, cleo)).toMatchObject([{ status: 'CANCELLED' }]);
  });

  it('reach the others when the copy of one is damaged', async () => {
    await using scene = await open(engine);
    const { ann, bob, cleo, done, house } = scene;
    const { id } = await invite(scene);
    const [copy] = await eventsOf(scene, bob);
    const { db } = house.ctx;
    const sealed = new Uint8Array(64);
    await db.updateTable('calendar_objects').set({ sealed }).where('id', '=', copy!.id).execute();
    await done(updateEvent, ann, { id, summary: 'Plans' });
    expect(await eventsOf(scene, cleo)).toMatchObject([{ summary: 'Plans' }]);
    expect((await eventsOf(scene, ann))[0]).toMatchObject({ summary: 'Plans' });
  });

  it('are taken off a calendar without a word where that is wanted, and declined once', async () => {
    await using scene = await open(engine);
    const { ann, bob, cleo, done } = scene;
    const first = await invite(scene);
    const answers = async () => answersIn((await done(showEvent, ann, { id: first.id })).event);
    const [copy] = await eventsOf(scene, bob);
    await done(deleteEvent, bob, { id: copy!.id, notify: 'false' });
    expect([await answers(), await noticesOf(scene, ann)]).toEqual([{ bob: 'NEEDS-ACTION', cleo: 'NEEDS-ACTION' }, []]);
    const [others] = await eventsOf(scene, cleo);
    await done(rsvp, cleo, { eventId: others!.id, response: 'DECLINED' });
    const { respondedAt } = (await done(showEvent, ann, { id: first.id })).event.attendees[1]!;
    scene.house.clock.advance(60_000);
    await done(deleteEvent, cleo, { id: others!.id });
    const { event } = await done(showEvent, ann, { id: first.id });
    expect(event.attendees[1]).toMatchObject({ partstat: 'DECLINED', respondedAt });
    await done(deleteEvent, ann, { id: first.id, notify: 'false' });
    expect(await noticesOf(scene, cleo)).toEqual(['event_invitation']);
    // A series that somebody else organizes is left as a whole, or in single instances.
    await invite(scene, { rrule: 'FREQ=DAILY;COUNT=3' });
    const second = (await eventsOf(scene, bob))[1]!;
    const input = { id: second.id, mode: 'thisAndFuture' } as const;
    expect(await scene.refused(deleteEvent, bob, input)).toBe('400 VALIDATION_ERROR');
    expect(await eventsOf(scene, bob)).toHaveLength(3);
  });

  it('stay in the calendars of those whom they are for, with what is proposed about them', async () => {
    await using scene = await open(engine);
    const { ann, bob, done } = scene;
    const { id } = await invite(scene);
    const [copy] = await eventsOf(scene, bob);
    await done(counter, bob, { eventId: copy!.id, ...proposed });
    const [own, shared] = [await scene.calendarOf(ann), await scene.calendarOf(bob)];
    await scene.share(bob, shared.id, ann, 'editor');
    expect(await scene.refused(updateEvent, ann, { id, calendarId: shared.id })).toBe('400 VALIDATION_ERROR');
    await done(updateEvent, ann, { id, calendarId: own.id, location: 'Garden' });
    expect(await eventsOf(scene, bob)).toMatchObject([{ id: copy!.id, location: 'Garden' }]);
    expect((await done(listInvitations, ann, {})).proposals).toMatchObject([{ eventId: id }]);
    // Attendees move their copies, too, and hear of changes there.
    await done(updateEvent, bob, { id: copy!.id, calendarId: shared.id });
    await done(updateEvent, ann, { id, summary: 'Plans' });
    expect((await done(showEvent, bob, { id: copy!.id })).event).toMatchObject({
      calendarId: shared.id,
      summary: 'Plans',
    });
  });
});
