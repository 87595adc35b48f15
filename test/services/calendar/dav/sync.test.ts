import { describe, expect, it } from 'vitest';
import { calendars } from '../../../../src/contract/calendar/calendars.ts';
import { events } from '../../../../src/contract/calendar/events.ts';
import { purgeCalendars } from '../../../../src/services/calendar/purge.ts';
import { bothEngines } from '../../../support/stores.ts';
import { ownStatements } from '../../../support/own-statements.ts';
import { depth, eventText, openDav, prop, syncBody, type DavScene } from '../../../http/dav/dav-scene.ts';
import type { HouseMember } from '../../../support/prepared-member.ts';

const DAY = 86_400_000;

async function scenery(engine: Parameters<typeof openDav>[0]) {
  const scene = await openDav(engine);
  const { ann } = scene;
  const { id } = await scene.calendarOf(ann);
  const path = `/dav/calendars/${ann.memberId}/${id}/`;
  const put = async (name: string, lines: string[] = []) => {
    const body = eventText({ uid: name, summary: name, lines });
    const { status } = await scene.dav(ann, 'PUT', `${path}${name}.ics`, { body });
    if (status !== 201 && status !== 204) throw new Error(`PUT: ${status}`);
  };
  const remove = async (name: string) => await scene.dav(ann, 'DELETE', `${path}${name}.ics`);
  return { scene, ann, id, path, put, remove };
}

/** What a synchronisation says: names, with a minus for those that are gone. */
async function sync(scene: DavScene, who: HouseMember, path: string, token?: string, more?: string) {
  const answer = await scene.dav(who, 'REPORT', path, { headers: depth('0'), body: syncBody(token, more) });
  const names = [...answer.responses].map(([href, { status }]) => {
    const name = href.slice(path.length).replace('.ics', '');
    return status === undefined ? name : `${status} ${name}`.trim();
  });
  return { status: answer.status, names, token: answer.syncToken ?? '', preconditions: answer.preconditions };
}

