import { describe, expect, it } from 'vitest';
import { events } from '../../../../src/contract/calendar/events.ts';
import { depth, eventText, openDav, syncBody, type DavScene } from '../../../http/dav/dav-scene.ts';
import type { HouseMember } from '../../../support/prepared-member.ts';
import { bothEngines } from '../../../support/stores.ts';
import { storedBytesOf } from './stored-bytes.ts';

const { listEvents } = events;

async function scenery(engine: (typeof bothEngines)[number]) {
  const scene = await openDav(engine);
  const { ann } = scene;
  const home = `/dav/calendars/${ann.memberId}/`;
  const { id } = await scene.calendarOf(ann);
  await scene.dav(ann, 'MKCALENDAR', `${home}other/`);
  const write = async (path: string, text: string) => {
    const { status } = await scene.dav(ann, 'PUT', path, { body: text });
    expect(status).toBe(201);
  };
  return { scene, ann, home, id, path: `${home}${id}/`, other: `${home}other/`, write };
}

const transfer = async (
  scene: DavScene,
  who: HouseMember,
  method: 'MOVE' | 'COPY',
  from: string,
  to: string,
  headers: Record<string, string> = {},
) => {
  const { status, preconditions } = await scene.dav(who, method, from, { headers: { destination: to, ...headers } });
  return [status, ...preconditions];
};

