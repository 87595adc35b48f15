import { describe, expect, it } from 'vitest';
import { calendars } from '../../../src/contract/calendar/calendars.ts';
import { events } from '../../../src/contract/calendar/events.ts';
import { exporting, type CalendarImport, type ImportResult } from '../../../src/contract/calendar/export.ts';
import { calendarLimits } from '../../../src/contract/calendar/limits.ts';
import { shares } from '../../../src/contract/calendar/shares.ts';
import { services } from '../../../src/node/services.ts';
import { bothEngines } from '../../support/stores.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { until } from '../../support/real-time.ts';
import { openCalendars, type CalendarScene } from './calendar-scene.ts';
import { clients } from './icalendar/samples/clients.ts';
import { others } from './icalendar/samples/others.ts';
import { crlf, readAll } from './icalendar/support.ts';

type Who = Pick<HouseMember, 'token'>;

const root = (calendarId: string) => `/api/cal/export/${calendarId}`;

async function sent(scene: CalendarScene, { token }: Who, calendarId: string, file: string, query = '') {
  const headers = { 'content-type': 'text/calendar' };
  return await scene.house.api('POST', `${root(calendarId)}/import${query}`, { token, rawBody: file, headers });
}

async function imported(scene: CalendarScene, who: Who, calendarId: string, file: string, mode?: string) {
  const query = mode === undefined ? '' : `?duplicateMode=${mode}`;
  const { status, body } = await sent(scene, who, calendarId, file, query);
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body.result as ImportResult;
}

async function fetched(scene: CalendarScene, { token }: Who, path: string, headers: Record<string, string> = {}) {
  const request = new Request(`http://house.test${path}`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
  });
  return await scene.house.fetch(request);
}

async function exported(scene: CalendarScene, who: Who, calendarId: string): Promise<string> {
  const reply = await fetched(scene, who, `${root(calendarId)}/ics`);
  if (reply.status !== 200) throw new Error(`${reply.status} ${await reply.text()}`);
  return await reply.text();
}

const json = async (scene: CalendarScene, who: Who, calendarId: string, format: string) =>
  (await (await fetched(scene, who, `${root(calendarId)}/json?format=${format}`)).json()) as Record<string, unknown>;

const calendar = (...parts: readonly string[]) =>
  crlf(['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Test//EN', ...parts, 'END:VCALENDAR'].join('\n'));
const event = (uid: string, ...lines: readonly string[]) =>
  ['BEGIN:VEVENT', `UID:${uid}`, 'DTSTAMP:20260101T000000Z', 'DTSTART:20260301T100000Z', ...lines, 'END:VEVENT'].join(
    '\n',
  );

/** What objects are, without the description of their zones, by UID. */
function contentOf(file: string): Map<string | undefined, unknown> {
  return new Map(
    readAll(file).map(({ uid, object }) => [uid, object?.jcal[2].filter(([name]) => name !== 'vtimezone')]),
  );
}

const many = (count: number) =>
  calendar(...Array.from({ length: count }, (_, at) => event(`many-${at}`, `SUMMARY:Event ${at}`)));

