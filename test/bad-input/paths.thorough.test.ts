import { describe, expect, it } from 'vitest';
import { engines } from '../support/stores.ts';
import { expectFailure, openScene } from './scene.ts';

describe.each(engines)('bad input on %s', (engine) => {
  const scene = openScene(engine);
  const { expectRefusal } = scene;

  describe('in the path', () => {
    it.each([
      ['account', '/api/user/nothing'],
      ['account', '/api/user'],
      ['account', '/api/admin/nothing'],
      ['account', '/api/user/verify/more'],
      ['account', '/api/user//verify'],
      ['account', `/api/user/${'x'.repeat(100_000)}`],
      ['filevault', '/filevault/nothing'],
      ['quorum', '/api/quorum/nothing'],
      ['passvault', '/api/passvault/nothing'],
      ['social', '/api/social/nothing'],
      ['social', '/api/conversations/nothing/at/all'],
      ['social', '/api/groups/x/nothing'],
      ['social', '/api/channels/x/nothing'],
      ['email', '/api/emails/x/nothing'],
      ['calendar', '/api/cal/nothing'],
      ['system', '/index.html'],
      ['system', '/api'],
      ['system', '/api/userx'],
      ['system', '/nothing'],
      ['system', '/api/user/../../nothing'],
      ['system', '/__proto__'],
      ['system', '/constructor/prototype'],
    ] as const)('that leads nowhere, in the envelope of %s: %.40s', async (envelope, path) => {
      for (const method of ['GET', 'POST', 'DELETE'] as const)
        await expectRefusal(404, 'NOT_FOUND', method, path, { token: scene.member.token }, envelope);
    });

    it.each([
      ['account', '/api/user/%'],
      ['account', '/api/user/sessions/%zz'],
      ['account', '/api/user/sessions/%ff'],
      ['account', '/api/user/sessions/%c0%af'],
      ['account', '/api/user/sessions/%ed%a0%80'],
      ['filevault', '/filevault/%e0%80%80'],
      ['system', '/%80'],
    ] as const)('that is not percent-encoded UTF-8, in the envelope of %s: %s', async (envelope, path) => {
      await expectRefusal(400, 'VALIDATION_ERROR', 'DELETE', path, { token: scene.member.token }, envelope);
    });

    it.each([
      '%00',
      '%2e%2e%2f',
      '%2525',
      '..%2f..%2fetc%2fpasswd',
      '%F0%9F%92%A9',
      'x',
      '0'.repeat(31),
      `${'0'.repeat(32)}%0a`,
      '0'.repeat(10_000),
    ])('where an id belongs: %.30s', async (id) => {
      const answer = await expectRefusal(400, 'VALIDATION_ERROR', 'DELETE', `/api/user/sessions/${id}`, {
        token: scene.member.token,
      });
      expect(answer.body.errors).toEqual([{ path: 'id', message: 'must be 32 hex digits' }]);
    });

    it('that differs in its encoding alone is the same', async () => {
      const answer = await scene.house.api('GET', '/%61pi/user/%76erify?x=%ff', { token: scene.member.token });
      expect(answer.status).toBe(200);
    });
  });

  describe('in the query', () => {
    const list = (query: string) =>
      scene.house.api('GET', `/api/admin/members?${query}`, { token: scene.administrator.token });

    it.each([
      'limit=0',
      'limit=101',
      'limit=-1',
      'limit=1e1',
      'limit=0x10',
      'limit=%31%00',
      'limit=',
      'limit=1&limit=2',
      'limit=99999999999999999999',
      'limit[]=1&limit=x',
      'type=admin',
      'type=User&type=Admin',
      'status=%00',
      'query=%00',
      'query=%0a',
      'query=',
      `query=${'x'.repeat(255)}`,
      'cursor=x',
      'cursor=%00',
      `cursor=${'A'.repeat(400)}`,
      `cursor=${'x'.repeat(100_000)}`,
    ])('%.30s', async (query) => {
      const answer = await list(query);
      expectFailure(
        answer,
        400,
        query.startsWith('cursor=x') && query.length < 400 ? 'INVALID_CURSOR' : answer.body.error,
      );
      expect(['VALIDATION_ERROR', 'INVALID_CURSOR']).toContain(answer.body.error);
    });

    it.each([
      'query=%ff',
      'query=%zz',
      'query=%25%5f',
      'query=%27%3b--',
      '__proto__=1&constructor=2',
      '&&&===',
      'limit=5&unknown=1',
      '%00=1',
    ])('%s is looked for, or ignored', async (query) => {
      expect((await list(query)).status).toBe(200);
    });
  });

  describe('in the method', () => {
    it.each([
      ['/api/user/login', 'POST'],
      ['/api/user/verify', 'GET, HEAD'],
      ['/api/user/profile', 'GET, HEAD, PUT'],
      ['/api/user/settings', 'GET, HEAD, POST'],
      [`/api/user/sessions/${'0'.repeat(32)}`, 'DELETE'],
      [`/api/admin/members/${'0'.repeat(24)}/sessions`, 'GET, HEAD, DELETE'],
    ])('of %s, which has %s', async (path, allow) => {
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'get-it'].filter(
        (one) => !allow.split(', ').includes(one),
      )) {
        const response = await scene.house.fetch(new Request(`http://node.test${path}`, { method }));
        expect([method, response.status, response.headers.get('allow')]).toEqual([method, 405, allow]);
        const text = await response.text();
        if (method === 'HEAD') expect(text).toBe('');
        else
          expectFailure({ status: 405, headers: response.headers, body: JSON.parse(text) }, 405, 'METHOD_NOT_ALLOWED');
      }
    });

    it('HEAD is answered like GET, without the body', async () => {
      const headers = { authorization: scene.member.token };
      const response = await scene.house.fetch(
        new Request('http://node.test/api/user/verify', { method: 'HEAD', headers }),
      );
      expect([response.status, await response.text()]).toEqual([200, '']);
      const refusedHead = await scene.house.fetch(new Request('http://node.test/api/user/verify', { method: 'HEAD' }));
      expect([refusedHead.status, await refusedHead.text()]).toEqual([401, '']);
    });
  });
});
