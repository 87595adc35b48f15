import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { services } from '../../src/node/services.ts';
import { createApp } from '../../src/http/app.ts';
import { unlimited } from '../../src/http/limits.ts';
import type { Observation } from '../../src/http/serving.ts';
import { openHouse, type House } from '../support/house.ts';
import { engines } from '../support/stores.ts';

describe('the app', () => {
  let house: House;
  let seen: Observation[];
  beforeAll(async () => {
    house = await openHouse(engines[0]!);
  });
  afterAll(async () => {
    await house[Symbol.asyncDispose]();
  });

  async function ask(path: string, init: RequestInit = {}) {
    seen = [];
    const app = createApp(house.ctx, {
      services,
      trusted: false,
      limits: unlimited,
      observe: (one) => void seen.push(one),
      extend(add) {
        add('/broken', () => {
          throw new Error('the secret is 12345');
        });
        add('/fine', () => new Response('fine'));
      },
    });
    const response = await app.fetch(new Request(`http://node.test${path}`, init));
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  it('tells of each request what stands in no secret place', async () => {
    const { token } = await house.register();
    const id = '0'.repeat(32);
    const answer = await ask(`/api/user/sessions/${id}?secret=1`, {
      method: 'DELETE',
      headers: { authorization: token },
    });
    expect(seen).toEqual([
      {
        requestId: answer.headers.get('x-request-id'),
        operation: 'account.end-session',
        method: 'DELETE',
        path: '/api/user/sessions/:id',
        status: 404,
        milliseconds: expect.any(Number),
        address: 'unknown',
      },
    ]);
    await ask('/nowhere/12345?secret=1');
    expect(seen).toMatchObject([{ operation: undefined, path: '(none)', status: 404 }]);
    await ask('/api/user/verify', { method: 'PUT' });
    expect(seen).toMatchObject([{ operation: undefined, method: 'PUT', status: 405 }]);
  });

  it('says the methods of a path, however its parameters are called', async () => {
    const answer = await ask(`/api/admin/members/${'0'.repeat(24)}/sessions`, { method: 'PATCH' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, DELETE']);
  });

  it('serves what else is added to it', async () => {
    expect((await ask('/fine')).text).toBe('fine');
  });

  it('says nothing of an error that nobody expected, and logs it', async () => {
    const answer = await ask('/broken');
    const requestId = answer.headers.get('x-request-id');
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      500,
      { message: `An unexpected error occurred. Request id: ${requestId}`, error: 'INTERNAL_ERROR' },
    ]);
    const lines = house.log.lines.filter((line) => line['requestId'] === requestId);
    expect(lines).toMatchObject([{ level: 'error' }]);
    expect(JSON.stringify(lines)).toContain('the secret is 12345');
  });

  it('puts the same headers on whatever it answers', async () => {
    for (const path of ['/', '/api/user/verify', '/broken', '/%ff', '/docs']) {
      const { headers } = await ask(path);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    }
  });
});
