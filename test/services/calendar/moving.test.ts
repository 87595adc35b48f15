import { describe, expect, it } from 'vitest';
import type { Event } from '../../../src/contract/calendar/event.ts';
import { calendars } from '../../../src/contract/calendar/calendars.ts';
import { events } from '../../../src/contract/calendar/events.ts';
import { search } from '../../../src/contract/calendar/search.ts';
import { shares } from '../../../src/contract/calendar/shares.ts';
import { requireCalendar } from '../../../src/services/calendar/access.ts';
import type { JcalProperty } from '../../../src/services/calendar/icalendar/jcal.ts';
import { openOctets } from '../../../src/services/calendar/objects/content.ts';
import { insertObject } from '../../../src/services/calendar/objects/write.ts';
import { openContentKey } from '../../../src/services/calendar/own-calendars.ts';
import { transaction } from '../../../src/service/context.ts';
import { bothEngines } from '../../support/stores.ts';
import { openCalendars, type CalendarScene } from './calendar-scene.ts';

const { createEvent, listEvents, showEvent, updateEvent, deleteEvent } = events;
const range = { start: '2026-03-20', end: '2026-04-10' };
const given = { summary: 'Standup', dtstart: '2026-03-23T09:00:00', tzid: 'Europe/Berlin', duration: 'PT30M' };

async function make(scene: CalendarScene, calendarId: string, more: object = {}): Promise<Event> {
  return (await scene.done(createEvent, scene.ann, { calendarId, ...given, ...more })).event;
}

const startsIn = async (scene: CalendarScene, calendarId: string, who = scene.ann) =>
  (await scene.done(listEvents, who, { calendarId, ...range })).events.map(({ start }) => start);

/** What the rows say that each member and calendar has, and what they have. */
async function sums({ house }: CalendarScene) {
  const { db } = house.ctx;
  const objects = await db.selectFrom('calendar_objects').select(['id', 'calendar_id', 'bytes']).execute();
  const rows = await db.selectFrom('calendars').select(['id', 'owner_id', 'objects']).execute();
  const stored = await db.selectFrom('member_storage').select(['member_id', 'bytes']).execute();
  const instances = await db.selectFrom('event_runs').select(['object_id', 'calendar_id']).execute();
  const of = (id: string) => objects.filter((one) => one.calendar_id === id);
  const bytesOf = (owner: string) =>
    rows
      .filter((row) => row.owner_id === owner)
      .flatMap(({ id }) => of(id))
      .reduce((sum, { bytes }) => sum + bytes, 0);
  const places = new Map(objects.map((one) => [one.id, one.calendar_id]));
  return {
    counted: rows.map((row) => [row.id, row.objects]),
    objects: rows.map((row) => [row.id, of(row.id).length]),
    stored: stored.map((row) => [row.member_id, row.bytes]),
    bytes: stored.map((row) => [row.member_id, bytesOf(row.member_id)]),
    strays: instances.filter((row) => places.get(row.object_id) !== row.calendar_id),
  };
}

async function expectRight(scene: CalendarScene): Promise<void> {
  const { counted, objects, stored, bytes, strays } = await sums(scene);
  expect(counted).toEqual(objects);
  expect(stored).toEqual(bytes);
  expect(strays).toEqual([]);
}

