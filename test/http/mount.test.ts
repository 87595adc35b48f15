import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Scope } from '../../src/contract/scopes.ts';
import { Problem } from '../../src/base/problem.ts';
import { openHouse, type House } from '../support/house.ts';
import { engines } from '../support/stores.ts';
import { serveDoors } from './serve-doors.ts';

const failed = (code: string) => ({ status: 'error', error: expect.objectContaining({ reason: code }) as unknown });

describe('a mounted operation', () => {
  let house: House;
  beforeAll(async () => {
    house = await openHouse(engines[0]!);
  });
  afterAll(async () => {
    await house[Symbol.asyncDispose]();
  });

  it('meets a guest, or whoever has a good token, where a token is optional', async () => {
    const ask = serveDoors(house);
    const { memberId, token } = await house.register();
    const seen = async (more: { token?: string }) => (await ask('GET', '/front', more)).body;
    expect(await seen({})).toEqual({
      status: 'success',
      data: { door: 'front', seenBy: 'a guest' },
      message: 'A door',
    });
    expect((await seen({ token })).data.seenBy).toBe(memberId);
    expect(await seen({ token: 'garbage' })).toEqual(failed('UNAUTHORIZED'));
  });

  it('lets a field name the actor, and nobody else', async () => {
    const ask = serveDoors(house);
    const { memberId, token } = await house.register();
    const create = async (fields: object) =>
      await ask('POST', '', { token, body: JSON.stringify({ door: 'front', ...fields }) });
    expect((await create({})).status).toBe(201);
    expect((await create({ authorId: memberId })).status).toBe(201);
    expect((await create({ authorId: memberId.toUpperCase() })).status).toBe(201);
    expect((await create({ authorId: 'f'.repeat(24) })).body).toEqual(failed('FORBIDDEN'));
    expect((await create({ authorId: 'f' })).body).toEqual(failed('VALIDATION_ERROR'));
    expect((await ask('GET', `/front?authorId=${'f'.repeat(24)}`, { token })).body).toEqual(failed('FORBIDDEN'));
    // A guest can't be anybody.
    expect((await ask('GET', `/front?authorId=${memberId}`)).body).toEqual(failed('FORBIDDEN'));
  });

  it('is for whom the contract says', async () => {
    const [tcp, local] = [serveDoors(house), serveDoors(house, {}, true)];
    const [member, boss, operator] = [await house.register(), await house.administrator(), await house.operatorToken()];
    expect((await tcp('DELETE', '/front', { token: member.token })).body).toEqual(failed('FORBIDDEN'));
    expect((await tcp('DELETE', '/front', { token: boss.token })).status).toBe(204);
    expect((await tcp('DELETE', '/front', { token: operator })).body).toEqual(failed('UNAUTHORIZED'));
    expect((await local('DELETE', '/front', { token: operator })).status).toBe(204);
    expect((await local('POST', '/front/lock', { token: boss.token, body: '{}' })).body).toEqual(failed('FORBIDDEN'));
    expect((await local('POST', '/front/lock', { token: operator, body: '{}' })).status).toBe(200);
    expect((await tcp('POST', '/front/lock', { token: operator, body: '{}' })).status).toBe(404);
    // The operator is no member: it registers nothing, owns nothing and joins nothing.
    expect((await local('POST', '', { token: operator, body: '{"door":"front"}' })).body).toEqual(failed('FORBIDDEN'));
    expect((await local('GET', '/front', { token: operator })).body).toEqual(failed('FORBIDDEN'));
  });

  it('answers with its status, its headers, and no body for 204', async () => {
    const ask = serveDoors(house);
    const { token } = await house.administrator();
    const created = await ask('POST', '', { token, body: '{"door":"front"}' });
    expect([created.status, created.headers.get('x-door'), created.headers.get('x-request-id')]).toEqual([
      201,
      '1',
      'id-1',
    ]);
    const removed = await ask('DELETE', '/front', { token });
    expect([removed.status, removed.text, removed.headers.get('content-type')]).toEqual([204, '', null]);
  });

  it('answers with another status and message where its reply says so', async () => {
    const ask = serveDoors(house);
    const { token } = await house.register();
    const knock = async (door: string) => await ask('POST', `/${door}/knocks`, { token, body: '{}' });
    const opened = await knock('front');
    expect([opened.status, opened.body.message]).toEqual([200, 'Somebody opens']);
    const silent = await knock('back');
    expect([silent.status, silent.body.message, silent.body.data]).toEqual([202, 'Nobody is in', { opened: false }]);
  });

  it('is closed to a token with scopes, unless it names one of them', async () => {
    const { token } = await house.administrator();
    const limitedTo = (...scopes: Scope[]) => serveDoors(house, {}, true, new Set(scopes));
    for (const ask of [limitedTo(), limitedTo('mail', 'calendar')]) {
      expect(await ask('POST', '/front/knocks', { token, body: '{}' })).toMatchObject({
        status: 403,
        body: failed('INSUFFICIENT_SCOPE'),
      });
    }
    const ask = limitedTo('mail', 'files');
    expect((await ask('POST', '/front/knocks', { token, body: '{}' })).status).toBe(200);
    for (const [method, path, body] of [
      ['GET', '/front', null],
      ['POST', '', '{"door":"front"}'],
      ['DELETE', '/front', null],
      ['PUT', '/front/pictures/top', 'x'],
    ] as const)
      expect((await ask(method, path, { token, body })).body).toEqual(failed('INSUFFICIENT_SCOPE'));
  });

  it('that is not JSON gets the request, and its response goes out as it is', async () => {
    const ask = serveDoors(house);
    const { token } = await house.register();
    const headers = { 'content-type': 'image/png' };
    const painted = await ask('PUT', '/front%20door/pictures/left/top%2Fmost?thick=2mm', {
      token,
      headers,
      body: 'pixels',
    });
    expect(painted.text).toBe('front door left/top/most 2mm pixels');
    expect([painted.headers.get('x-shared'), painted.headers.get('x-request-id')]).toEqual(['its own', 'id-1']);
    expect((await ask('PUT', '/front/pictures/left', { headers, body: 'pixels' })).body).toEqual(
      failed('UNAUTHORIZED'),
    );
    expect((await ask('PUT', '/front/pictures/left?thick=20mm', { token, body: 'x' })).body).toEqual(
      failed('VALIDATION_ERROR'),
    );
  });

  it('that fails says why only where it means to', async () => {
    const { token } = await house.register();
    const failing = (error: unknown) =>
      serveDoors(house, {
        show: () => {
          throw error;
        },
      })('GET', '/front', { token });
    expect((await failing(new Problem('gone', 'STORE_GONE', 'It burnt.'))).body).toEqual({
      status: 'error',
      error: { code: 'SERVICE_UNAVAILABLE', reason: 'STORE_GONE', message: 'It burnt.' },
    });
    for (const unexpected of [new Error('at /etc/doors'), 'at /etc/doors', undefined]) {
      const { status, body } = await failing(unexpected);
      expect([status, body]).toEqual([500, failed('INTERNAL_ERROR')]);
      expect(body.error.message).toBe('An unexpected error occurred. Request id: id-1');
    }
  });

  it('whose reply is not what the contract says is noticed in tests', async () => {
    const wrong = { door: 1, seenBy: 'me' } as unknown as { door: string; seenBy: string };
    const ask = serveDoors(house, { show: () => Promise.resolve(wrong) });
    expect((await ask('GET', '/front')).status).toBe(500);
  });
});
