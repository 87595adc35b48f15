import { describe, expect, it } from 'vitest';
import { calendars } from '../../../src/contract/calendar/calendars.ts';
import { events } from '../../../src/contract/calendar/events.ts';
import { instancesOf } from '../../../src/services/calendar/objects/runs.ts';
import { purgeCalendars } from '../../../src/services/calendar/purge.ts';
import { bothEngines } from '../../support/stores.ts';
import { openCalendars, type CalendarScene } from './calendar-scene.ts';

const { createEvent, listEvents, deleteEvent } = events;
const DAY = 86_400_000;

async function weekly(scene: CalendarScene, more: object = {}): Promise<string> {
  const dtstart = new Date(scene.house.clock.now()).toISOString().slice(0, 19);
  const given = { summary: 'Weekly', dtstart, tzid: 'UTC', duration: 'PT1H', rrule: 'FREQ=WEEKLY', ...more };
  return (await scene.done(createEvent, scene.ann, given)).event.id;
}

const instances = async ({ house }: CalendarScene) =>
  (await house.ctx.db.selectFrom('event_runs').selectAll().execute())
    .flatMap((run) => instancesOf(run))
    .toSorted((one, other) => one.start_at - other.start_at);

const rowsOf = async (scene: CalendarScene, id: string) =>
  (await instances(scene)).filter(({ object_id: of }) => of === id);

const objectOf = async ({ house }: CalendarScene, id: string) =>
  await house.ctx.db.selectFrom('calendar_objects').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

/** Lets time pass as a server does that looks every so often. */
async function days(scene: CalendarScene, count: number): Promise<void> {
  await purgeCalendars(scene.house.ctx);
  await scene.later(count * DAY);
}