describe.each(bothEngines)('an event that moves to another calendar on %s', (engine) => {
  it('keeps its id and its instances, counts to the other owner, and is gone from where it was', async () => {
    await using scene = await openCalendars(engine);
    const { ann, bob } = scene;
    const from = await scene.calendarOf(ann);
    const to = await scene.calendarOf(bob);
    await scene.share(bob, to.id, ann, 'editor');
    const { id, uid, dateCreated } = await make(scene, from.id, { rrule: 'FREQ=DAILY;COUNT=3' });
    const one = `${id}_20260324T080000Z`;
    await scene.done(updateEvent, ann, { id: one, summary: 'Zeppelin' });
    const tokenOf = async (calendarId: string) => (await scene.done(listEvents, ann, { calendarId })).syncToken;
    const [before, after] = [await tokenOf(from.id), await tokenOf(to.id)];
    const { event: moved } = await scene.done(updateEvent, ann, { id, calendarId: to.id });
    expect(moved).toMatchObject({ id, uid, dateCreated, calendarId: to.id, organizerId: ann.memberId });
    expect(await startsIn(scene, from.id)).toEqual([]);
    expect(await startsIn(scene, to.id)).toHaveLength(3);
    expect(await scene.done(listEvents, ann, { calendarId: from.id, syncToken: before })).toMatchObject({
      events: [],
      deleted: [id],
    });
    expect(await scene.done(listEvents, ann, { calendarId: to.id, syncToken: after })).toMatchObject({
      events: [{ id, etag: moved.etag }],
      deleted: [],
    });
    expect((await scene.done(showEvent, bob, { id: one })).event).toMatchObject({ summary: 'Zeppelin' });
    const foundIn = async (calendarIds: string) =>
      (await scene.done(search.searchEvents, ann, { q: 'zeppelin', calendarIds })).results.map((found) => found.id);
    expect([await foundIn(from.id), await foundIn(to.id)]).toEqual([[], [id]]);
    await expectRight(scene);
    // And back, where programs have heard that it is gone.
    await scene.done(updateEvent, ann, { id, calendarId: from.id });
    expect(await scene.done(listEvents, ann, { calendarId: from.id, syncToken: before })).toMatchObject({
      events: [{ id }],
      deleted: [],
    });
    await scene.done(deleteEvent, ann, { id });
    await expectRight(scene);
  });

  it('may change at once, and has the days of the zone to which it comes', async () => {
    await using scene = await openCalendars(engine);
    const { ann } = scene;
    const from = await scene.calendarOf(ann, { timezone: 'Europe/Berlin' });
    const to = await scene.calendarOf(ann, { timezone: 'America/New_York' });
    const day = { dtstart: '2026-03-23', allDay: true, tzid: undefined, duration: undefined };
    const { id, sequence } = await make(scene, from.id, day);
    const same = await scene.done(updateEvent, ann, { id, calendarId: from.id });
    expect(same.event).toMatchObject({ calendarId: from.id, sequence });
    const change = { calendarId: to.id, summary: 'Trip', dtstart: '2026-03-24' };
    const { event } = await scene.done(updateEvent, ann, { id, ...change });
    expect(event).toMatchObject({
      calendarId: to.id,
      summary: 'Trip',
      dtstart: '2026-03-24',
      dtend: '2026-03-25',
      start: '2026-03-24T04:00:00.000Z',
      sequence: sequence + 1,
    });
    expect(await startsIn(scene, to.id)).toEqual([event.start]);
    await expectRight(scene);
  });

  it('is refused, and stays, where one may not write, and where its UID is', async () => {
    await using scene = await openCalendars(engine);
    const { ann, bob } = scene;
    const from = await scene.calendarOf(ann);
    const own = await scene.calendarOf(bob);
    const { id } = await make(scene, from.id, { uid: 'same@example.org', rrule: 'FREQ=DAILY;COUNT=2' });
    const hidden = await make(scene, from.id, { visibility: 'PRIVATE' });
    const move = async (who: typeof ann, calendarId: string, more: object = {}) =>
      await scene.refused(updateEvent, who, { id, calendarId, ...more });
    expect(await move(ann, own.id)).toBe('404 NOT_FOUND');
    expect(await move(bob, own.id)).toBe('404 NOT_FOUND');
    await scene.share(bob, own.id, ann, 'viewer');
    const share = await scene.share(ann, from.id, bob, 'viewer');
    expect(await move(ann, own.id)).toBe('403 FORBIDDEN');
    expect(await move(bob, own.id)).toBe('403 FORBIDDEN');
    await scene.done(shares.removeShare, ann, { calendarId: from.id, shareId: share });
    await scene.share(ann, from.id, bob, 'editor');
    expect(await scene.refused(updateEvent, bob, { id: hidden.id, calendarId: own.id })).toBe('403 FORBIDDEN');
    for (const more of [{ modificationMode: 'single' }, { modificationMode: 'thisAndFuture' }])
      expect(await move(bob, own.id, { ...more, recurrenceId: '2026-03-23T09:00:00' })).toBe('400 VALIDATION_ERROR');
    expect(await scene.refused(updateEvent, bob, { id: `${id}_20260323T080000Z`, calendarId: own.id })).toBe(
      '400 VALIDATION_ERROR',
    );
    await scene.done(createEvent, bob, { calendarId: own.id, ...given, uid: 'same@example.org' });
    expect(await move(bob, own.id)).toBe('409 CONFLICT');
    expect(await startsIn(scene, from.id)).toHaveLength(3);
    expect(await startsIn(scene, own.id)).toHaveLength(1);
    await expectRight(scene);
  });

  it('takes along the text that a program sent, and gets another name where its own is taken', async () => {
    await using scene = await openCalendars(engine);
    const { ann, house } = scene;
    const [from, to] = [await scene.calendarOf(ann), await scene.calendarOf(ann)];
    const put = async (calendarId: string, uid: string) =>
      await transaction(house.ctx, async (tx) => {
        const calendar = await requireCalendar(tx, ann.memberId, calendarId, 'owner');
        const properties: JcalProperty[] = [
          ['uid', {}, 'text', uid],
          ['dtstart', {}, 'date-time', '2026-03-23T09:00:00Z'],
        ];
        const key = openContentKey(tx, calendar);
        return await insertObject(
          tx,
          { ...calendar, key },
          {
            object: ['vcalendar', [], [['vevent', properties, []]]],
            octets: `BEGIN:VCALENDAR ${uid}`,
            name: 'lunch.ics',
            createdBy: ann.memberId,
          },
        );
      });
    const { id } = await put(from.id, 'one');
    await put(to.id, 'two');
    await scene.done(updateEvent, ann, { id, calendarId: to.id });
    const row = await house.ctx.db
      .selectFrom('calendar_objects')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(row.name).toBe(`${id}.ics`);
    const key = openContentKey(house.ctx, await requireCalendar(house.ctx, ann.memberId, to.id, 'owner'));
    expect(openOctets(key, row, row.octets!)).toBe('BEGIN:VCALENDAR one');
    await expectRight(scene);
  });

  it('is in one calendar, whatever happens at once', async () => {
    await using scene = await openCalendars(engine);
    const { ann, bob } = scene;
    const mine = await scene.calendarOf(ann);
    const [theirs, third] = [await scene.calendarOf(bob), await scene.calendarOf(bob)];
    for (const { id } of [theirs, third]) await scene.share(bob, id, ann, 'editor');
    const made = await Promise.all([mine, theirs, third, mine].map(async ({ id }) => await make(scene, id)));
    const places = [theirs, mine, mine, third];
    const answers = await Promise.all(
      made.flatMap(({ id }, at) => [
        scene.house.perform(updateEvent, { id, calendarId: places[at]!.id }, ann.token),
        scene.house.perform(updateEvent, { id, summary: 'Changed' }, ann.token),
        scene.house.perform(updateEvent, { id, calendarId: places[(at + 1) % 4]!.id, summary: 'Moved' }, ann.token),
      ]),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    await expectRight(scene);
    const gone = await Promise.all([
      scene.house.perform(updateEvent, { id: made[0]!.id, calendarId: third.id }, ann.token),
      scene.house.perform(calendars.deleteCalendar, { id: third.id }, bob.token),
    ]);
    expect([[200, 404].includes(gone[0].status), gone[1].status]).toEqual([true, 200]);
    await scene.later(1_000);
    await expectRight(scene);
  });
});
