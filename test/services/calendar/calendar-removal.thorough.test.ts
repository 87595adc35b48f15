import { describe, expect, it } from 'vitest';
import { calendars } from '../../../src/contract/calendar/calendars.ts';
import type { Event } from '../../../src/contract/calendar/event.ts';
import { events } from '../../../src/contract/calendar/events.ts';
import { invitations } from '../../../src/contract/calendar/invitations.ts';
import type { RawInputOf } from '../../../src/contract/operation.ts';
import type { EngineName } from '../../../src/platform/store/database.ts';
import { erasingHandler } from '../../../src/services/calendar/erasing.ts';
import { config } from '../../support/mail-config.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { bothEngines } from '../../support/stores.ts';
import { groupOf } from '../chat/chat-scene.ts';
import { openCalendars, type CalendarScene } from './calendar-scene.ts';
import { openRelayScene } from './relay-scene.ts';

const { createEvent, listEvents, updateEvent } = events;
const { deleteCalendar } = calendars;

const toCome = { dtstart: '2026-03-23T09:00:00', dtend: '2026-03-23T10:00:00', tzid: 'Europe/Berlin' };
const over = { dtstart: '2026-01-05T09:00:00', dtend: '2026-01-05T10:00:00', tzid: 'Europe/Berlin' };

/** Members who know each other. */
async function open(engine: EngineName): Promise<CalendarScene> {
  const scene = await openCalendars(engine, { config });
  await groupOf(scene.house, [scene.ann, scene.bob, scene.cleo]);
  return scene;
}

async function invite(
  { done, ann }: CalendarScene,
  who: readonly HouseMember[],
  more: RawInputOf<typeof createEvent>,
): Promise<Event> {
  const attendees = who.map(({ memberId: userId }) => ({ userId }));
  return (await done(createEvent, ann, { attendees, ...more })).event;
}

/** State of the events that somebody sees, by their titles. */
async function statesOf({ done }: CalendarScene, who: HouseMember): Promise<Record<string, string>> {
  const { events: found } = await done(listEvents, who, {});
  return Object.fromEntries(found.map(({ summary, status }) => [summary, status]));
}

/** What an attendee has answered, by the titles of the events. */
async function answersOf({ done, ann }: CalendarScene, { memberId }: HouseMember): Promise<Record<string, string>> {
  const { events: found } = await done(listEvents, ann, {});
  return Object.fromEntries(
    found.map(({ summary, attendees }) => [
      summary,
      attendees.find(({ userId }) => userId === memberId)?.partstat ?? '',
    ]),
  );
}

async function cancellationsOf({ house: { ctx } }: CalendarScene, { memberId }: HouseMember): Promise<number> {
  const rows = await ctx.db
    .selectFrom('notifications')
    .select('id')
    .where('recipient_id', '=', memberId)
    .where('type', '=', 'event_cancelled')
    .execute();
  return rows.length;
}

async function stored({ house: { ctx } }: CalendarScene, calendarId: string): Promise<number> {
  const rows = await ctx.db.selectFrom('calendar_objects').select('id').where('calendar_id', '=', calendarId).execute();
  return rows.length;
}

