import { describe, expect, it } from 'vitest';
import { events } from '../../../../src/contract/calendar/events.ts';
import { search } from '../../../../src/contract/calendar/search.ts';
import { document, eventText, openDav } from '../../../http/dav/dav-scene.ts';

const { listEvents } = events;
const { searchEvents } = search;

describe('large events of programs', () => {
  const people = Array.from({ length: 900 }, (_, at) => `ATTENDEE;CN="Person ${at}":mailto:person-${at}@far.example`);

  it('are read and written in another thread, to the same end', async () => {
    await using scene = await openDav('sqljs');
    const { ann, bob } = scene;
    const { id } = await scene.calendarOf(ann);
    const path = `/dav/calendars/${ann.memberId}/${id}/`;
    const lines = ['CLASS:CONFIDENTIAL', 'RRULE:FREQ=DAILY;COUNT=3', ...people];
    const text = eventText({ uid: 'large', summary: 'Assembly', lines });
    expect(Buffer.byteLength(text)).toBeGreaterThan(32 * 1024);
    expect((await scene.dav(ann, 'PUT', `${path}large.ics`, { body: text })).status).toBe(201);
    expect((await scene.dav(ann, 'GET', `${path}large.ics`)).text).toBe(text);
    const range = { start: '2026-01-20T00:00:00Z', end: '2026-01-30T00:00:00Z' };
    const listed = await scene.done(listEvents, ann, { calendarId: id, ...range });
    expect(listed.events.map(({ start }) => start)).toEqual([
      '2026-01-20T10:00:00.000Z',
      '2026-01-21T10:00:00.000Z',
      '2026-01-22T10:00:00.000Z',
    ]);
    await scene.share(ann, id, bob, 'editor');
    const data = '<c:calendar-data><c:expand start="20260121T000000Z" end="20260122T000000Z"/></c:calendar-data>';
    const shared = path.replace(ann.memberId, bob.memberId);
    const answer = await scene.dav(bob, 'REPORT', shared, {
      body: document('c:calendar-multiget', `<d:prop>${data}</d:prop><d:href>${shared}large.ics</d:href>`),
    });
    const expanded = answer.responses.get(`${shared}large.ics`)?.found['c:calendar-data'] ?? '';
    expect(expanded.match(/DTSTART:\S+/g)).toEqual(['DTSTART:20260121T100000Z']);
    expect(expanded.match(/ATTENDEE/g)).toHaveLength(900);
    const other = await scene.calendarOf(ann);
    const there = path.replace(id, other.id);
    const destination = `${there}large.ics`;
    expect((await scene.dav(ann, 'MOVE', `${path}large.ics`, { headers: { destination } })).status).toBe(201);
    expect((await scene.dav(ann, 'GET', destination)).text).toBe(text);
    const moved = await scene.done(listEvents, ann, { calendarId: other.id, ...range });
    expect(moved.events.map(({ start }) => start)).toEqual(listed.events.map(({ start }) => start));
    for (const [calendarId, count] of [
      [id, 0],
      [other.id, 1],
    ] as const)
      expect((await scene.done(searchEvents, ann, { q: 'assembly', calendarIds: [calendarId] })).results).toHaveLength(
        count,
      );
  });

  it('are refused for the same reasons as small ones', async () => {
    await using scene = await openDav('sqljs');
    const { ann } = scene;
    const path = `/dav/calendars/${ann.memberId}/${(await scene.calendarOf(ann)).id}/`;
    const put = async (lines: readonly string[], uid = 'a') => {
      const { status, preconditions } = await scene.dav(ann, 'PUT', `${path}a.ics`, {
        body: eventText({ uid, lines }),
      });
      return [status, ...preconditions];
    };
    const more = Array.from({ length: 101 }, (_, at) => `ATTENDEE:mailto:further-${at}@far.example`);
    expect(await put([...people, ...more])).toEqual([403, 'c:max-attendees-per-instance']);
    expect(await put([...people, 'METHOD:REQUEST', 'END:VEVENT', 'BEGIN:VEVENT', 'UID:b'])).toEqual([
      403,
      'c:valid-calendar-object-resource',
    ]);
    expect(await put([`DESCRIPTION:${'x'.repeat(1024 ** 2)}`])).toEqual([413, 'c:max-resource-size']);
  });

  it('stay rules where their instances would be too much', async () => {
    await using scene = await openDav('sqljs');
    const { ann } = scene;
    const path = `/dav/calendars/${ann.memberId}/${(await scene.calendarOf(ann)).id}/`;
    const put = async (name: string, lines: readonly string[]) =>
      await scene.dav(ann, 'PUT', `${path}${name}.ics`, { body: eventText({ uid: name, lines }) });
    await put('long', ['RRULE:FREQ=DAILY', `DESCRIPTION:${'x'.repeat(100_000)}`]);
    await put('often', ['RRULE:FREQ=MINUTELY']);
    await put('daily', ['RRULE:FREQ=DAILY']);
    const data = '<c:calendar-data><c:expand start="20260101T000000Z" end="20270101T000000Z"/></c:calendar-data>';
    const hrefs = ['long', 'often', 'daily'].map((name) => `<d:href>${path}${name}.ics</d:href>`).join('');
    const { responses } = await scene.dav(ann, 'REPORT', path, {
      body: document('c:calendar-multiget', `<d:prop>${data}</d:prop>${hrefs}`),
    });
    const shown = [...responses.values()].map(({ found }) => {
      const text = found['c:calendar-data'] ?? '';
      return [text.includes('RRULE'), text.match(/BEGIN:VEVENT/g)?.length];
    });
    expect(shown).toEqual([
      [true, 1],
      [true, 1],
      [false, 346],
    ]);
  });
});

describe('filters of programs', () => {
  it('have a bounded number of conditions', async () => {
    await using scene = await openDav('sqljs');
    const { ann } = scene;
    const home = `/dav/calendars/${ann.memberId}/${(await scene.calendarOf(ann)).id}/`;
    const query = async (count: number) => {
      const one = '<c:prop-filter name="SUMMARY"><c:text-match>x</c:text-match></c:prop-filter>';
      const inner = `<c:comp-filter name="VEVENT">${one.repeat(count)}</c:comp-filter>`;
      const body = document(
        'c:calendar-query',
        `<d:prop><d:getetag/></d:prop><c:filter><c:comp-filter name="VCALENDAR">${inner}</c:comp-filter></c:filter>`,
      );
      const { status, preconditions } = await scene.dav(ann, 'REPORT', home, { body });
      return [status, ...preconditions];
    };
    expect(await query(24)).toEqual([207]);
    expect(await query(25)).toEqual([403, 'c:supported-filter']);
  });
});