describe.each(bothEngines)('synchronisation of calendars on %s', (engine) => {
  it('gives all at first, and then what has changed', async () => {
    const { scene, ann, path, put, remove } = await scenery(engine);
    await using _ = scene;
    for (const name of ['a', 'b', 'c']) await put(name);
    const first = await sync(scene, ann, path);
    expect(first).toMatchObject({ status: 207, names: ['a', 'b', 'c'] });
    expect((await sync(scene, ann, path, first.token)).names).toEqual([]);
    await put('b', ['LOCATION:x']);
    await remove('a');
    await put('d');
    const second = await sync(scene, ann, path, first.token);
    expect(second.names).toEqual(['b', '404 a', 'd']);
    // What comes again under its name is there, and not gone.
    await put('a');
    expect((await sync(scene, ann, path, first.token)).names).toEqual(['b', 'd', 'a']);
    expect((await sync(scene, ann, path, second.token)).names).toEqual(['a']);
    expect((await sync(scene, ann, path)).names).toEqual(['c', 'b', 'd', 'a']);
  });

  it('answers as Thunderbird asks, with a depth of 1 and with contents', async () => {
    const { scene, ann, path, put } = await scenery(engine);
    await using _ = scene;
    await put('a');
    const body = syncBody('', prop('d:getetag', 'c:calendar-data'));
    const answer = await scene.dav(ann, 'REPORT', path, { headers: depth('1'), body });
    expect(answer.responses.get(`${path}a.ics`)?.found['c:calendar-data']).toBe(eventText({ uid: 'a', summary: 'a' }));
    const infinite = syncBody().replace('<d:sync-level>1', '<d:sync-level>infinite');
    const refused = await scene.dav(ann, 'REPORT', path, { body: infinite });
    expect([refused.status, refused.preconditions]).toEqual([403, ['d:sync-traversal-supported']]);
  });

  it('goes on in parts when a program wants few results', async () => {
    const { scene, ann, path, put, remove } = await scenery(engine);
    await using _ = scene;
    for (const name of ['a', 'b', 'c', 'd', 'e']) await put(name);
    await remove('b');
    const limit = `${prop('d:getetag')}<d:limit><d:nresults>2</d:nresults></d:limit>`;
    const seen: string[][] = [];
    let token = '';
    for (let part = 0; part < 3; part += 1) {
      const { names, token: next } = await sync(scene, ann, path, token, limit);
      seen.push(names);
      token = next;
    }
    // The first time there is nothing that is gone. Later parts are as if the program had known the earlier ones.
    expect(seen).toEqual([['a', 'c', '507'], ['d', 'e', '507'], ['404 b']]);
    expect((await sync(scene, ann, path, token, limit)).names).toEqual([]);
  });

  it('refuses tokens that say nothing of this calendar and reader', async () => {
    const { scene, ann, id, path, put } = await scenery(engine);
    await using _ = scene;
    await put('a');
    const { token } = await sync(scene, ann, path);
    const { id: other } = await scene.calendarOf(ann);
    const wrong = [
      'x',
      `urn:conclave:sync:${other}:0:owner`,
      `urn:conclave:sync:${id}:99:owner`,
      `urn:conclave:sync:${id}:-1:owner`,
      `urn:conclave:sync:${id}:0:viewer`,
      token.replace('urn', 'URN'),
    ];
    for (const bad of wrong)
      expect(await sync(scene, ann, path, bad)).toMatchObject({ status: 403, preconditions: ['d:valid-sync-token'] });
    expect((await sync(scene, ann, path, `urn:conclave:sync:${id}:0:owner`)).names).toEqual(['a']);
  });

  it('begins anew for a program that was away for more than 90 days', async () => {
    const { scene, ann, path, put, remove } = await scenery(engine);
    await using _ = scene;
    await put('a');
    await put('b');
    const before = await sync(scene, ann, path);
    await remove('a');
    const after = await sync(scene, ann, path);
    scene.house.clock.advance(89 * DAY);
    await purgeCalendars(scene.house.ctx);
    expect((await sync(scene, ann, path, before.token)).names).toEqual(['404 a']);
    scene.house.clock.advance(2 * DAY);
    await purgeCalendars(scene.house.ctx);
    expect(await sync(scene, ann, path, before.token)).toMatchObject({
      status: 403,
      preconditions: ['d:valid-sync-token'],
    });
    expect((await sync(scene, ann, path, after.token)).names).toEqual([]);
    expect((await sync(scene, ann, path)).names).toEqual(['b']);
  });

  it('of a shared calendar begins anew when its reader may see more or less', async () => {
    const { scene, ann, id, put } = await scenery(engine);
    await using _ = scene;
    const { bob } = scene;
    const path = `/dav/calendars/${bob.memberId}/${id}/`;
    await put('a', ['CLASS:CONFIDENTIAL']);
    const share = await scene.share(ann, id, bob, 'viewer');
    const asViewer = await sync(scene, bob, path);
    expect(asViewer.names).toEqual(['a']);
    await scene.house.api('DELETE', `/api/cal/calendars/${id}/shares/${share}`, { token: ann.token });
    expect((await sync(scene, bob, path, asViewer.token)).status).toBe(404);
    await scene.share(ann, id, bob, 'editor');
    expect(await sync(scene, bob, path, asViewer.token)).toMatchObject({
      status: 403,
      preconditions: ['d:valid-sync-token'],
    });
  });

  it('says of a task that has become private that it is gone', async () => {
    const { scene, ann, id, path } = await scenery(engine);
    await using _ = scene;
    const { bob } = scene;
    await scene.share(ann, id, bob, 'viewer');
    const shared = `/dav/calendars/${bob.memberId}/${id}/`;
    const task = (visibility: string) =>
      eventText({ uid: 't', end: 'STATUS:NEEDS-ACTION', lines: [`CLASS:${visibility}`] }).replaceAll('VEVENT', 'VTODO');
    await scene.dav(ann, 'PUT', `${path}t.ics`, { body: task('PUBLIC') });
    const first = await sync(scene, bob, shared);
    expect(first.names).toEqual(['t']);
    await scene.dav(ann, 'PUT', `${path}t.ics`, { body: task('PRIVATE') });
    expect((await sync(scene, bob, shared, first.token)).names).toEqual(['404 t']);
    expect((await sync(scene, bob, shared)).names).toEqual([]);
    expect((await scene.dav(bob, 'GET', `${shared}t.ics`)).status).toBe(404);
    expect((await sync(scene, ann, path)).names).toEqual(['t']);
  });

  it('hears of what others change by the API, in the ctag too', async () => {
    const { scene, ann, id, path, put } = await scenery(engine);
    await using _ = scene;
    await put('a');
    const { token } = await sync(scene, ann, path);
    const ctag = async () =>
      (
        await scene.dav(ann, 'PROPFIND', path, {
          headers: depth('0'),
          body: syncBody().replaceAll('d:sync-collection', 'd:propfind').replace(prop('d:getetag'), prop('cs:getctag')),
        })
      ).responses.get(path)?.found['cs:getctag'];
    const before = await ctag();
    const input = { calendarId: id, summary: 'Tea', dtstart: '2026-02-01', allDay: true };
    const { event } = await scene.done(events.createEvent, ann, input);
    expect((await sync(scene, ann, path, token)).names).toEqual([event.id]);
    expect(await ctag()).not.toBe(before);
    const now = await ctag();
    await scene.done(calendars.updateCalendar, ann, { id, displayName: 'Another name' });
    expect(await ctag()).toBe(now);
  });

  it('reads as many rows as have changed, in a statement each', async () => {
    const { scene, ann, path, put } = await scenery(engine);
    await using _ = scene;
    for (const name of ['a', 'b', 'c']) await put(name);
    const { token } = await sync(scene, ann, path);
    await put('b', ['LOCATION:x']);
    const { statements, result } = await ownStatements(async () => await sync(scene, ann, path, token));
    expect(result.names).toEqual(['b']);
    const read = statements.filter((statement) => /from (?:calendar_objects|calendar_tombstones)/.test(statement));
    expect(read).toHaveLength(2);
    expect(read.every((statement) => !/sealed|select \*/.test(statement))).toBe(true);
  });
});