describe.each(bothEngines)('events that programs move and copy on %s', (engine) => {
  it('are the same events in another calendar or under another name', async () => {
    const { scene, ann, id, path, other, write } = await scenery(engine);
    await using _ = scene;
    const text = eventText({ uid: 'a', summary: 'Tea' });
    await write(`${path}a.ics`, text);
    const { events: before } = await scene.done(listEvents, ann, { calendarId: id });
    const bytes = await storedBytesOf(scene, ann);
    const token = (await scene.dav(ann, 'REPORT', path, { headers: depth('1'), body: syncBody() })).syncToken;

    expect(await transfer(scene, ann, 'MOVE', `${path}a.ics`, `https://proxy.example${other}b%20c.ics`)).toEqual([201]);
    expect((await scene.dav(ann, 'GET', `${path}a.ics`)).status).toBe(404);
    expect((await scene.dav(ann, 'GET', `${other}b%20c.ics`)).text).toBe(text);
    const gone = await scene.dav(ann, 'REPORT', path, { headers: depth('1'), body: syncBody(token) });
    expect([...gone.responses].map(([href, { status }]) => [href, status])).toEqual([[`${path}a.ics`, 404]]);
    const { events: after } = await scene.done(listEvents, ann, {});
    expect(after.map(({ id: one }) => one)).toEqual(before.map(({ id: one }) => one));

    expect(await transfer(scene, ann, 'MOVE', `${other}b%20c.ics`, `${other}d.ics`)).toEqual([201]);
    expect((await scene.dav(ann, 'GET', `${other}b%20c.ics`)).status).toBe(404);
    expect((await scene.dav(ann, 'GET', `${other}d.ics`)).text).toBe(text);
    expect(await storedBytesOf(scene, ann)).toBe(bytes);

    expect(await transfer(scene, ann, 'COPY', `${other}d.ics`, `${path}e.ics`)).toEqual([201]);
    expect((await scene.dav(ann, 'GET', `${other}d.ics`)).text).toBe(text);
    expect((await scene.dav(ann, 'GET', `${path}e.ics`)).text).toBe(text);
    expect(await storedBytesOf(scene, ann)).toBe(2 * bytes);
  });

  it('stay where they are when something speaks against it', async () => {
    const { scene, ann, path, other, home, write } = await scenery(engine);
    await using _ = scene;
    await write(`${path}a.ics`, eventText({ uid: 'a' }));
    await write(`${path}b.ics`, eventText({ uid: 'b' }));
    await write(`${other}a2.ics`, eventText({ uid: 'a', summary: 'Twin' }));
    await write(`${other}c.ics`, eventText({ uid: 'c' }));
    const move = async (from: string, to: string, headers = {}) =>
      await transfer(scene, ann, 'MOVE', from, to, headers);
    expect(await move(`${path}a.ics`, `${other}x.ics`)).toEqual([409, 'c:no-uid-conflict']);
    expect(await transfer(scene, ann, 'COPY', `${path}a.ics`, `${path}x.ics`)).toEqual([409, 'c:no-uid-conflict']);
    expect(await move(`${path}b.ics`, `${other}c.ics`, { overwrite: 'F' })).toEqual([412]);
    expect(await move(`${path}b.ics`, `${other}x.ics`, { 'if-match': '"stale"' })).toEqual([412]);
    expect(await move(`${path}none.ics`, `${other}x.ics`)).toEqual([404]);
    expect(await move(`${path}b.ics`, `${home}none/x.ics`)).toEqual([409]);
    expect(await move(`${path}b.ics`, `${path}b.ics`)).toEqual([403]);
    expect(await move(`${path}b.ics`, '')).toEqual([400]);
    expect(await move(`${path}b.ics`, 'nonsense')).toEqual([400]);
    expect(await move(`${path}b.ics`, `/dav/contacts/${ann.memberId}/`)).toEqual([
      403,
      'c:calendar-collection-location-ok',
    ]);
    expect(await move(path, `${home}renamed/`)).toEqual([403]);
    for (const name of [`${path}a.ics`, `${path}b.ics`, `${other}a2.ics`, `${other}c.ics`])
      expect([name, (await scene.dav(ann, 'GET', name)).status]).toEqual([name, 200]);
    // What has the place may be what is given up for it.
    expect(await move(`${path}a.ics`, `${other}a2.ics`)).toEqual([204]);
    expect((await scene.dav(ann, 'GET', `${other}a2.ics`)).text).not.toContain('Twin');
    expect(await move(`${path}b.ics`, `${other}c.ics`)).toEqual([204]);
    expect((await scene.dav(ann, 'GET', `${other}c.ics`)).text).toContain('UID:b');
  });

  it('of others need the right to change both calendars, and are copied only as a whole', async () => {
    const { scene, ann, id, path, write } = await scenery(engine);
    await using _ = scene;
    const { bob, cleo } = scene;
    await write(`${path}open.ics`, eventText({ uid: 'open' }));
    await write(`${path}private.ics`, eventText({ uid: 'private', lines: ['CLASS:PRIVATE'] }));
    await scene.share(ann, id, bob, 'viewer');
    await scene.share(ann, id, cleo, 'editor');
    const own = async (who: HouseMember) => `/dav/calendars/${who.memberId}/${(await scene.calendarOf(who)).id}/`;
    const shared = (who: HouseMember) => `/dav/calendars/${who.memberId}/${id}/`;
    const [bobs, cleos] = [await own(bob), await own(cleo)];
    expect(await transfer(scene, bob, 'MOVE', `${shared(bob)}open.ics`, `${bobs}x.ics`)).toEqual([403]);
    expect(await transfer(scene, bob, 'COPY', `${shared(bob)}private.ics`, `${bobs}x.ics`)).toEqual([403]);
    expect(await transfer(scene, bob, 'COPY', `${shared(bob)}open.ics`, `${bobs}x.ics`)).toEqual([201]);
    expect(await transfer(scene, bob, 'COPY', `${bobs}x.ics`, `${shared(bob)}y.ics`)).toEqual([403]);
    expect(await transfer(scene, bob, 'COPY', `${path}open.ics`, `${bobs}y.ics`)).toEqual([404]);
    expect(await transfer(scene, cleo, 'MOVE', `${shared(cleo)}private.ics`, `${cleos}x.ics`)).toEqual([403]);
    expect(await transfer(scene, cleo, 'MOVE', `${shared(cleo)}open.ics`, `${cleos}x.ics`)).toEqual([201]);
    expect((await scene.dav(ann, 'GET', `${path}open.ics`)).status).toBe(404);
    expect((await scene.dav(ann, 'GET', `${path}private.ics`)).status).toBe(200);
  });
});
