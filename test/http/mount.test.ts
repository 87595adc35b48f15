import { H3 } from 'h3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authenticate } from '../../src/accounts/authenticate.ts';
import type { Implementation } from '../../src/http/implementation.ts';
import { unlimited } from '../../src/http/limits.ts';
import { mount } from '../../src/http/mount.ts';
import { publicProblem, respondProblem } from '../../src/http/respond.ts';
import type { Serving } from '../../src/http/serving.ts';
import { Problem } from '../../src/problem.ts';
import { openHouse, type House } from '../support/house.ts';
import { engines } from '../support/stores.ts';
import { doors } from './doors.ts';

type Doors = Implementation<typeof doors>;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
  readonly body: any;
}

type Ask = (method: string, path: string, init?: RequestInit & { token?: string }) => Promise<Answer>;

/** Serves the doors out of a house, over an app of their own. */
function serveDoors(house: House, changes: Partial<Doors> = {}, trusted = false): Ask {
  const counts = new Map<string, number>();
  const services: Doors = {
    show: async (_ctx, actor, { door }) => ({ door, seenBy: actor.kind === 'member' ? actor.memberId : 'a guest' }),
    create: async (_ctx, _actor, { door, key }) => {
      const number = (counts.get(door) ?? 0) + 1;
      counts.set(door, number);
      return { number, key: key ?? 'no key' };
    },
    remove: async () => ({}),
    lock: async () => ({}),
    paint: async (_ctx, _actor, { door, place, thick }, request) =>
      new Response(`${door} ${place} ${thick ?? 'thin'} ${await request.text()}`, {
        headers: { 'x-shared': 'its own' },
      }),
    ...changes,
  };
  const h3 = new H3();
  const serving: Serving = {
    trusted,
    jsonBodyLimit: 1000,
    checkReplies: true,
    limits: unlimited,
    memberNamed: () => Promise.resolve(undefined),
    authenticate,
    methodsOf: () => new Set(),
    async answer(event, op, handle) {
      const caller = { address: 'local', userAgent: 'test' };
      try {
        return await handle(event, house.ctx, caller, { 'x-shared': 'shared', 'x-request-id': 'id-1' });
      } catch (error) {
        return respondProblem(op.surface, publicProblem(error, 'id-1'), {});
      }
    },
  };
  mount(h3, serving, doors, services);
  return async (method, path, { token, ...init } = {}) => {
    const headers = new Headers(init.headers);
    if (token !== undefined) headers.set('authorization', token);
    if (typeof init.body === 'string' && !headers.has('content-type')) headers.set('content-type', 'application/json');
    const response = await h3.fetch(
      new Request(`http://node.test/api/social/doors${path}`, { ...init, method, headers }),
    );
    const text = await response.text();
    const { status } = response;
    return { status, headers: response.headers, text, body: text.startsWith('{') ? JSON.parse(text) : undefined };
  };
}

const failed = (code: string) => ({ status: 'error', error: expect.objectContaining({ code }) as unknown });

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
    expect((await failing(new Problem('gone', 'DOOR_GONE', 'It burnt.'))).body).toEqual({
      status: 'error',
      error: { code: 'DOOR_GONE', message: 'It burnt.' },
    });
    for (const unexpected of [new Error('at /etc/doors'), 'at /etc/doors', undefined]) {
      const { status, body } = await failing(unexpected);
      expect([status, body]).toEqual([500, failed('INTERNAL_ERROR')]);
      expect(body.error.message).toBe('Something unexpected happened. Request id: id-1');
    }
  });

  it('whose reply is not what the contract says is noticed in tests', async () => {
    const wrong = { door: 1, seenBy: 'me' } as unknown as { door: string; seenBy: string };
    const ask = serveDoors(house, { show: () => Promise.resolve(wrong) });
    expect((await ask('GET', '/front')).status).toBe(500);
  });
});

