import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accounts } from '../../../src/contract/accounts.ts';
import { isPrivate } from '../../../src/http/dav/sign-in.ts';
import { basic, depth, document, openDav, prop, propfindBody, type DavScene } from './dav-scene.ts';

const challenge = 'Basic realm="Conclave", charset="UTF-8"';
const principal = propfindBody('d:current-user-principal');
const far = '203.0.113.7';

let scene: DavScene;
beforeAll(async () => {
  scene = await openDav('sqljs');
});
afterAll(async () => await scene[Symbol.asyncDispose]());

const propfind = async (asked: { authorization?: string; address?: string; path?: string }) => {
  const { path = '/dav/', ...more } = asked;
  return await scene.dav(scene.ann, 'PROPFIND', path, { headers: depth('0'), body: principal, ...more });
};

describe('a program that signs in', () => {
  it('is asked for Basic first, with a body that is no page', async () => {
    for (const path of ['/', '/dav/', '/dav', `/dav/calendars/${scene.ann.memberId}/`, '/dav/nothing/here']) {
      const answer = await propfind({ authorization: '', path });
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBe(challenge);
      expect(answer.headers.get('content-type')).toBe('application/xml; charset=utf-8');
      expect(answer.text).toContain('Sign in with your name and an app password');
    }
  });

  it('is let in by an app password alone: no other secret of the member counts', async () => {
    const { ann, bob } = scene;
    const good = await scene.password(ann);
    expect((await propfind({ authorization: good })).status).toBe(207);
    const wrong = [
      basic(ann.username, ann.password),
      basic(bob.username, Buffer.from(good.slice(6), 'base64').toString().split(':')[1] ?? ''),
      basic(ann.username, ''),
      'Basic',
      'Basic !!!',
      `Bearer ${ann.token}`,
      ann.token,
    ];
    for (const authorization of wrong) {
      const answer = await propfind({ authorization });
      expect([authorization, answer.status]).toEqual([authorization, 401]);
      expect(answer.headers.get('www-authenticate')).toBe(challenge);
    }
  });

  it('sees what its app password is for', async () => {
    const { ann, bob } = scene;
    const calendar = await scene.password(ann, ['calendar']);
    const contacts = await scene.password(ann, ['contacts']);
    const mail = await scene.password(ann, ['mail', 'files', 'chat', 'feeds']);
    const homes = propfindBody('c:calendar-home-set', 'card:addressbook-home-set');
    const path = `/dav/principals/${ann.memberId}/`;
    const homesBy = async (authorization: string) => {
      const answer = await scene.dav(ann, 'PROPFIND', path, { authorization, headers: depth('0'), body: homes });
      return answer.responses.get(path)?.found;
    };
    expect(await homesBy(calendar)).toEqual({ 'c:calendar-home-set': `/dav/calendars/${ann.memberId}/` });
    expect(await homesBy(contacts)).toEqual({ 'card:addressbook-home-set': `/dav/contacts/${ann.memberId}/` });
    for (const [authorization, refused] of [
      [contacts, 'calendars'],
      [calendar, 'contacts'],
      [mail, 'calendars'],
      [mail, 'principals'],
    ] as const) {
      const answer = await propfind({ authorization, path: `/dav/${refused}/${ann.memberId}/` });
      expect(answer.status).toBe(403);
      expect(answer.preconditions).toEqual(['d:need-privileges']);
    }
    expect((await propfind({ authorization: calendar, path: `/dav/calendars/${bob.memberId}/` })).status).toBe(404);
  });

  it('is out when the app password ends', async () => {
    const { ann, house } = scene;
    const input = { name: 'Lost telephone', scopes: ['calendar' as const] };
    const { body } = await house.perform(accounts.createAppPassword, input, ann.token);
    const authorization = basic(ann.username, body.password);
    expect((await propfind({ authorization })).status).toBe(207);
    await house.perform(accounts.removeAppPassword, { id: body.appPassword.id }, ann.token);
    expect((await propfind({ authorization })).status).toBe(401);
  });

  it('is out in the middle of a long answer, too, and so is one whose share ends', async () => {
    const { ann, bob, house } = scene;
    const { id } = await scene.calendarOf(ann);
    const input = { name: 'Slow telephone', scopes: ['calendar' as const] };
    /** Reads the beginning of an answer of some 500 kB, and the rest after something has happened. */
    const read = async (who: typeof ann, end: (password: string) => Promise<unknown>) => {
      const { body } = await house.perform(accounts.createAppPassword, input, who.token);
      const path = `/dav/calendars/${who.memberId}/${id}/`;
      const hrefs = Array.from({ length: 5_000 }, (_, at) => `<d:href>${path}none-${at}.ics</d:href>`).join('');
      const answer = await house.fetch(
        new Request(`http://house.test${path}`, {
          method: 'REPORT',
          headers: { authorization: basic(who.username, body.password) },
          body: document('c:calendar-multiget', `${prop('d:getetag')}${hrefs}`),
        }),
      );
      expect(answer.status).toBe(207);
      const reader = answer.body!.getReader();
      const decoder = new TextDecoder();
      let text = decoder.decode((await reader.read()).value);
      await end(body.appPassword.id);
      house.clock.advance(6_000);
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return text;
        text += decoder.decode(value);
      }
    };
    const whole = await read(ann, async () => undefined);
    expect(whole.match(/<d:response>/g)).toHaveLength(5_000);
    const removing = async (password: string) =>
      await house.perform(accounts.removeAppPassword, { id: password }, ann.token);
    await expect(read(ann, removing)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    await scene.share(ann, id, bob, 'viewer');
    expect(await read(bob, async () => undefined)).toContain('</d:multistatus>');
    await expect(read(bob, async () => await scene.block(ann, bob))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('never sends a password in clear over a network', async () => {
    const authorization = await scene.password(scene.ann);
    const answer = await propfind({ authorization, address: far });
    expect(answer.status).toBe(403);
    expect(answer.text).toContain('Passwords are read only over TLS');
    // The same for whoever has none: a person hears of it before a password is typed.
    expect((await propfind({ authorization: '', address: far })).status).toBe(403);
    expect((await propfind({ authorization, address: '127.0.0.1' })).status).toBe(207);
    expect((await propfind({ authorization, address: '::1' })).status).toBe(207);
  });
});

describe('a connection', () => {
  const asked = (ip: string | undefined, encrypted: boolean, headers: Record<string, string> = {}) =>
    ({ ip, headers: new Headers(headers), runtime: { node: { req: { socket: { encrypted } } } } }) as never;
  const config = (trustedProxies: string[]) => ({ config: { trustedProxies } }) as never;

  it.each([
    [far, true, {}, [], far, true],
    [far, false, {}, [], far, false],
    [far, false, { 'x-forwarded-proto': 'https' }, [], far, false],
    ['127.0.0.1', false, {}, [], '127.0.0.1', true],
    ['::ffff:127.0.0.1', false, {}, [], '127.0.0.1', true],
    ['127.0.0.1', false, { 'x-forwarded-proto': 'https' }, ['127.0.0.1'], far, true],
    ['127.0.0.1', false, { 'x-forwarded-proto': 'http' }, ['127.0.0.1'], far, false],
    ['127.0.0.1', false, {}, ['127.0.0.1'], far, false],
    ['10.1.2.3', false, { 'x-forwarded-proto': 'HTTPS' }, ['10.0.0.0/8'], far, true],
    [undefined, false, {}, [], 'local', true],
  ])('from %s, with TLS %s and %j behind proxies %j: private %s %s', (ip, tls, headers, proxies, address, isGood) => {
    expect(isPrivate(config(proxies as string[]), asked(ip, tls, headers), { address })).toBe(isGood);
  });
});

describe('addresses of DAV', () => {
  it('are found through well-known ones by every method, before anybody signs in', async () => {
    for (const name of ['caldav', 'carddav'])
      for (const method of ['GET', 'HEAD', 'PROPFIND', 'OPTIONS', 'PUT', 'POST', 'REPORT', 'DELETE']) {
        const answer = await scene.dav(scene.ann, method, `/.well-known/${name}`, { authorization: '' });
        expect([method, answer.status, answer.headers.get('location')]).toEqual([method, 301, '/dav/']);
      }
  });

  it('answer OPTIONS themselves, and leave those of browsers for pages to CORS', async () => {
    const paths = ['/dav/', `/dav/calendars/${scene.ann.memberId}/`, '/'];
    for (const path of paths) {
      const answer = await scene.dav(scene.ann, 'OPTIONS', path, { authorization: '' });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('dav')).toBe(
        '1, 3, access-control, extended-mkcol, calendar-access, calendar-auto-schedule, addressbook',
      );
      expect(answer.headers.get('allow')).toContain('PROPFIND');
    }
    const origin = { origin: 'https://page.example', 'access-control-request-method': 'PROPFIND' };
    const asked = { authorization: '', headers: origin };
    const preflight = await scene.dav(scene.ann, 'OPTIONS', '/dav/', asked);
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
    expect((await scene.dav(scene.ann, 'OPTIONS', '/', asked)).headers.get('dav')).toBeNull();
  });

  it('leave the page at / to people', async () => {
    const page = await scene.dav(scene.ann, 'GET', '/', { authorization: '' });
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).not.toContain('application/xml');
    expect((await propfind({ path: '/' })).responses.get('/dav/')?.found).toEqual({
      'd:current-user-principal': `/dav/principals/${scene.ann.memberId}/`,
    });
  });

  it('know no other methods, and say which ones they know', async () => {
    for (const method of ['LOCK', 'UNLOCK', 'ACL', 'PATCH']) {
      const answer = await scene.dav(scene.ann, method, `/dav/calendars/${scene.ann.memberId}/`);
      expect([method, answer.status]).toEqual([method, 405]);
      expect(answer.headers.get('allow')).toContain('PROPFIND');
    }
  });

  it('are never a page: what is not there, and what is, answers XML', async () => {
    const { ann } = scene;
    for (const path of ['/dav/x', `/dav/calendars/${ann.memberId}/`, `/dav/calendars/${ann.memberId}/none/a.ics`]) {
      const answer = await scene.dav(ann, 'GET', path);
      expect([404, 405]).toContain(answer.status);
      expect(answer.headers.get('content-type')).toBe('application/xml; charset=utf-8');
    }
  });

  it('do not leave their places', async () => {
    const { ann, bob } = scene;
    const own = `/dav/calendars/${ann.memberId}`;
    const tricks = [
      `/dav/calendars/${bob.memberId}/`,
      `/dav/principals/${bob.memberId}/`,
      `${own}/%2e%2e/${bob.memberId}/`,
      `${own}//`,
      `${own}/..%2f${bob.memberId}/`,
      `${own}/a%00/`,
      `/dav/calendars/${ann.memberId.toUpperCase()}X/`,
    ];
    for (const path of tricks) expect([path, (await propfind({ path })).status]).toEqual([path, 404]);
  });
});

describe('limits', () => {
  it('count requests of programs by member, and wrong passwords by what was presented', async () => {
    await using plain = await openDav('sqljs');
    const { limits } = plain.house.ctx.config;
    const rates = {
      ...limits.rates,
      bridge: { perAccount: { points: 3, seconds: 60 }, perAddress: { points: 2, seconds: 60 } },
    };
    await using counted = await openDav('sqljs', { config: { limits: { ...limits, enabled: true, rates } } });
    const { ann } = counted;
    const authorization = await counted.password(ann);
    const from = { address: '127.0.0.1', headers: depth('0'), body: principal };
    const wrong = basic('ann', 'AAAA-AAAA-AAAA-AAAA-AAAA-AAAA-AAAA-AAAA');
    const statuses: number[] = [];
    for (let tries = 0; tries < 4; tries += 1)
      statuses.push((await counted.dav(ann, 'PROPFIND', '/dav/', { ...from, authorization: wrong })).status);
    expect(statuses).toEqual([401, 401, 429, 429]);
    const good: number[] = [];
    for (let tries = 0; tries < 4; tries += 1)
      good.push((await counted.dav(ann, 'PROPFIND', '/dav/', { ...from, authorization })).status);
    expect(good).toEqual([207, 207, 207, 429]);
  });
});
