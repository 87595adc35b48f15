import { describe, expect, it } from 'vitest';
import { calendars } from '../../../src/contract/calendar/calendars.ts';
import { events } from '../../../src/contract/calendar/events.ts';
import { calendarLimits } from '../../../src/contract/calendar/limits.ts';
import { shares } from '../../../src/contract/calendar/shares.ts';
import { bothEngines } from '../../support/stores.ts';
import {
  calendarOf,
  contentOf,
  eventOf,
  exported,
  fetched,
  imported,
  json,
  root,
  sent,
  type Who,
} from './calendar-files.ts';
import { openCalendars } from './calendar-scene.ts';
import { clients } from './icalendar/samples/clients.ts';
import { others } from './icalendar/samples/others.ts';
import { crlf } from './icalendar/support.ts';

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
    const file = calendarOf(
      'METHOD:REQUEST',
      eventOf(
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
    const good = Array.from({ length: 120 }, (_, at) => eventOf(`good-${at}`));
    const bad = ['BEGIN:VEVENT', 'UID:bad', 'DTSTART:nonsense', 'END:VEVENT'].join('\n');
    const result = await imported(scene, ann, id, calendarOf(...good.slice(0, 60), bad, ...good.slice(60)));
    expect(result).toMatchObject({ imported: 120, failed: 1 });
    expect(result.errors).toEqual([{ uid: 'bad', line: 304, code: 'TIME_INVALID', message: expect.any(String) }]);
    const text = await exported(scene, ann, id);
    expect([...contentOf(text).keys()].toSorted()).toEqual(good.map((_, at) => `good-${at}`).toSorted());
  });

  it('have duplicates, which are skipped, overwritten, or made new', async () => {
    await using scene = await openCalendars(engine);
    const { ann, house } = scene;
    const { id } = await scene.calendarOf(ann);
    const file = (title: string) => calendarOf(eventOf('one', `SUMMARY:${title}`), eventOf('two'));
    const titles = async () =>
      (await scene.done(events.listEvents, ann, { calendarId: id })).events.map(({ summary }) => summary).toSorted();
    expect(await imported(scene, ann, id, file('First'))).toMatchObject({ imported: 2, duplicates: [] });
    expect(await imported(scene, ann, id, file('Second'))).toMatchObject({ skipped: 2, duplicates: ['one', 'two'] });
    expect(await titles()).toEqual(['', 'First']);
    expect(await imported(scene, ann, id, file('Third'), { mode: 'overwrite' })).toMatchObject({
      imported: 0,
      overwritten: 2,
    });
    expect(await titles()).toEqual(['', 'Third']);
    const task = calendarOf('BEGIN:VTODO\nUID:one\nDTSTAMP:20260101T000000Z\nEND:VTODO');
    const clash = await imported(scene, ann, id, task, { mode: 'overwrite' });
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
    const file = calendarOf(
      eventOf('public', 'SUMMARY:Open', 'DESCRIPTION:All'),
      eventOf(
        'secret@hidden',
        'SUMMARY:Hidden',
        'CLASS:PRIVATE',
        'RRULE:FREQ=DAILY;COUNT=3',
        'X-NOTE:Hidden',
        ...about,
      ),
      eventOf('quiet', 'SUMMARY:Title', 'CLASS:CONFIDENTIAL', ...about),
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
    await imported(scene, ann, id, calendarOf(eventOf('private', 'SUMMARY:Mine', 'CLASS:PRIVATE')));
    const share = await scene.share(ann, id, bob, 'viewer');
    const file = calendarOf(eventOf('private', 'SUMMARY:Taken'), eventOf('own', 'SUMMARY:Of Bob'));
    const refused = async (who: Who) => {
      const { status, body } = await sent(scene, who, id, file);
      return `${status} ${body.error?.code}`;
    };
    expect(await refused(bob)).toBe('403 FORBIDDEN');
    expect(await refused(cleo)).toBe('404 NOT_FOUND');

    await scene.done(shares.removeShare, ann, { calendarId: id, shareId: share });
    await scene.share(ann, id, bob, 'editor');
    const result = await imported(scene, bob, id, file, { mode: 'overwrite' });
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
    const large = eventOf('large', `DESCRIPTION:${'x'.repeat(21_000)}`);
    const result = await imported(scene, ann, id, calendarOf(eventOf('first'), large, eventOf('last')));
    expect(result).toMatchObject({
      imported: 2,
      failed: 1,
      errors: [{ uid: 'large', code: 'STORAGE_QUOTA_EXCEEDED' }],
    });
  });
});
