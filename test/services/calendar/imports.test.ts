import { describe, expect, it } from 'vitest';
import { calendars } from '../../../src/contract/calendar/calendars.ts';
import { events } from '../../../src/contract/calendar/events.ts';
import { exporting, type CalendarImport, type ImportResult } from '../../../src/contract/calendar/export.ts';
import { calendarLimits } from '../../../src/contract/calendar/limits.ts';
import { shares } from '../../../src/contract/calendar/shares.ts';
import { services } from '../../../src/node/services.ts';
import { purgeCalendars } from '../../../src/services/calendar/purge.ts';
import { bothEngines } from '../../support/stores.ts';
import { until } from '../../support/real-time.ts';
import {
  calendarOf,
  contentOf,
  countIn,
  eventOf,
  exported,
  imported,
  many,
  onceThereAre,
  root,
  sent,
  storageOf,
} from './calendar-files.ts';
import { openCalendars, type CalendarScene } from './calendar-scene.ts';

const code = ({ status, body }: Awaited<ReturnType<typeof sent>>) => `${status} ${body.error?.code}`;

const titlesIn = async (scene: CalendarScene, calendarId: string) =>
  (await scene.done(events.listEvents, scene.ann, { calendarId })).events.map(({ summary }) => summary).toSorted();

/** Some more than a transaction takes. */
const SOME = 120;

