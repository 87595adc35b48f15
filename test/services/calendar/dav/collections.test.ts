import { describe, expect, it } from 'vitest';
import { calendars } from '../../../../src/contract/calendar/calendars.ts';
import { bothEngines } from '../../../support/stores.ts';
import { depth, document, eventText, openDav, prop, propfindBody, type DavScene } from '../../../http/dav/dav-scene.ts';
import type { HouseMember } from '../../../support/prepared-member.ts';

const home = ({ memberId }: HouseMember) => `/dav/calendars/${memberId}/`;

async function listed(scene: DavScene, who: HouseMember, ...names: string[]) {
  const answer = await scene.dav(who, 'PROPFIND', home(who), { headers: depth('1'), body: propfindBody(...names) });
  expect(answer.status).toBe(207);
  return [...answer.responses].filter(([href]) => !/\/(?:inbox|outbox)\/$/.test(href) && href !== home(who));
}

const set = (inner: string) => `<d:set><d:prop>${inner}</d:prop></d:set>`;

describe.each(bothEngines)('calendars of programs on %s', (engine) => {
  it('are found from the root on, with all that programs ask for', async () => {
    await using scene = await openDav(engine);
    const { ann } = scene;
    const at = async (path: string, ...names: string[]) => {
      const answer = await scene.dav(ann, 'PROPFIND', path, { headers: depth('0'), body: propfindBody(...names) });
      return answer.responses.get(path);
    };
    const principal = `/dav/principals/${ann.memberId}/`;
    expect((await at('/dav/', 'd:current-user-principal', 'd:resourcetype'))?.found).toEqual({
      'd:current-user-principal': principal,
      'd:resourcetype': 'd:collection',
    });
    const names = ['c:calendar-home-set', 'c:schedule-inbox-URL', 'c:schedule-outbox-URL', 'd:displayname'];
    expect(await at(principal, ...names, 'cs:dropbox-home-URL', 'd:group-membership')).toEqual({
      status: undefined,
      found: {
        'c:calendar-home-set': home(ann),
        'c:schedule-inbox-URL': `${home(ann)}inbox/`,
        'c:schedule-outbox-URL': `${home(ann)}outbox/`,
        'd:displayname': 'ann',
        'd:group-membership': '',
      },
      missing: { 404: ['cs:dropbox-home-URL'] },
    });
    const [first] = await listed(
      scene,
      ann,
      'd:resourcetype',
      'd:displayname',
      'd:owner',
      'd:current-user-privilege-set',
      'd:supported-report-set',
      'c:supported-calendar-component-set',
      'c:max-resource-size',
      'c:calendar-timezone-id',
      'a:calendar-color',
      'cs:getctag',
      'd:sync-token',
    );
    const { calendars: own } = await scene.done(calendars.listCalendars, ann, {});
    const path = first?.[0] ?? '';
    expect(path).toBe(`${home(ann)}${own[0]?.id}/`);
    expect(first?.[1].found).toEqual({
      'd:resourcetype': 'd:collection c:calendar',
      'd:displayname': 'Calendar',
      'd:owner': principal,
      'd:current-user-privilege-set':
        'd:read d:read-current-user-privilege-set c:read-free-busy d:write-content d:bind d:unbind d:write d:write-properties',
      'd:supported-report-set': expect.stringContaining('d:sync-collection c:calendar-query c:calendar-multiget'),
      'c:supported-calendar-component-set': 'c:comp VEVENT c:comp VTODO c:comp VJOURNAL',
      'c:max-resource-size': '1048576',
      'c:calendar-timezone-id': 'UTC',
      'a:calendar-color': '#1a73e8FF',
      'cs:getctag': '0-owner',
      'd:sync-token': `urn:conclave:sync:${own[0]?.id}:0:owner`,
    });
    const zone = await at(path, 'c:calendar-timezone');
    expect(zone?.found['c:calendar-timezone']).toMatch(/^BEGIN:VCALENDAR[\s\S]*TZID:UTC[\s\S]*END:VTIMEZONE/);
  });

  it('are made with MKCALENDAR and extended MKCOL at an address that the program chooses', async () => {
    await using scene = await openDav(engine);
    const { ann } = scene;
    const first = `${home(ann)}B3C0-Work%20%C3%BC/`;
    const zone = 'BEGIN:VCALENDAR\r\nBEGIN:VTIMEZONE\r\nTZID:Europe/Berlin\r\nEND:VTIMEZONE\r\nEND:VCALENDAR\r\n';
    const body = document(
      'c:mkcalendar',
      set(
        `<d:displayname>Work</d:displayname><c:calendar-description>What I do</c:calendar-description>` +
          `<a:calendar-color>#FF2968FF</a:calendar-color><a:calendar-order>7</a:calendar-order>` +
          `<c:calendar-timezone>${zone}</c:calendar-timezone><cs:unknown>x</cs:unknown>` +
          `<c:supported-calendar-component-set><c:comp name="VTODO"/></c:supported-calendar-component-set>`,
      ),
    );
    expect((await scene.dav(ann, 'MKCALENDAR', first, { body })).status).toBe(201);
    const second = `${home(ann)}plain/`;
    const types = '<d:resourcetype><d:collection/><c:calendar/></d:resourcetype>';
    const made = await scene.dav(ann, 'MKCOL', second, { body: document('d:mkcol', set(types)) });
    expect(made.status).toBe(201);
    const third = `${home(ann)}bare/`;
    expect((await scene.dav(ann, 'MKCALENDAR', third)).status).toBe(201);
    const names = ['d:displayname', 'a:calendar-color', 'a:calendar-order', 'c:supported-calendar-component-set'];
    const all = new Map(await listed(scene, ann, ...names, 'c:calendar-description', 'c:calendar-timezone-id'));
    expect(all.size).toBe(4);
    expect(all.get(first)).toMatchObject({
      found: {
        'd:displayname': 'Work',
        'a:calendar-color': '#ff2968FF',
        'a:calendar-order': '7',
        'c:supported-calendar-component-set': 'c:comp VTODO',
        'c:calendar-description': 'What I do',
        'c:calendar-timezone-id': 'Europe/Berlin',
      },
    });
    expect(all.get(second)?.found['d:displayname']).toBe('plain');
    expect(all.get(second)?.missing).toEqual({ 404: ['a:calendar-order'] });
    // It has the one address alone, and is the same calendar for the API.
    const { calendars: own } = await scene.done(calendars.listCalendars, ann, {});
    const work = own.find(({ displayName }) => displayName === 'Work');
    expect(work).toMatchObject({ color: '#ff2968', timezone: 'Europe/Berlin', description: 'What I do' });
    const byId = await scene.dav(ann, 'PROPFIND', `${home(ann)}${work?.id}/`, { headers: depth('0') });
    expect(byId.status).toBe(404);
    const again = await scene.dav(ann, 'MKCALENDAR', first);
    expect([again.status, again.preconditions]).toEqual([405, ['d:resource-must-be-null']]);
    const atOnce = await Promise.all(
      [1, 2, 3].map(async () => await scene.dav(ann, 'MKCALENDAR', `${home(ann)}once/`)),
    );
    expect(atOnce.map(({ status }) => status).toSorted()).toEqual([201, 405, 405]);
    expect(await listed(scene, ann, 'd:displayname')).toHaveLength(5);
  });

  it('are not made elsewhere, nor at addresses that mean something else', async () => {
    await using scene = await openDav(engine);
    const { ann, bob } = scene;
    const statuses = async (method: string, path: string, body?: string) => {
      const { status, preconditions } = await scene.dav(ann, method, path, body === undefined ? {} : { body });
      return [status, ...preconditions].join(' ');
    };
    expect(await statuses('MKCALENDAR', `${home(bob)}a/`)).toBe('404');
    expect(await statuses('MKCALENDAR', `${home(ann)}inbox/`)).toBe('405 d:resource-must-be-null');
    expect(await statuses('MKCALENDAR', `${home(ann)}members/`)).toBe('403 c:calendar-collection-location-ok');
    expect(await statuses('MKCALENDAR', `${home(ann)}${'0a'.repeat(16)}/`)).toBe(
      '403 c:calendar-collection-location-ok',
    );
    expect(await statuses('MKCALENDAR', `/dav/contacts/${ann.memberId}/a/`)).toBe(
      '403 c:calendar-collection-location-ok',
    );
    expect(await statuses('MKCALENDAR', `${home(ann)}a/b/`)).toBe('404');
    const book = document('d:mkcol', set('<d:resourcetype><d:collection/><card:addressbook/></d:resourcetype>'));
    expect(await statuses('MKCOL', `${home(ann)}a/`, book)).toBe('403 d:valid-resourcetype');
    expect(await statuses('MKCALENDAR', `${home(ann)}a/`, document('d:propfind', ''))).toBe('400');
    const long = document('c:mkcalendar', set(`<d:displayname>${'a'.repeat(256)}</d:displayname>`));
    expect(await statuses('MKCALENDAR', `${home(ann)}a/`, long)).toBe('400');
    expect(await listed(scene, ann, 'd:displayname')).toHaveLength(1);
  });

  it('are changed as a whole or not at all', async () => {
    await using scene = await openDav(engine);
    const { ann } = scene;
    const { id } = await scene.calendarOf(ann);
    const path = `${home(ann)}${id}/`;
    const patch = async (inner: string, headers = {}) =>
      await scene.dav(ann, 'PROPPATCH', path, { headers, body: document('d:propertyupdate', inner) });
    const good = await patch(set('<d:displayname>Play</d:displayname><a:calendar-order>3</a:calendar-order>'));
    expect(good.responses.get(path)).toMatchObject({
      found: { 'd:displayname': '', 'a:calendar-order': '' },
      missing: {},
    });
    const bad = await patch(
      set('<d:displayname>No</d:displayname><d:getetag>x</d:getetag><a:calendar-color>red</a:calendar-color>'),
    );
    expect(bad.responses.get(path)?.missing).toEqual({
      403: ['d:getetag', 'a:calendar-color'],
      424: ['d:displayname'],
    });
    const unnamed = await patch(set('<d:displayname> </d:displayname>'));
    expect(unnamed.responses.get(path)?.missing).toEqual({ 403: ['d:displayname'] });
    expect(unnamed.text).toContain('must have 1 to 255 characters');
    const brief = await patch(set('<a:calendar-color>#0f0</a:calendar-color>'), { prefer: 'return=minimal' });
    expect([brief.status, brief.text, brief.headers.get('preference-applied')]).toEqual([200, '', 'return=minimal']);
    await patch('<d:remove><d:prop><c:calendar-description/></d:prop></d:remove>');
    const { calendar } = await scene.done(calendars.showCalendar, ann, { id });
    expect(calendar).toMatchObject({ displayName: 'Play', color: '#00ff00', description: '' });
    const home0 = await scene.dav(ann, 'PROPPATCH', home(ann), {
      body: document('d:propertyupdate', set('<d:displayname>Home</d:displayname>')),
    });
    expect(home0.responses.get(home(ann))?.missing).toEqual({ 403: ['d:displayname'] });
  });

  it('are deleted with all that is in them, but for the default one', async () => {
    await using scene = await openDav(engine);
    const { ann } = scene;
    const path = `${home(ann)}gone/`;
    await scene.dav(ann, 'MKCALENDAR', path);
    await scene.dav(ann, 'PUT', `${path}a.ics`, { body: eventText({ uid: 'a' }) });
    expect((await scene.dav(ann, 'DELETE', path)).status).toBe(204);
    expect((await scene.dav(ann, 'GET', `${path}a.ics`)).status).toBe(404);
    expect((await scene.dav(ann, 'DELETE', path)).status).toBe(404);
    // The address is free again.
    expect((await scene.dav(ann, 'MKCALENDAR', path)).status).toBe(201);
    expect((await scene.dav(ann, 'GET', `${path}a.ics`)).status).toBe(404);
    const [standard = ''] = (await listed(scene, ann, 'd:displayname')).find(([href]) => href !== path) ?? [];
    const refused = await scene.dav(ann, 'DELETE', standard);
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('This is your default calendar')]);
  });

  it('of others are in the home of whoever may read them, and nowhere else', async () => {
    await using scene = await openDav(engine);
    const { ann, bob, cleo } = scene;
    const { id } = await scene.calendarOf(ann, { displayName: 'Team' });
    const at = (who: HouseMember) => `${home(who)}${id}/`;
    const there = async (who: HouseMember) => (await listed(scene, who, 'd:displayname')).map(([href]) => href);
    expect(await there(bob)).not.toContain(at(bob));
    await scene.share(ann, id, bob, 'viewer');
    await scene.share(ann, id, cleo, 'freebusy');
    const [, shared] = (await listed(scene, bob, 'd:owner', 'd:current-user-privilege-set', 'd:displayname')).find(
      ([href]) => href === at(bob),
    ) as [string, { found: Record<string, string> }];
    expect(shared.found).toEqual({
      'd:owner': `/dav/principals/${ann.memberId}/`,
      'd:current-user-privilege-set': 'd:read d:read-current-user-privilege-set c:read-free-busy',
      'd:displayname': 'Team',
    });
    // When time is taken is no collection.
    expect(await there(cleo)).not.toContain(at(cleo));
    expect((await scene.dav(cleo, 'PROPFIND', at(cleo), { headers: depth('0') })).status).toBe(404);
    for (const [method, body] of [
      ['PUT', eventText({ uid: 'a' })],
      ['DELETE', undefined],
    ] as const) {
      const path = method === 'PUT' ? `${at(bob)}a.ics` : at(bob);
      expect((await scene.dav(bob, method, path, body === undefined ? {} : { body })).status).toBe(403);
    }
    const renamed = document('d:propertyupdate', set('<d:displayname>Mine</d:displayname>'));
    const answer = await scene.dav(bob, 'PROPPATCH', at(bob), { body: renamed });
    expect(answer.responses.get(at(bob))?.missing).toEqual({ 403: ['d:displayname'] });
    // The address in the home of the owner is that of the owner alone.
    expect((await scene.dav(bob, 'PROPFIND', at(ann), { headers: depth('0') })).status).toBe(404);
    await scene.block(ann, bob);
    expect((await scene.dav(bob, 'PROPFIND', at(bob), { headers: depth('0') })).status).toBe(404);
  });

  it('that follow an address elsewhere are only read, and may be named and deleted', async () => {
    await using scene = await openDav(engine);
    const { ann } = scene;
    const path = `/dav/calendars/${ann.memberId}/club/`;
    await scene.dav(ann, 'MKCALENDAR', path);
    await scene.dav(ann, 'PUT', `${path}a.ics`, { body: eventText({ uid: 'a' }) });
    await scene.house.ctx.db.updateTable('calendars').set({ subscribed: 1 }).where('name', '=', 'club').execute();
    const asked = { headers: depth('0'), body: propfindBody('d:current-user-privilege-set') };
    const { responses } = await scene.dav(ann, 'PROPFIND', path, asked);
    const privileges = responses.get(path)?.found['d:current-user-privilege-set'];
    expect(privileges?.split(' ')).toEqual([
      'd:read',
      'd:read-current-user-privilege-set',
      'c:read-free-busy',
      'd:write-properties',
    ]);
    const other = `/dav/calendars/${ann.memberId}/${(await scene.calendarOf(ann)).id}/a.ics`;
    expect((await scene.dav(ann, 'PUT', `${path}a.ics`, { body: eventText({ uid: 'a' }) })).status).toBe(403);
    expect((await scene.dav(ann, 'PUT', `${path}b.ics`, { body: eventText({ uid: 'b' }) })).status).toBe(403);
    expect((await scene.dav(ann, 'DELETE', `${path}a.ics`)).status).toBe(403);
    expect((await scene.dav(ann, 'MOVE', `${path}a.ics`, { headers: { destination: other } })).status).toBe(403);
    expect((await scene.dav(ann, 'COPY', `${path}a.ics`, { headers: { destination: other } })).status).toBe(201);
    expect((await scene.dav(ann, 'GET', `${path}a.ics`)).status).toBe(200);
    expect((await scene.dav(ann, 'DELETE', path)).status).toBe(204);
  });

  it('are read at a depth of 0 and 1 alone', async () => {
    await using scene = await openDav(engine);
    const { ann } = scene;
    for (const headers of [{}, depth('infinity'), depth('2')]) {
      const answer = await scene.dav(ann, 'PROPFIND', home(ann), { headers, body: propfindBody('d:displayname') });
      expect([answer.status, answer.preconditions]).toEqual([403, ['d:propfind-finite-depth']]);
    }
    const names = await scene.dav(ann, 'PROPFIND', home(ann), {
      headers: depth('0'),
      body: document('d:propfind', '<d:propname/>'),
    });
    expect(Object.keys(names.responses.get(home(ann))?.found ?? {})).toContain('c:calendar-home-set');
    const all = await scene.dav(ann, 'PROPFIND', home(ann), { headers: depth('0') });
    expect(all.responses.get(home(ann))).toMatchObject({ found: { 'd:resourcetype': 'd:collection' }, missing: {} });
    const brief = await scene.dav(ann, 'PROPFIND', home(ann), {
      headers: { ...depth('0'), brief: 't' },
      body: propfindBody('d:resourcetype', 'cs:pushkey'),
    });
    expect(brief.responses.get(home(ann))?.missing).toEqual({});
    expect(
      (await scene.dav(ann, 'PROPFIND', home(ann), { headers: depth('1'), body: document('d:a', prop()) })).status,
    ).toBe(400);
  });

  it('have an inbox that is there and empty', async () => {
    await using scene = await openDav(engine);
    const { ann } = scene;
    const path = `${home(ann)}inbox/`;
    const propfind = propfindBody('c:schedule-default-calendar-URL');
    /** Where invitations come to be. */
    const goal = async (at: string) => {
      const { responses } = await scene.dav(ann, 'PROPFIND', at, { headers: depth('0'), body: propfind });
      return responses.get(at)?.found['c:schedule-default-calendar-URL'];
    };
    const { id } = await scene.calendarOf(ann);
    const first = await goal(path);
    const { calendars: own } = await scene.done(calendars.listCalendars, ann, {});
    expect(first).toBe(`${home(ann)}${own.find(({ isDefault }) => isDefault)?.id}/`);
    await scene.done(calendars.updateCalendar, ann, { id, isDefault: true });
    expect([await goal(path), await goal(`${home(ann)}outbox/`)]).toEqual([`${home(ann)}${id}/`, undefined]);
    const answer = await scene.dav(ann, 'PROPFIND', path, {
      headers: depth('1'),
      body: propfindBody('d:resourcetype', 'd:getetag'),
    });
    expect([...answer.responses]).toEqual([
      [
        path,
        {
          status: undefined,
          found: { 'd:resourcetype': 'd:collection c:schedule-inbox' },
          missing: { 404: ['d:getetag'] },
        },
      ],
    ]);
    expect((await scene.dav(ann, 'PUT', `${path}a.ics`, { body: eventText({ uid: 'a' }) })).status).toBe(404);
    expect((await scene.dav(ann, 'DELETE', path)).status).toBe(405);
  });
});
