import { describe, expect, it } from 'vitest';
import { events } from '../../../../src/contract/calendar/events.ts';
import { storedBytesOf } from './stored-bytes.ts';
import { bothEngines } from '../../../support/stores.ts';
import { depth, eventText, openDav, propfindBody, type DavScene } from '../../../http/dav/dav-scene.ts';
import type { HouseMember } from '../../../support/prepared-member.ts';

const { createEvent, deleteEvent, listEvents, showEvent, updateEvent } = events;

async function withCalendar(scene: DavScene, who: HouseMember): Promise<{ id: string; path: string }> {
  const { id } = await scene.calendarOf(who);
  return { id, path: `/dav/calendars/${who.memberId}/${id}/` };
}

const put = async (scene: DavScene, who: HouseMember, path: string, body: string, headers = {}) => {
  const {
    status,
    preconditions,
    headers: sent,
    text,
  } = await scene.dav(who, 'PUT', path, {
    headers: { 'content-type': 'text/calendar; charset=utf-8', ...headers },
    body,
  });
  return { status, preconditions, etag: sent.get('etag'), text };
};

describe.each(bothEngines)('events of programs on %s', (engine) => {
  it('are kept octet for octet, and are the same events for the API', async () => {
    await using scene = await openDav(engine);
    const { ann } = scene;
    const { id, path } = await withCalendar(scene, ann);
    const at = `${path}Some%20name@x.ics`;
    const text = eventText({ uid: 'a@x', summary: 'Grüße\\, Welt' }).replace('\r\nX-', '\nX-');
    const made = await put(scene, ann, at, text);
    expect(made).toMatchObject({ status: 201, etag: expect.stringMatching(/^"[0-9a-f]{32}"$/) });
    const read = await scene.dav(ann, 'GET', at);
    expect(read.text).toBe(text);
    expect(Object.fromEntries(read.headers)).toMatchObject({
      etag: made.etag,
      'content-type': 'text/calendar; charset=utf-8; component=vevent',
      'content-length': String(Buffer.byteLength(text)),
      'content-disposition': 'attachment',
      'x-content-type-options': 'nosniff',
    });
    const head = await scene.dav(ann, 'HEAD', at);
    expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', made.etag]);
    const known = await scene.dav(ann, 'GET', at, { headers: { 'if-none-match': made.etag ?? '' } });
    expect([known.status, known.text]).toEqual([304, '']);
    const { events: all } = await scene.done(listEvents, ann, { calendarId: id });
    expect(all).toMatchObject([{ uid: 'a@x', summary: 'Grüße, Welt', etag: made.etag?.slice(1, -1) }]);
    // What is changed by the API is written anew, and has another tag.
    const eventId = all[0]?.id ?? '';
    await scene.done(updateEvent, ann, { id: eventId, summary: 'Other' });
    const after = await scene.dav(ann, 'GET', at);
    expect(after.text).toContain('SUMMARY:Other\r\n');
    expect(after.text).toContain('X-EXAMPLE;VALUE=TEXT:kept\r\n');
    expect(after.headers.get('etag')).not.toBe(made.etag);
    const { event } = await scene.done(showEvent, ann, { id: eventId });
    expect(after.headers.get('etag')).toBe(`"${event.etag}"`);
  });

  it('of the API are there by the names of their ids', async () => {
    await using scene = await openDav(engine);
    const { ann } = scene;
    const { id: calendarId, path } = await withCalendar(scene, ann);
    const input = { calendarId, summary: 'Tea', dtstart: '2026-02-01T15:00:00', dtstartTzid: 'Europe/Berlin' };
    const { event } = await scene.done(createEvent, ann, input);
    const read = await scene.dav(ann, 'GET', `${path}${event.id}.ics`);
    expect(read.headers.get('etag')).toBe(`"${event.etag}"`);
    expect(read.text).toMatch(
      /BEGIN:VTIMEZONE\r\nTZID:Europe\/Berlin[\s\S]*DTSTART;TZID=Europe\/Berlin:20260201T150000/,
    );
    expect((await scene.dav(ann, 'DELETE', `${path}${event.id}.ics`)).status).toBe(204);
    expect(await scene.refused(showEvent, ann, { id: event.id })).toBe('404 NOT_FOUND');
  });

  it('change under conditions', async () => {
    await using scene = await openDav(engine);
    const { ann } = scene;
    const { id, path } = await withCalendar(scene, ann);
    const at = `${path}a.ics`;
    const write = async (summary: string, headers = {}) =>
      await put(scene, ann, at, eventText({ uid: 'a', summary }), headers);
    expect(await write('0', { 'if-match': '"x"' })).toMatchObject({ status: 412 });
    const first = await write('1', { 'if-none-match': '*' });
    expect(first.status).toBe(201);
    expect(await write('2', { 'if-none-match': '*' })).toMatchObject({ status: 412, etag: null });
    expect(await write('2', { 'if-match': '"stale"' })).toMatchObject({ status: 412 });
    expect(await write('2', { 'if-match': `W/${first.etag}` })).toMatchObject({ status: 412 });
    const second = await write('2', { 'if-match': `"x", ${first.etag}` });
    expect(second.status).toBe(204);
    expect(second.etag).not.toBe(first.etag);
    expect(await write('3', { 'if-match': first.etag ?? '' })).toMatchObject({ status: 412 });
    const remove = async (tag: string) => (await scene.dav(ann, 'DELETE', at, { headers: { 'if-match': tag } })).status;
    expect(await remove(first.etag ?? '')).toBe(412);
    expect((await scene.done(listEvents, ann, { calendarId: id })).events).toMatchObject([{ summary: '2' }]);
    expect(await remove(second.etag ?? '')).toBe(204);
    expect(await remove('*')).toBe(412);
    expect((await scene.dav(ann, 'DELETE', at)).status).toBe(404);
    // The same name is another resource then.
    const again = await write('2', { 'if-none-match': '*' });
    expect(again.status).toBe(201);
    expect(again.etag).not.toBe(second.etag);
  });

  it('that come at the same time take one place once, and are written one after another', async () => {
    await using scene = await openDav(engine);
    const { ann } = scene;
    const { id, path } = await withCalendar(scene, ann);
    const all = async (headers: Record<string, string>) => {
      const writes = Array.from({ length: 6 }, async (__, at) =>
        put(scene, ann, `${path}a.ics`, eventText({ uid: 'a', summary: String(at) }), headers),
      );
      return await Promise.all(writes);
    };
    const first = await all({ 'if-none-match': '*' });
    expect(first.map(({ status }) => status).toSorted()).toEqual([201, 412, 412, 412, 412, 412]);
    const etag = first.find(({ status }) => status === 201)?.etag ?? '';
    const second = await all({ 'if-match': etag });
    expect(second.map(({ status }) => status).toSorted()).toEqual([204, 412, 412, 412, 412, 412]);
    const third = await all({});
    expect(third.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 204));
    const { events: left } = await scene.done(listEvents, ann, { calendarId: id });
    expect(left).toHaveLength(1);
    expect(third.map((one) => one.etag)).toContain(`"${left[0]?.etag}"`);
  });

  it('have tags for what others who are invited see', async () => {
    await using scene = await openDav(engine);
    const { ann } = scene;
    const { path } = await withCalendar(scene, ann);
    const at = `${path}a.ics`;
    const invited = (partstat: string, summary = 'Talk') =>
      eventText({
        uid: 'a',
        summary,
        lines: ['ORGANIZER:mailto:ann@home.example', `ATTENDEE;PARTSTAT=${partstat}:mailto:bob@home.example`],
      });
    const tag = async () => (await scene.dav(ann, 'GET', at)).headers.get('schedule-tag');
    await put(scene, ann, at, invited('NEEDS-ACTION'));
    const first = await tag();
    expect(first).toMatch(/^"[0-9a-f]{32}"$/);
    await put(scene, ann, at, invited('ACCEPTED'), { 'if-schedule-tag-match': first ?? '' });
    expect(await tag()).toBe(first);
    await put(scene, ann, at, invited('ACCEPTED', 'Other talk'));
    expect(await tag()).not.toBe(first);
    const stale = await put(scene, ann, at, invited('DECLINED'), { 'if-schedule-tag-match': first ?? '' });
    expect(stale.status).toBe(412);
    await put(scene, ann, `${path}b.ics`, eventText({ uid: 'b' }));
    expect((await scene.dav(ann, 'GET', `${path}b.ics`)).headers.get('schedule-tag')).toBeNull();
    const gone = await scene.dav(ann, 'DELETE', at, { headers: { 'schedule-reply': 'F' } });
    expect(gone.status).toBe(204);
  });

  it('have a UID that is in a calendar once, and stays', async () => {
    await using scene = await openDav(engine);
    const { ann } = scene;
    const { id: calendarId, path } = await withCalendar(scene, ann);
    await put(scene, ann, `${path}a.ics`, eventText({ uid: 'one' }));
    const twice = await put(scene, ann, `${path}b.ics`, eventText({ uid: 'one' }));
    expect(twice).toMatchObject({ status: 409, preconditions: ['c:no-uid-conflict'] });
    expect(twice.text).toContain(`<d:href>${path}a.ics</d:href>`);
    const other = await put(scene, ann, `${path}a.ics`, eventText({ uid: 'two' }));
    expect(other).toMatchObject({ status: 409, preconditions: ['c:no-uid-conflict'] });
    const { path: second } = await withCalendar(scene, ann);
    expect((await put(scene, ann, `${second}b.ics`, eventText({ uid: 'one' }))).status).toBe(201);
    expect((await scene.done(listEvents, ann, { calendarId })).events).toHaveLength(1);
  });

  it('are refused when they are none, and nothing is changed', async () => {
    await using scene = await openDav(engine);
    const { ann } = scene;
    const { id: calendarId, path } = await withCalendar(scene, ann);
    const good = eventText({ uid: 'a' });
    const twoEvents = good.replace(
      'END:VCALENDAR',
      `${eventText({ uid: 'b' }).split('\r\n').slice(3, -2).join('\r\n')}\r\nEND:VCALENDAR`,
    );
    const cases: readonly (readonly [string, number, string])[] = [
      ['', 403, 'c:valid-calendar-data'],
      ['hello', 403, 'c:valid-calendar-data'],
      ['BEGIN:VCARD\r\nEND:VCARD\r\n', 403, 'c:valid-calendar-data'],
      ['BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n', 403, 'c:valid-calendar-object-resource'],
      [twoEvents, 403, 'c:valid-calendar-object-resource'],
      [good + good.replace('UID:a', 'UID:b'), 403, 'c:valid-calendar-object-resource'],
      [good.replace('VERSION:2.0', 'VERSION:2.0\r\nMETHOD:REQUEST'), 403, 'c:valid-calendar-object-resource'],
      [good.replace('UID:a\r\n', ''), 403, 'c:valid-calendar-object-resource'],
      [good.replace('DTSTART:20260120T100000Z\r\n', ''), 403, 'c:valid-calendar-data'],
      [good.replace('20260120T100000Z', '20260231T100000Z'), 403, 'c:valid-calendar-data'],
      [good.replace('SUMMARY', 'RRULE:nonsense\r\nSUMMARY'), 403, 'c:valid-calendar-data'],
      [good.replace('UID:a', `UID:${'a'.repeat(1_025)}`), 403, 'c:valid-calendar-data'],
      [
        good.replace('SUMMARY', `${'ATTENDEE:mailto:a@x.test\r\n'.repeat(1_001)}SUMMARY`),
        403,
        'c:max-attendees-per-instance',
      ],
      [good.replace('SUMMARY:', `DESCRIPTION:${'a'.repeat(1024 ** 2)}\r\nSUMMARY:`), 413, 'c:max-resource-size'],
    ];
    for (const [body, status, precondition] of cases) {
      const { preconditions, ...answer } = await put(scene, ann, `${path}a.ics`, body);
      expect([body.slice(0, 200), answer.status, preconditions]).toEqual([body.slice(0, 200), status, [precondition]]);
    }
    expect((await scene.done(listEvents, ann, { calendarId })).events).toEqual([]);
    expect(await storedBytesOf(scene, ann)).toBe(0);
  });

  it('may be tasks and journals where a calendar takes them, which the API does not show', async () => {
    await using scene = await openDav(engine);
    const { ann } = scene;
    const { id: calendarId, path } = await withCalendar(scene, ann);
    const task = eventText({ uid: 'task', start: 'DUE:20260120T100000Z', end: 'STATUS:NEEDS-ACTION' }).replaceAll(
      'VEVENT',
      'VTODO',
    );
    expect((await put(scene, ann, `${path}task.ics`, task)).status).toBe(201);
    const read = await scene.dav(ann, 'GET', `${path}task.ics`);
    expect([read.text, read.headers.get('content-type')]).toEqual([
      task,
      'text/calendar; charset=utf-8; component=vtodo',
    ]);
    expect((await scene.done(listEvents, ann, { calendarId })).events).toEqual([]);
    const strange = task.replaceAll('VTODO', 'X-THING');
    const refused = await put(scene, ann, `${path}x.ics`, strange.replace('UID:task', 'UID:x'));
    expect(refused).toMatchObject({ status: 403, preconditions: ['c:supported-calendar-component'] });
  });

  it('in another encoding are read, and are not given back as they were', async () => {
    await using scene = await openDav(engine);
    const { ann } = scene;
    const { path } = await withCalendar(scene, ann);
    const bytes = Buffer.from(eventText({ uid: 'a', summary: 'Grüße' }), 'latin1');
    const { status, headers } = await scene.dav(ann, 'PUT', `${path}a.ics`, { body: new Uint8Array(bytes) });
    // Without a tag a program reads what is stored.
    expect([status, headers.get('etag')]).toEqual([201, null]);
    expect((await scene.dav(ann, 'GET', `${path}a.ics`)).text).toContain('SUMMARY:Grüße\r\n');
  });

  it('of others show what their reader may see, with tags of their own', async () => {
    await using scene = await openDav(engine);
    const { ann, bob, cleo } = scene;
    const { id } = await scene.calendarOf(ann);
    await scene.share(ann, id, bob, 'viewer');
    await scene.share(ann, id, cleo, 'editor');
    const at = (who: HouseMember, name: string) => `/dav/calendars/${who.memberId}/${id}/${name}.ics`;
    const tags = new Map<string, string | null>();
    for (const visibility of ['PUBLIC', 'CONFIDENTIAL', 'PRIVATE', 'X-OTHER']) {
      const lines = [`CLASS:${visibility}`, 'LOCATION:Secret place', 'ATTENDEE:mailto:x@y.test'];
      const text = eventText({ uid: `${visibility}@x`, summary: `A ${visibility} thing`, lines });
      tags.set(visibility, (await put(scene, ann, at(ann, visibility), text)).etag);
    }
    const seen = async (who: HouseMember, name: string) => {
      const { text, headers } = await scene.dav(who, 'GET', at(who, name));
      return {
        title: /SUMMARY:(.*)\r/.exec(text)?.[1],
        details: text.includes('Secret place') || text.includes('x@y.test') || text.includes('X-EXAMPLE'),
        uid: text.includes(`${name}@x`),
        sameTag: headers.get('etag') === tags.get(name),
      };
    };
    const all = (name: string) => ({ title: `A ${name} thing`, details: true, uid: true, sameTag: true });
    const busy = { title: 'Busy', details: false, uid: false, sameTag: false };
    expect(await seen(bob, 'PUBLIC')).toEqual(all('PUBLIC'));
    expect(await seen(bob, 'CONFIDENTIAL')).toEqual({
      title: 'A CONFIDENTIAL thing',
      details: false,
      uid: true,
      sameTag: false,
    });
    expect(await seen(bob, 'PRIVATE')).toEqual(busy);
    expect(await seen(bob, 'X-OTHER')).toEqual(busy);
    expect(await seen(cleo, 'CONFIDENTIAL')).toEqual(all('CONFIDENTIAL'));
    expect(await seen(cleo, 'PRIVATE')).toEqual(busy);
    expect(await seen(ann, 'PRIVATE')).toEqual(all('PRIVATE'));
    // The API names what each of them sees by the same tags.
    for (const who of [ann, bob, cleo]) {
      const { events: listed } = await scene.done(listEvents, who, { calendarId: id });
      const { responses } = await scene.dav(who, 'PROPFIND', at(who, '').replace('.ics', ''), {
        headers: depth('1'),
        body: propfindBody('d:getetag'),
      });
      const ofPrograms = [...responses.values()].flatMap(({ found }) => found['d:getetag']?.slice(1, -1) ?? []);
      expect(listed.map(({ etag }) => etag).toSorted()).toEqual(ofPrograms.toSorted());
    }
    // What cleo sees only as taken time, cleo does not change either.
    const body = eventText({ uid: 'PRIVATE@x' });
    expect((await put(scene, cleo, at(cleo, 'PRIVATE'), body)).status).toBe(403);
    expect((await scene.dav(cleo, 'DELETE', at(cleo, 'PRIVATE'))).status).toBe(403);
    expect((await put(scene, bob, at(bob, 'PUBLIC'), eventText({ uid: 'PUBLIC@x' }))).status).toBe(403);
    expect(await seen(ann, 'PRIVATE')).toEqual(all('PRIVATE'));
    const own = await put(scene, cleo, at(cleo, 'own'), eventText({ uid: 'own@x', lines: ['CLASS:PRIVATE'] }));
    expect(own.status).toBe(201);
    expect((await scene.dav(cleo, 'GET', at(cleo, 'own'))).headers.get('etag')).toBe(own.etag);
    expect((await scene.dav(cleo, 'DELETE', at(cleo, 'PUBLIC'))).status).toBe(204);
  });

  it('lie in calendars: no name leads to those of others', async () => {
    await using scene = await openDav(engine);
    const { ann, bob } = scene;
    const { id, path } = await withCalendar(scene, ann);
    const { path: own } = await withCalendar(scene, bob);
    await put(scene, ann, `${path}a.ics`, eventText({ uid: 'a' }));
    const { events: all } = await scene.done(listEvents, ann, { calendarId: id });
    const tricks = [
      `${path.replace(ann.memberId, bob.memberId)}a.ics`,
      `${path}a.ics`,
      `${own.replace(bob.memberId, ann.memberId)}a.ics`,
      `${own}a.ics`,
      `${own}${all[0]?.id}`,
      `${own}${all[0]?.id}.ics`,
      `${own}..%2F${id}%2Fa.ics`,
      `${own}a.ics/`,
    ];
    for (const trick of tricks)
      for (const method of ['GET', 'DELETE', 'PUT']) {
        if (method === 'PUT' && trick.startsWith(own) && !trick.includes('%2F')) continue;
        const { status } = await scene.dav(
          bob,
          method,
          trick,
          method === 'PUT' ? { body: eventText({ uid: 'b' }) } : {},
        );
        expect([method, trick, status]).toEqual([method, trick, 404]);
      }
    expect((await scene.dav(ann, 'GET', `${path}a.ics`)).status).toBe(200);
  });

  it('count to the storage of the owner, until there is no more', async () => {
    await using scene = await openDav(engine);
    const { ann } = scene;
    const { path } = await withCalendar(scene, ann);
    await put(scene, ann, `${path}a.ics`, eventText({ uid: 'a' }));
    const one = await storedBytesOf(scene, ann);
    expect(one).toBeGreaterThan(eventText({ uid: 'a' }).length);
    Object.assign(scene.house.ctx.config.storage, { perMemberBytes: one + 10 });
    const full = await put(scene, ann, `${path}b.ics`, eventText({ uid: 'b' }));
    expect(full).toMatchObject({ status: 507, preconditions: ['d:quota-not-exceeded'] });
    await scene.dav(ann, 'DELETE', `${path}a.ics`);
    expect(await storedBytesOf(scene, ann)).toBe(0);
    expect((await put(scene, ann, `${path}b.ics`, eventText({ uid: 'b' }))).status).toBe(201);
  });

  it('are deleted by the API for programs too', async () => {
    await using scene = await openDav(engine);
    const { ann } = scene;
    const { id: calendarId, path } = await withCalendar(scene, ann);
    await put(scene, ann, `${path}a.ics`, eventText({ uid: 'a' }));
    const { events: all } = await scene.done(listEvents, ann, { calendarId });
    await scene.done(deleteEvent, ann, { id: all[0]?.id ?? '' });
    expect((await scene.dav(ann, 'GET', `${path}a.ics`)).status).toBe(404);
  });
});