describe.each(engines)('an Idempotency-Key on %s', (one) => {
  let house: House;
  beforeAll(async () => {
    house = await openHouse(one);
  });
  afterAll(async () => {
    await house[Symbol.asyncDispose]();
  });

  const headers = { 'idempotency-key': 'order-66' };
  const body = JSON.stringify({ door: 'front', key: 'under the mat, second from the left' });

  it('makes a repeat answer as the first did', async () => {
    const ask = serveDoors(house);
    const { token } = await house.register();
    const [first, again] = [
      await ask('POST', '', { token, headers, body }),
      await ask('POST', '', { token, headers, body }),
    ];
    expect([first.status, first.body.data.number]).toEqual([201, 1]);
    expect([again.status, again.text, again.headers.get('x-door')]).toEqual([201, first.text, '1']);
    // Order and unknown fields don't make it another request.
    const other = JSON.stringify({ unknown: 1, ...JSON.parse(body), door: 'front' });
    expect((await ask('POST', '', { token, headers, body: other })).text).toBe(first.text);
    expect((await ask('POST', '', { token, body })).body.data.number).toBe(2);
    expect((await ask('POST', '', { token, headers: { 'idempotency-key': 'another' }, body })).body.data.number).toBe(
      3,
    );
  });

  it('belongs to one request, one member and one day', async () => {
    const ask = serveDoors(house);
    const [ann, bob] = [await house.register(), await house.register()];
    const create = async (token: string, text = body) => await ask('POST', '', { token, headers, body: text });
    expect((await create(ann.token)).body.data.number).toBe(1);
    expect((await create(ann.token, '{"door":"back"}')).body).toEqual(failed('IDEMPOTENCY_KEY_REUSED'));
    expect((await create(bob.token)).body.data.number).toBe(2);
    house.clock.advance(24 * 60 * 60 * 1000 - 1);
    expect((await create(ann.token)).body.data.number).toBe(1);
    house.clock.advance(1);
    expect((await create(ann.token)).body.data.number).toBe(3);
  });

  it('is performed once, however many come at once', async () => {
    const ask = serveDoors(house);
    const { token } = await house.register();
    const all = await Promise.all(Array.from({ length: 20 }, () => ask('POST', '', { token, headers, body })));
    expect(all.filter(({ status }) => status === 201 || status === 409)).toHaveLength(20);
    for (const { status, body: answer } of all) {
      if (status === 201) expect(answer.data.number).toBe(1);
      else expect(answer).toEqual(failed('IDEMPOTENCY_KEY_IN_USE'));
    }
    expect((await ask('POST', '', { token, headers, body })).body.data.number).toBe(1);
  });

  it('is free again when the first try failed', async () => {
    let tries = 0;
    const ask = serveDoors(house, {
      create: async () => {
        tries += 1;
        if (tries === 1) throw new Problem('unavailable', 'OVERLOADED', 'Busy');
        return { number: tries, key: 'x' };
      },
    });
    const { token } = await house.register();
    expect((await ask('POST', '', { token, headers, body })).body).toEqual(failed('OVERLOADED'));
    expect((await ask('POST', '', { token, headers, body })).body.data.number).toBe(2);
    expect((await ask('POST', '', { token, headers, body })).body.data.number).toBe(2);
  });

  it('answers the same member in another session too, and keeps nothing that can be read', async () => {
    const ask = serveDoors(house);
    const { token, username, password, memberId } = await house.register();
    const first = await ask('POST', '', { token, headers, body });
    const second = (await house.api('POST', '/api/user/login', { body: { username, password } })).body.data.token;
    expect((await ask('POST', '', { token: second, headers, body })).text).toBe(first.text);
    const kept = house.ctx.db.selectFrom('idempotency_keys').selectAll().where('member_id', '=', memberId);
    const rows = await kept.execute();
    expect(rows).toHaveLength(1);
    expect(Buffer.from(rows[0]!.reply!).toString('latin1')).not.toContain('under the mat');
    // Two nodes that do the same keep different hashes: whoever has the store alone can't try inputs.
    await using other = await openHouse(one);
    const elsewhere = await other.register();
    await serveDoors(other)('POST', '', { token: elsewhere.token, headers, body });
    const [row] = await other.ctx.db.selectFrom('idempotency_keys').selectAll().execute();
    expect(row!.request_hash).not.toBe(rows[0]!.request_hash);
  });

  it.each(['', 'a b', 'x'.repeat(256), '\u00e9'])('that is none is refused: %.9s', async (key) => {
    const { token } = await house.register();
    const answer = await serveDoors(house)('POST', '', { token, headers: { 'idempotency-key': key }, body });
    expect(answer.body).toEqual(failed('VALIDATION_ERROR'));
  });

  it("is nothing to the operator, who is no member, and doesn't disturb", async () => {
    const input = { username: 'boss', email: 'boss@example.org', password: 'the boss of all horses' };
    const options = { body: input, headers, trusted: true, token: await house.operatorToken() };
    expect((await house.api('POST', '/api/admin/members', options)).status).toBe(201);
    expect((await house.api('POST', '/api/admin/members', options)).status).toBe(400);
  });
});