describe.each(bothEngines)('instances of events on %s', (engine) => {
  it('are rows two years later too, and the event is the same as before', async () => {
    await using scene = await openCalendars(engine);
    const id = await weekly(scene);
    const before = await objectOf(scene, id);
    const last = (await rowsOf(scene, id)).at(-1)!.start_at;
    await days(scene, 20);
    expect((await objectOf(scene, id)).written_to).toBe(before.written_to);
    await days(scene, 711);
    const now = scene.house.clock.now();
    const after = await objectOf(scene, id);
    expect(after.written_to).toBe(now + 732 * DAY);
    expect(after.written_from).toBe(now - 366 * DAY);
    const rows = await rowsOf(scene, id);
    expect(rows.at(-1)!.start_at).toBeGreaterThan(last + 700 * DAY);
    expect(rows[0]!.start_at).toBeGreaterThan(now - 374 * DAY);
    expect(rows.length).toBe(new Set(rows.map(({ start_at: at }) => at)).size);
    const { written_to: _, written_from: __, ...same } = after;
    expect(before).toMatchObject(same);
    const start = new Date(now).toISOString();
    const later = { token: await scene.house.signIn(scene.ann) };
    const { events: found } = await scene.done(listEvents, later, {
      start,
      end: new Date(now + 7 * DAY).toISOString(),
    });
    expect(found.map(({ summary }) => summary)).toEqual(['Weekly']);
  });

  it('are computed anew with other time zones, and one that does not open stops no other', async () => {
    await using scene = await openCalendars(engine);
    const { db } = scene.house.ctx;
    const [older, damaged, newer] = [await weekly(scene), await weekly(scene), await weekly(scene)];
    const before = await rowsOf(scene, newer);
    for (const [id, zones] of [
      [older, '1970a'],
      [damaged, '1970b'],
      [newer, '2999a'],
    ] as const) {
      await db.updateTable('calendar_objects').set({ zones }).where('id', '=', id).execute();
      await db.updateTable('event_runs').set({ end_at: 1 }).where('object_id', '=', id).execute();
    }
    await db
      .updateTable('calendar_objects')
      .set({ sealed: new Uint8Array(80) })
      .where('id', '=', damaged)
      .execute();
    await days(scene, 1);
    const zones = [older, damaged, newer].map(async (id) => (await objectOf(scene, id)).zones);
    expect(await Promise.all(zones)).toEqual([process.versions.tz, '1970b', process.versions.tz]);
    expect(await rowsOf(scene, newer)).toEqual(before);
    expect((await rowsOf(scene, damaged)).every(({ end_at: end }) => end === 1)).toBe(true);
  });

  it('move with the zone of their calendar, if they are days or have no zone', async () => {
    await using scene = await openCalendars(engine);
    const { id } = await scene.calendarOf(scene.ann, { timezone: 'Europe/Berlin' });
    const other = await scene.calendarOf(scene.ann, { timezone: 'Europe/Berlin' });
    const day = { dtstart: '2026-03-10', allDay: true, rrule: undefined, tzid: undefined, duration: undefined };
    const whole = await weekly(scene, { ...day, calendarId: id });
    const elsewhere = await weekly(scene, { ...day, calendarId: other.id });
    const timed = await weekly(scene, { calendarId: id, tzid: 'Europe/Berlin' });
    const before = await rowsOf(scene, timed);
    const begin = async (event: string) => new Date((await rowsOf(scene, event))[0]!.start_at).toISOString();
    expect(await begin(whole)).toBe('2026-03-09T23:00:00.000Z');
    const ctag = (await scene.done(calendars.showCalendar, scene.ann, { id })).calendar.ctag;
    const { etag } = await objectOf(scene, whole);
    await scene.done(calendars.updateCalendar, scene.ann, { id, timezone: 'America/New_York' });
    await scene.later(0);
    expect(await begin(whole)).toBe('2026-03-10T04:00:00.000Z');
    expect(await begin(elsewhere)).toBe('2026-03-09T23:00:00.000Z');
    expect(await rowsOf(scene, timed)).toEqual(before);
    expect((await objectOf(scene, whole)).etag).toBe(etag);
    expect((await scene.done(calendars.showCalendar, scene.ann, { id })).calendar.ctag).toBe(ctag);
    const { events: found } = await scene.done(listEvents, scene.ann, {
      calendarId: id,
      start: '2026-03-11T01:00:00Z',
      end: '2026-03-11T02:00:00Z',
    });
    expect(found.map((event) => event.id)).toEqual([whole]);
  });

  it('that stand in the store one by one, as they once did, come together, and are the same', async () => {
    await using scene = await openCalendars(engine);
    const { db } = scene.house.ctx;
    const id = await weekly(scene);
    const before = await rowsOf(scene, id);
    const [run] = await db.selectFrom('event_runs').selectAll().execute();
    await db.deleteFrom('event_runs').execute();
    for (const { recurrence, start_at, end_at } of before)
      await db
        .insertInto('event_runs')
        .values({ ...run!, recurrence, start_at, end_at, step: 1 })
        .execute();
    await db.updateTable('calendar_objects').set({ zones: '' }).execute();
    expect(await rowsOf(scene, id)).toEqual(before);
    await days(scene, 1);
    const runs = await db.selectFrom('event_runs').select('recurrence').execute();
    expect(runs.length).toBeLessThan(before.length / 6);
    expect(await rowsOf(scene, id)).toEqual(before);
  });

  it('are those of a zone that the calendar gets while they are made', async () => {
    await using scene = await openCalendars(engine);
    const { ann } = scene;
    const { id: calendarId } = await scene.calendarOf(ann, { timezone: 'Europe/Berlin' });
    const day = { calendarId, dtstart: '2026-03-10', allDay: true, summary: 'Day', rrule: 'FREQ=DAILY;COUNT=3' };
    for (const timezone of ['America/New_York', 'Asia/Tokyo', 'America/New_York'])
      await Promise.all([
        scene.done(createEvent, ann, day),
        scene.done(calendars.updateCalendar, ann, { id: calendarId, timezone }),
        scene.done(createEvent, ann, day),
      ]);
    await scene.later(0);
    const rows = await instances(scene);
    const starts = new Set(rows.map(({ start_at: at }) => new Date(at).toISOString().slice(5, 13)));
    expect([rows.length, starts]).toEqual([18, new Set(['03-10T04', '03-11T04', '03-12T04'])]);
  });

  it(
    'of what happens all the time are rows from now on, a thousand or so, and lists have all of them',
    { tags: 'thorough' },
    async () => {
      await using scene = await openCalendars(engine);
      const { house } = scene;
      const begin = new Date(house.clock.now() - 200 * DAY).toISOString().slice(0, 19);
      const id = await weekly(scene, { dtstart: begin, rrule: 'FREQ=MINUTELY;INTERVAL=30', duration: 'PT45M' });
      const expectRows = async () => {
        const now = house.clock.now();
        const rows = await rowsOf(scene, id);
        const { written_from: from, written_to: to } = await objectOf(scene, id);
        expect(rows.length).toBeGreaterThan(1_100);
        expect(rows.length).toBeLessThanOrEqual(1_400);
        expect(rows.every((row) => row.end_at >= from! && row.start_at < to!)).toBe(true);
        expect(to! - now).toBeGreaterThan(23 * DAY);
        const ann = { token: await house.signIn(scene.ann) };
        for (const at of [from!, now, to!, now - 190 * DAY, now + 900 * DAY]) {
          const [start, end] = [at - DAY, at + DAY].map((time) => new Date(time).toISOString());
          const { events: found } = await scene.done(listEvents, ann, { start, end, limit: 1_000 });
          const starts = found.map((event) => Date.parse(event.start));
          expect(new Set(starts).size).toBe(found.length);
          const steps = new Set(starts.slice(1).map((time, index) => time - starts[index]!));
          expect(steps).toEqual(new Set([30 * 60_000]));
          expect(found.length).toBeGreaterThanOrEqual(97);
        }
      };
      await expectRows();
      await days(scene, 1);
      await expectRows();
      await days(scene, 40);
      await expectRows();
      await house.ctx.db.updateTable('calendar_objects').set({ zones: '1970a' }).execute();
      await days(scene, 1);
      await expectRows();
      expect((await objectOf(scene, id)).zones).toBe(process.versions.tz);
    },
  );
});

describe.each(bothEngines)('removed events on %s', (engine) => {
  it('are known for 90 days, and then a token from before lists everything again', { tags: 'thorough' }, async () => {
    await using scene = await openCalendars(engine);
    let ann: { readonly token: string } = scene.ann;
    const { id: calendarId } = await scene.calendarOf(ann);
    const gone = await weekly(scene, { calendarId });
    const { syncToken } = await scene.done(listEvents, ann, { calendarId });
    await scene.done(deleteEvent, ann, { id: gone });
    const { syncToken: later } = await scene.done(listEvents, ann, { calendarId });
    scene.house.clock.advance(90 * DAY - 1);
    await purgeCalendars(scene.house.ctx);
    ann = { token: await scene.house.signIn(scene.ann) };
    expect(await scene.done(listEvents, ann, { calendarId, syncToken })).toMatchObject({ deleted: [gone] });
    scene.house.clock.advance(1);
    await purgeCalendars(scene.house.ctx);
    expect(await scene.refused(listEvents, ann, { calendarId, syncToken })).toBe('410 SYNC_TOKEN_EXPIRED');
    expect(await scene.done(listEvents, ann, { calendarId, syncToken: later })).toMatchObject({ deleted: [] });
    expect(await scene.house.ctx.db.selectFrom('calendar_tombstones').selectAll().execute()).toEqual([]);
  });
});