describe.each(bothEngines)('imports of calendars on %s', (engine) => {
  it('overwrite one event after another, of which a bad one fails alone', async () => {
    await using scene = await openCalendars(engine, { config: { storage: { perMemberBytes: 60_000 } } });
    const { ann } = scene;
    const { id } = await scene.calendarOf(ann);
    const before = ['a', 'b', 'c', 'd'].map((uid) => eventOf(uid, `SUMMARY:Old ${uid}`));
    expect(await imported(scene, ann, id, calendarOf(...before))).toMatchObject({ imported: 4 });
    const file = calendarOf(
      eventOf('a', 'SUMMARY:New a'),
      // A rule that takes too much work, found before anything is written.
      eventOf('b', 'SUMMARY:New b', 'RRULE:FREQ=SECONDLY;COUNT=1000000').replace('20260301', '19700101'),
      eventOf('c', 'SUMMARY:New c', `DESCRIPTION:${'x'.repeat(61_000)}`),
      eventOf('d', 'SUMMARY:New d'),
      eventOf('e', 'SUMMARY:New e'),
    );
    const result = await imported(scene, ann, id, file, { mode: 'overwrite' });
    expect(result).toMatchObject({
      imported: 1,
      overwritten: 2,
      failed: 2,
      duplicates: ['a', 'd'],
      errors: [
        { uid: 'b', code: 'VALIDATION_ERROR' },
        { uid: 'c', code: 'STORAGE_QUOTA_EXCEEDED' },
      ],
    });
    expect(await titlesIn(scene, id)).toEqual(['New a', 'New d', 'New e', 'Old b', 'Old c']);
    const rows = await scene.house.ctx.db.selectFrom('calendar_objects').select('bytes').execute();
    expect(await storageOf(scene, ann)).toBe(rows.reduce((sum, { bytes }) => sum + bytes, 0));
  });

  it('plan anew what somebody changed meanwhile', async () => {
    await using scene = await openCalendars(engine);
    const { ann, house } = scene;
    const { id } = await scene.calendarOf(ann);
    await imported(scene, ann, id, calendarOf(eventOf('a', 'SUMMARY:First'), eventOf('b', 'SUMMARY:First')));
    const [a, b] = (await scene.done(events.listEvents, ann, { calendarId: id })).events;
    const happened = house.meanwhile(async () => {
      await scene.done(events.updateEvent, ann, { id: a!.id, location: 'There' });
      await scene.done(events.deleteEvent, ann, { id: b!.id });
    });
    const file = calendarOf(eventOf('a', 'SUMMARY:Second'), eventOf('b', 'SUMMARY:Second'));
    expect(await imported(scene, ann, id, file, { mode: 'overwrite' })).toMatchObject({ imported: 1, overwritten: 1 });
    expect(happened()).toBe(true);
    expect(await titlesIn(scene, id)).toEqual(['Second', 'Second']);
    expect(contentOf(await exported(scene, ann, id))).toEqual(contentOf(file));
  });

  it('name a task that has the UID of an event', async () => {
    await using scene = await openCalendars(engine);
    const { ann } = scene;
    const { id } = await scene.calendarOf(ann);
    const task = 'BEGIN:VTODO\nUID:one\nDTSTAMP:20260101T000000Z\nEND:VTODO';
    const result = await imported(scene, ann, id, calendarOf(eventOf('one'), task));
    expect(result).toMatchObject({ imported: 1, skipped: 0, failed: 1, errors: [{ uid: 'one', code: 'CONFLICT' }] });
  });

  it('make each event once when the request is repeated, also at once, and after it broke off', async () => {
    await using scene = await openCalendars(engine);
    const { ann, house } = scene;
    const { id } = await scene.calendarOf(ann);
    await imported(scene, ann, id, many(SOME));
    const options = { mode: 'create-new', key: 'the-same' };
    // The process stops after some of them.
    const stopped = onceThereAre(scene, id, SOME, () => house.spoil());
    expect(code(await sent(scene, ann, id, many(SOME), options))).toBe('500 INTERNAL_ERROR');
    expect(stopped()).toBe(true);
    const half = await countIn(scene, id);
    expect(half).toBeGreaterThan(SOME);
    expect(half).toBeLessThan(2 * SOME);
    const both = await Promise.all([0, 1].map(async () => await imported(scene, ann, id, many(SOME), options)));
    expect(both).toEqual([both[0], both[0]]);
    expect(both[0]).toMatchObject({ imported: SOME, failed: 0 });
    expect(await imported(scene, ann, id, many(SOME), options)).toEqual(both[0]);
    expect(await countIn(scene, id)).toBe(2 * SOME);
    expect(code(await sent(scene, ann, id, many(1), options))).toBe('409 IDEMPOTENCY_KEY_REUSED');
  });

  it('of the same file at once have each event once', async () => {
    await using scene = await openCalendars(engine);
    const { ann } = scene;
    const { id } = await scene.calendarOf(ann);
    const results = await Promise.all([0, 1, 2].map(async () => await imported(scene, ann, id, many(SOME))));
    const sum = (of: (result: ImportResult) => number) => results.map(of).reduce((one, other) => one + other);
    expect(sum((result) => result.imported)).toBe(SOME);
    expect(sum((result) => result.skipped)).toBe(2 * SOME);
    expect(await countIn(scene, id)).toBe(SOME);
  });

  it('end with the right to write, with the session, and with the calendar; what was read stays', async () => {
    await using scene = await openCalendars(engine);
    const { ann, bob, house } = scene;
    const ends = async (change: (calendarId: string, shareId: string) => Promise<unknown>) => {
      const { id } = await scene.calendarOf(ann);
      const share = await scene.share(ann, id, bob, 'editor');
      const token = await house.signIn(bob);
      const happened = onceThereAre(scene, id, 0, async () => await change(id, share));
      const reply = await sent(scene, { token }, id, many(SOME));
      expect(happened()).toBe(true);
      const count = await countIn(scene, id);
      expect(count).toBeGreaterThan(0);
      expect(count).toBeLessThan(SOME);
      return code(reply);
    };
    const unshared = await ends(async (calendarId, shareId) => {
      await scene.done(shares.removeShare, ann, { calendarId, shareId });
    });
    expect(unshared).toBe('404 NOT_FOUND');
    const demoted = await ends(async (id) => {
      const row = house.ctx.db.updateTable('calendar_shares').set({ permission: 'viewer' });
      await row.where('calendar_id', '=', id).execute();
    });
    expect(demoted).toBe('403 FORBIDDEN');
    expect(await ends(async (id) => void (await scene.done(calendars.deleteCalendar, ann, { id })))).toBe(
      '404 NOT_FOUND',
    );
    const signedOut = await ends(async () => {
      await house.ctx.db.deleteFrom('sessions').where('member_id', '=', bob.memberId).execute();
    });
    expect(signedOut).toBe('401 UNAUTHORIZED');
  });

  it('read JSON and UTF-16 as they read iCalendar', async () => {
    await using scene = await openCalendars(engine);
    const { ann, house } = scene;
    const lines = Array.from({ length: 60 }, (_, at) =>
      eventOf(`e${at}`, `SUMMARY:"\u{1f382}" \\\\ ü ${at}`, `DESCRIPTION:${'long \u{1f9c1} '.repeat(1_100)}`),
    );
    const file = calendarOf(...lines);
    expect(Buffer.byteLength(file)).toBeGreaterThan(600_000);
    const escaped = JSON.stringify({ duplicateMode: 'skip', icsData: file }).replaceAll(
      /[\u0080-\uffff]/g,
      (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    const headers = { 'content-type': 'application/json' };
    for (const rawBody of [JSON.stringify({ icsData: file }, null, 2), escaped]) {
      const { id } = await scene.calendarOf(ann);
      const { body } = await house.api('POST', `${root(id)}/import`, { token: ann.token, rawBody, headers });
      expect(body.result).toMatchObject({ imported: lines.length, failed: 0 });
      expect(contentOf(await exported(scene, ann, id))).toEqual(contentOf(file));
    }
    const { id } = await scene.calendarOf(ann);
    const wide = Uint8Array.from(Buffer.concat([Buffer.of(0xff, 0xfe), Buffer.from(file, 'utf16le')]));
    expect(await imported(scene, ann, id, wide)).toMatchObject({ imported: lines.length, failed: 0 });
    expect(contentOf(await exported(scene, ann, id))).toEqual(contentOf(file));
    for (const rawBody of [
      '{"icsData":1}',
      '{"icsData":"a"',
      '["icsData","a"]',
      '{"icsData":"a" "b":"c"}',
      '{"icsData":"\\x"}',
    ]) {
      const reply = await house.api('POST', `${root(id)}/import`, { token: ann.token, rawBody, headers });
      expect([rawBody, code(reply)]).toEqual([rawBody, '400 VALIDATION_ERROR']);
    }
  });

  it('that are large are read by a job, which goes on where it stopped', async () => {
    await using scene = await openCalendars(engine);
    const { ann, bob, house } = scene;
    const { db } = house.ctx;
    const { id } = await scene.calendarOf(ann);
    const total = calendarLimits.importAtOnce + 1;
    const { status, body } = await sent(scene, ann, id, many(total), { mode: 'create-new' });
    const begun = body.import as CalendarImport;
    expect([status, begun]).toMatchObject([202, { calendarId: id, state: 'pending', total, done: 0 }]);
    const show = async () => (await scene.done(exporting.showImport, ann, { calendarId: id, id: begun.id })).import;
    const handler = await services.find(({ name }) => name === 'calendar')!.jobs!['calendar-import']!(house.ctx);
    const stop = new AbortController();
    const run = handler({ importId: begun.id }, { attempt: 1, signal: stop.signal } as Parameters<typeof handler>[1]);
    const stopped = run.then(
      () => 'ended',
      () => 'stopped',
    );
    // Not over the API: the clock stands still, and so a slow machine would ask more often than a member may.
    const begunReading = db
      .selectFrom('calendar_imports')
      .select('id')
      .where('id', '=', begun.id)
      .where('done', '>', 0);
    await until(async () => (await begunReading.executeTakeFirst()) !== undefined);
    stop.abort();
    expect(await stopped).toBe('stopped');
    const half = await show();
    expect(half).toMatchObject({ state: 'pending' });
    expect(half.done).toBeLessThan(total);
    await scene.later(0);
    expect(await show()).toMatchObject({ state: 'done', done: total, result: { imported: total, failed: 0 } });
    expect(await countIn(scene, id)).toBe(total);
    expect(await db.selectFrom('calendar_import_parts').selectAll().execute()).toEqual([]);
    const stored = await db.selectFrom('calendar_objects').select('bytes').where('calendar_id', '=', id).execute();
    expect(await storageOf(scene, ann)).toBe(stored.reduce((sum, { bytes }) => sum + bytes, 0));
    await scene.share(ann, id, bob, 'editor');
    expect(await scene.refused(exporting.showImport, bob, { calendarId: id, id: begun.id })).toBe('404 NOT_FOUND');
  });

  it('that are large end with the right to write, and go with their calendar', async () => {
    await using scene = await openCalendars(engine);
    const { ann, bob, house } = scene;
    const { id } = await scene.calendarOf(ann);
    await scene.share(ann, id, bob, 'editor');
    const { body } = await sent(scene, bob, id, many(calendarLimits.importAtOnce + 1));
    const begun = body.import as CalendarImport;
    await scene.suspend(bob);
    await scene.later(0);
    expect(await scene.done(exporting.showImport, ann, { calendarId: id, id: begun.id })).toMatchObject({
      import: { state: 'failed', done: 0, result: { imported: 0 } },
    });
    await sent(scene, ann, id, many(calendarLimits.importAtOnce + 1));
    await scene.done(calendars.deleteCalendar, ann, { id });
    await scene.later(0);
    for (const table of ['calendar_imports', 'calendar_import_parts', 'calendar_objects'] as const)
      expect(await house.ctx.db.selectFrom(table).selectAll().execute()).toEqual([]);
    expect(await storageOf(scene, ann)).toBe(0);
  });

  it('whose file cannot be read end after three tries', async () => {
    await using scene = await openCalendars(engine);
    const { ann, house } = scene;
    const { id } = await scene.calendarOf(ann);
    const { body } = await sent(scene, ann, id, many(calendarLimits.importAtOnce + 1));
    await house.ctx.db.deleteFrom('calendar_import_parts').execute();
    const show = async () => await scene.done(exporting.showImport, ann, { calendarId: id, id: body.import.id });
    const handler = await services.find(({ name }) => name === 'calendar')!.jobs!['calendar-import']!(house.ctx);
    const { signal } = new AbortController();
    const read = async (attempt: number) =>
      await handler({ importId: body.import.id }, { attempt, signal } as Parameters<typeof handler>[1]);
    for (const attempt of [1, 2]) {
      await expect(read(attempt)).rejects.toThrow('The file is no iCalendar file');
      expect(await show()).toMatchObject({ import: { state: 'pending' } });
    }
    await read(3);
    expect(await show()).toMatchObject({ import: { state: 'failed', done: 0, result: { imported: 0 } } });
    expect(await storageOf(scene, ann)).toBe(0);
  });

  it('are forgotten after thirty days, also those that never ended', async () => {
    await using scene = await openCalendars(engine);
    const { ann, house } = scene;
    const { id } = await scene.calendarOf(ann);
    await imported(scene, ann, id, many(1), { key: 'ended' });
    const used = await storageOf(scene, ann);
    const { body } = await sent(scene, ann, id, many(calendarLimits.importAtOnce + 1));
    expect(body.import).toMatchObject({ state: 'pending' });
    expect(await storageOf(scene, ann)).toBeGreaterThan(used);
    await house.ctx.db.deleteFrom('jobs').where('kind', '=', 'calendar-import').execute();
    const ids = async () => await house.ctx.db.selectFrom('calendar_imports').select('state').execute();

    house.clock.advance(30 * 86_400_000 - 1);
    await purgeCalendars(house.ctx);
    expect(await ids()).toHaveLength(2);
    house.clock.advance(1);
    await purgeCalendars(house.ctx);
    expect(await ids()).toEqual([]);
    expect(await house.ctx.db.selectFrom('calendar_import_parts').select('part').execute()).toEqual([]);
    expect(await storageOf(scene, ann)).toBe(used);
  });
});