describe.each(bothEngines)('a calendar that is deleted, on %s', (engine) => {
  it('cancels what was organized there and is not over, for each who is invited, once', async () => {
    await using scene = await open(engine);
    const { ann, bob, cleo, done, house } = scene;
    const { id } = await scene.calendarOf(ann);
    await invite(scene, [bob, cleo], { calendarId: id, summary: 'Plan', ...toCome });
    await invite(scene, [bob], { calendarId: id, summary: 'Old', ...over });
    await invite(scene, [bob], { calendarId: id, summary: 'Weekly', ...over, rrule: 'FREQ=WEEKLY;COUNT=30' });
    const other = (await scene.calendarOf(ann)).id;
    await invite(scene, [bob], { calendarId: other, summary: 'Other', ...toCome });
    await done(deleteCalendar, ann, { id });
    const job = await house.ctx.db.selectFrom('jobs').selectAll().where('kind', '=', 'calendar-erasing').execute();
    await scene.later(0);
    const all = { Plan: 'CANCELLED', Old: 'CONFIRMED', Weekly: 'CANCELLED', Other: 'CONFIRMED' };
    expect(await statesOf(scene, bob)).toEqual(all);
    expect(await statesOf(scene, cleo)).toEqual({ Plan: 'CANCELLED' });
    expect([await cancellationsOf(scene, bob), await stored(scene, id)]).toEqual([2, 0]);
    // A job that runs again says nothing again.
    const again = { id: job[0]!.id, attempt: 1, signal: new AbortController().signal, finish: async () => undefined };
    await erasingHandler(house.ctx)(JSON.parse(job[0]!.payload), again);
    expect([await cancellationsOf(scene, bob), await statesOf(scene, bob)]).toEqual([2, all]);
  });

  it('declines the invitations that were in it, and says nothing of other events', async () => {
    await using scene = await open(engine);
    const { ann, bob, done } = scene;
    const { id } = await scene.calendarOf(bob);
    await invite(scene, [bob], { summary: 'Plan', ...toCome });
    await invite(scene, [bob], { summary: 'Old', ...over });
    await invite(scene, [bob], { summary: 'Kept', ...toCome });
    const copies = (await done(listEvents, bob, {})).events;
    for (const copy of copies) {
      await done(invitations.rsvp, bob, { eventId: copy.id, response: 'ACCEPTED' });
      if (copy.summary !== 'Kept') await done(updateEvent, bob, { id: copy.id, calendarId: id });
    }
    await done(deleteCalendar, bob, { id });
    await scene.later(0);
    expect(await answersOf(scene, bob)).toEqual({ Plan: 'DECLINED', Old: 'ACCEPTED', Kept: 'ACCEPTED' });
    expect(await statesOf(scene, bob)).toEqual({ Kept: 'CONFIRMED' });
    expect(await statesOf(scene, ann)).toEqual({ Plan: 'CONFIRMED', Old: 'CONFIRMED', Kept: 'CONFIRMED' });
    // Nothing keeps what is left of them in the store.
    const { db } = scene.house.ctx;
    const left = await db.selectFrom('calendar_invitations').select('object_id').execute();
    expect(left.filter((row) => row.object_id !== null)).toHaveLength(1);
  });

  it('says nothing where that is wanted, and of events that are in another calendar too', async () => {
    await using scene = await open(engine);
    const { ann, bob, done } = scene;
    const [first, second] = [await scene.calendarOf(ann), await scene.calendarOf(ann)];
    const plan = await invite(scene, [bob], { calendarId: first.id, summary: 'Plan', ...toCome });
    await invite(scene, [bob], { calendarId: second.id, summary: 'Plan', ...toCome, uid: plan.uid, notify: false });
    await done(deleteCalendar, ann, { id: second.id });
    await scene.later(0);
    expect([await statesOf(scene, bob), await stored(scene, second.id)]).toEqual([{ Plan: 'CONFIRMED' }, 0]);
    await done(deleteCalendar, ann, { id: first.id, notify: 'false' });
    await scene.later(0);
    expect([await statesOf(scene, bob), await stored(scene, first.id)]).toEqual([{ Plan: 'CONFIRMED' }, 0]);
    expect(await cancellationsOf(scene, bob)).toBe(0);
  });

  it('is erased whatever one of its events is, and whenever the process stops', async () => {
    await using scene = await open(engine);
    const { ann, bob, done, house } = scene;
    const { db } = house.ctx;
    const { id } = await scene.calendarOf(ann);
    const bad = await invite(scene, [bob], { calendarId: id, summary: 'Bad', ...toCome });
    await invite(scene, [bob], { calendarId: id, summary: 'Plan', ...toCome });
    const sealed = new Uint8Array(64);
    await db.updateTable('calendar_objects').set({ sealed }).where('id', '=', bad.id).execute();
    await done(deleteCalendar, ann, { id });
    const job = await db
      .selectFrom('jobs')
      .selectAll()
      .where('kind', '=', 'calendar-erasing')
      .executeTakeFirstOrThrow();
    const stopped = { id: job.id, attempt: 1, signal: AbortSignal.abort(), finish: async () => undefined };
    await expect(erasingHandler(house.ctx)(JSON.parse(job.payload), stopped)).rejects.toThrow('abort');
    expect(await stored(scene, id)).toBe(2);
    await scene.later(0);
    expect(await stored(scene, id)).toBe(0);
    expect(await statesOf(scene, bob)).toEqual({ Bad: 'CONFIRMED', Plan: 'CANCELLED' });
  });

  it('is told by mail to those who are elsewhere', async () => {
    await using scene = await openRelayScene(engine);
    const { ann, done, relay } = scene;
    const { id } = await scene.calendarOf(ann);
    const attendees = [{ email: 'eve@far.example' }, { email: 'fay@far.example' }];
    await done(createEvent, ann, { calendarId: id, summary: 'Plan', ...toCome, attendees });
    await scene.mailed();
    await done(deleteCalendar, ann, { id });
    await scene.mailed();
    await scene.mailed();
    expect(relay.taken.flatMap(({ to }) => to)).toHaveLength(4);
    expect((await scene.read()).map(({ subject }) => subject).toSorted()).toEqual([
      'Cancelled: Plan',
      'Cancelled: Plan',
      'Invitation: Plan',
      'Invitation: Plan',
    ]);
  });
});