describe.each(bothEngines)('files of calendars on %s', (engine) => {
  it('of all programs come out as they went in', async () => {
    await using scene = await openCalendars(engine);
    const { ann } = scene;
    for (const { name, text } of [...clients, ...others]) {
      const { id } = await scene.calendarOf(ann, { displayName: name });
      const file = crlf(text);
      const result = await imported(scene, ann, id, file);
      const before = contentOf(file);
      expect({ name, ...result }).toMatchObject({ name, imported: before.size, failed: 0, errors: [] });
      expect({ name, content: contentOf(await exported(scene, ann, id)) }).toEqual({ name, content: before });
    }
  });

  it('keep tasks, journals, alarms and what nobody knows, and send nothing', async () => {
    await using scene = await openCalendars(engine);
    const { ann, bob, house } = scene;
    const { id } = await scene.calendarOf(ann, { displayName: 'Größe "1"', description: 'Of, work' });
    const file = calendar(
      'METHOD:REQUEST',
      event(
        'one',
        'SUMMARY:Meeting',
        `ATTENDEE;RSVP=TRUE:mailto:${bob.username}@example.com`,
        'X-THING;X-P="a;b":1\\,2',
      ),
      'BEGIN:VTODO\nUID:two\nDTSTAMP:20260101T000000Z\nSUMMARY:Do\nEND:VTODO',
      'BEGIN:VJOURNAL\nUID:three\nDTSTAMP:20260101T000000Z\nSUMMARY:Done\nEND:VJOURNAL',
      'BEGIN:X-ODD\nUID:four\nX-MORE:yes\nEND:X-ODD',
    );
    const jobs = async () => await house.ctx.db.selectFrom('jobs').select('id').execute();
    const before = await jobs();
    expect(await imported(scene, ann, id, file)).toMatchObject({ imported: 4, failed: 0 });
    expect(await jobs()).toEqual(before);
    const reply = await fetched(scene, ann, `${root(id)}/ics`);
    expect(reply.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
    expect(reply.headers.get('content-disposition')).toContain(`filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%221%22.ics`);
    const text = await reply.text();
    for (const line of ['X-THING;X-P="a;b":1\\,2', 'X-MORE:yes', 'X-WR-CALDESC:Of\\, work', 'BEGIN:VJOURNAL'])
      expect(text).toContain(`${line}\r\n`);
    expect(text).not.toContain('METHOD');
    const asJson = await fetched(scene, ann, `${root(id)}/ics`, { accept: 'application/json' });
    expect(await asJson.json()).toEqual({ icsData: text });
    const { events: shown } = await scene.done(events.listEvents, ann, { calendarId: id });
    expect(shown.map(({ uid }) => uid)).toEqual(['one']);
  });

  it('are JSON in three kinds', async () => {
    await using scene = await openCalendars(engine);
    const { ann } = scene;
    const { id } = await scene.calendarOf(ann);
    const times = { dtstart: '2026-03-02T09:00:00', tzid: 'Europe/Berlin', duration: 'PT30M' };
    const rrule = 'FREQ=WEEKLY;BYDAY=MO;COUNT=4';
    const input = { calendarId: id, summary: 'Weekly', ...times, rrule, exdates: ['2026-03-09T09:00:00'] };
    const { event: made } = await scene.done(events.createEvent, ann, input);
    const change = { id: made.id, modificationMode: 'single', recurrenceId: '2026-03-16T09:00:00' } as const;
    const { event: other } = await scene.done(events.updateEvent, ann, { ...change, summary: 'Other' });
    const { event: series } = await scene.done(events.showEvent, ann, { id: made.id });
    const { calendar: shown } = await scene.done(calendars.showCalendar, ann, { id });
    expect(await json(scene, ann, id, 'native')).toEqual({
      calendar: shown,
      exportedAt: new Date(scene.house.clock.now()).toISOString(),
      format: 'native',
      events: [series, other],
    });
    const [, , components] = (await json(scene, ann, id, 'jcal')) as unknown as [string, unknown, [string][]];
    expect(components.map(([name]) => name)).toEqual(['vtimezone', 'vevent', 'vevent']);
    expect(await json(scene, ann, id, 'jscalendar')).toMatchObject({
      '@type': 'Group',
      title: 'Work',
      entries: [
        {
          '@type': 'Event',
          uid: made.uid,
          title: 'Weekly',
          start: '2026-03-02T09:00:00',
          timeZone: 'Europe/Berlin',
          duration: 'PT30M',
          recurrenceRules: [{ frequency: 'weekly', count: 4, byDay: [{ '@type': 'NDay', day: 'mo' }] }],
          recurrenceOverrides: {
            '2026-03-09T09:00:00': { excluded: true },
            '2026-03-16T09:00:00': { title: 'Other' },
          },
        },
      ],
    });
  });

  it('have bad events, which fail alone, with their lines', async () => {
    await using scene = await openCalendars(engine);
    const { ann } = scene;
    const { id } = await scene.calendarOf(ann);
    const good = Array.from({ length: 120 }, (_, at) => event(`good-${at}`));
    const bad = ['BEGIN:VEVENT', 'UID:bad', 'DTSTART:nonsense', 'END:VEVENT'].join('\n');
    const result = await imported(scene, ann, id, calendar(...good.slice(0, 60), bad, ...good.slice(60)));
    expect(result).toMatchObject({ imported: 120, failed: 1 });
    expect(result.errors).toEqual([{ uid: 'bad', line: 304, code: 'TIME_INVALID', message: expect.any(String) }]);
    const text = await exported(scene, ann, id);
    expect([...contentOf(text).keys()].toSorted()).toEqual(good.map((_, at) => `good-${at}`).toSorted());
  });

  it('have duplicates, which are skipped, overwritten, or made new', async () => {
    await using scene = await openCalendars(engine);
    const { ann, house } = scene;
    const { id } = await scene.calendarOf(ann);
    const file = (title: string) => calendar(event('one', `SUMMARY:${title}`), event('two'));
    const titles = async () =>
      (await scene.done(events.listEvents, ann, { calendarId: id })).events.map(({ summary }) => summary).toSorted();
    expect(await imported(scene, ann, id, file('First'))).toMatchObject({ imported: 2, duplicates: [] });
    expect(await imported(scene, ann, id, file('Second'))).toMatchObject({ skipped: 2, duplicates: ['one', 'two'] });
    expect(await titles()).toEqual(['', 'First']);
    expect(await imported(scene, ann, id, file('Third'), 'overwrite')).toMatchObject({ imported: 0, overwritten: 2 });
    expect(await titles()).toEqual(['', 'Third']);
    const task = calendar('BEGIN:VTODO\nUID:one\nDTSTAMP:20260101T000000Z\nEND:VTODO');
    const clash = await imported(scene, ann, id, task, 'overwrite');
    expect(clash).toMatchObject({ overwritten: 0, failed: 1, errors: [{ uid: 'one', code: 'CONFLICT' }] });
    const body = { icsData: file('Fourth'), duplicateMode: 'create-new' };
    const headers = { 'idempotency-key': 'again' };
    const again = async () => (await house.api('POST', `${root(id)}/import`, { token: ann.token, body, headers })).body;
    expect(await again()).toMatchObject({ result: { imported: 2, duplicates: ['one', 'two'] } });
    expect(await again()).toMatchObject({ result: { imported: 2 } });
    expect(await titles()).toEqual(['', '', 'Fourth', 'Third']);
  });

  it('show others no more than they may see', async () => {
    await using scene = await openCalendars(engine);
    const { ann, bob, cleo } = scene;
    const { id } = await scene.calendarOf(ann);
    const about = ['DESCRIPTION:Hidden', 'LOCATION:Hidden', 'ATTENDEE;CN=Hidden:mailto:hidden@example.com'];
    const file = calendar(
      event('public', 'SUMMARY:Open', 'DESCRIPTION:All'),
      event('secret@hidden', 'SUMMARY:Hidden', 'CLASS:PRIVATE', 'RRULE:FREQ=DAILY;COUNT=3', 'X-NOTE:Hidden', ...about),
      event('quiet', 'SUMMARY:Title', 'CLASS:CONFIDENTIAL', ...about),
      'BEGIN:VTODO\nUID:todo\nDTSTAMP:20260101T000000Z\nSUMMARY:Hidden\nCLASS:PRIVATE\nEND:VTODO',
    );
    await imported(scene, ann, id, file);
    await scene.share(ann, id, bob, 'viewer');
    await scene.share(ann, id, cleo, 'freebusy');
    const text = await exported(scene, bob, id);
    expect(text.toLowerCase()).not.toContain('hidden');
    expect(text).toContain('SUMMARY:Busy\r\n');
    expect(text).toContain('RRULE:FREQ=DAILY;COUNT=3\r\n');
    expect(text).toContain('SUMMARY:Title\r\n');
    expect(text).toContain('DESCRIPTION:All\r\n');
    expect(text).not.toContain('VTODO');
    for (const format of ['native', 'jcal', 'jscalendar']) {
      const shown = JSON.stringify(await json(scene, bob, id, format));
      expect(shown.toLowerCase()).not.toContain('hidden');
      expect(shown).toContain('Title');
    }
    expect(contentOf(await exported(scene, ann, id))).toEqual(contentOf(file));
    for (const path of ['ics', 'json']) {
      const reply = await fetched(scene, cleo, `${root(id)}/${path}`);
      expect([reply.status, await reply.json()]).toMatchObject([403, { error: { code: 'FORBIDDEN' } }]);
    }
  });

  it('are imported by those who may write, who change nothing that is private to others', async () => {
    await using scene = await openCalendars(engine);
    const { ann, bob, cleo } = scene;
    const { id } = await scene.calendarOf(ann);
    await imported(scene, ann, id, calendar(event('private', 'SUMMARY:Mine', 'CLASS:PRIVATE')));
    const share = await scene.share(ann, id, bob, 'viewer');
    const file = calendar(event('private', 'SUMMARY:Taken'), event('own', 'SUMMARY:Of Bob'));
    const refused = async (who: Who) => {
      const { status, body } = await sent(scene, who, id, file);
      return `${status} ${body.error?.code}`;
    };
    expect(await refused(bob)).toBe('403 FORBIDDEN');
    expect(await refused(cleo)).toBe('404 NOT_FOUND');

    await scene.done(shares.removeShare, ann, { calendarId: id, shareId: share });
    await scene.share(ann, id, bob, 'editor');
    const result = await imported(scene, bob, id, file, 'overwrite');
    expect(result).toMatchObject({ imported: 1, failed: 1, errors: [{ uid: 'private', code: 'FORBIDDEN' }] });
    const shown = (await scene.done(events.listEvents, ann, { calendarId: id })).events;
    expect(shown.map(({ summary, organizerId }) => [summary, organizerId])).toEqual([
      ['Mine', ann.memberId],
      ['Of Bob', bob.memberId],
    ]);
  });

  it('that are none, or too large, are refused', async () => {
    await using scene = await openCalendars(engine, { config: { storage: { perMemberBytes: 20_000 } } });
    const { ann, house } = scene;
    const { id } = await scene.calendarOf(ann);
    const code = ({ status, body }: Awaited<ReturnType<typeof sent>>) => `${status} ${body.error?.code}`;
    expect(code(await sent(scene, ann, id, 'nothing'))).toBe('400 VALIDATION_ERROR');
    const asJson = async (body: object) => await house.api('POST', `${root(id)}/import`, { token: ann.token, body });
    expect(code(await asJson({}))).toBe('400 VALIDATION_ERROR');
    expect(code(await asJson({ icsData: 'x'.repeat(calendarLimits.importText) }))).toBe('413 PAYLOAD_TOO_LARGE');
    const large = event('large', `DESCRIPTION:${'x'.repeat(21_000)}`);
    const result = await imported(scene, ann, id, calendar(event('first'), large, event('last')));
    expect(result).toMatchObject({
      imported: 2,
      failed: 1,
      errors: [{ uid: 'large', code: 'STORAGE_QUOTA_EXCEEDED' }],
    });
  });

  it('that are large are read by a job, which goes on where it stopped', async () => {
    await using scene = await openCalendars(engine);
    const { ann, bob, house } = scene;
    const { db } = house.ctx;
    const { id } = await scene.calendarOf(ann);
    const total = calendarLimits.importAtOnce + 1;
    const { status, body } = await sent(scene, ann, id, many(total), '?duplicateMode=create-new');
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
    await until(async () => (await show()).done > 0);
    stop.abort();
    expect(await stopped).toBe('stopped');
    const half = await show();
    expect(half).toMatchObject({ state: 'pending' });
    expect(half.done).toBeLessThan(total);
    await scene.later(0);
    expect(await show()).toMatchObject({ state: 'done', done: total, result: { imported: total, failed: 0 } });
    const count = await db
      .selectFrom('calendar_objects')
      .select(({ fn }) => fn.countAll<number>().as('all'))
      .where('calendar_id', '=', id)
      .executeTakeFirstOrThrow();
    expect(Number(count.all)).toBe(total);
    expect(await db.selectFrom('calendar_import_parts').selectAll().execute()).toEqual([]);
    const stored = await db.selectFrom('calendar_objects').select('bytes').where('calendar_id', '=', id).execute();
    const used = await db
      .selectFrom('member_storage')
      .select('bytes')
      .where('member_id', '=', ann.memberId)
      .executeTakeFirstOrThrow();
    expect(used.bytes).toBe(stored.reduce((sum, { bytes }) => sum + bytes, 0));
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
    const used = await house.ctx.db
      .selectFrom('member_storage')
      .select('bytes')
      .where('member_id', '=', ann.memberId)
      .execute();
    expect(used[0]?.bytes ?? 0).toBe(0);
  });
});
