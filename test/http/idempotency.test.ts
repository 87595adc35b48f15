import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { purgeExpired } from '../../src/services/accounts/purge.ts';
import { transaction } from '../../src/service/context.ts';
import { Problem } from '../../src/base/problem.ts';
import { once } from '../../src/service/repeats.ts';
import { openHouse, type House } from '../support/house.ts';
import { bothEngines } from '../support/stores.ts';
import { buildDoor, serveDoors } from './serve-doors.ts';

const failed = (code: string) => ({ status: 'error', error: expect.objectContaining({ reason: code }) as unknown });

describe.each(bothEngines)('an Idempotency-Key on %s', (one) => {
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
    expect(all.map(({ status, body: answer }) => [status, answer.data.number])).toEqual(
      Array.from({ length: 20 }, () => [201, 1]),
    );
    expect((await ask('POST', '', { token, headers, body })).body.data.number).toBe(1);
  });

  it('is free again when the first try failed', async () => {
    let tries = 0;
    const ask = serveDoors(house, {
      create: async (ctx) => {
        tries += 1;
        if (tries === 1) throw new Problem('unavailable', 'OVERLOADED', 'Busy');
        return await transaction(ctx, async (tx) => await once(tx, async () => ({ number: tries, key: 'x' })));
      },
    });
    const { token } = await house.register();
    expect((await ask('POST', '', { token, headers, body })).body).toEqual(failed('OVERLOADED'));
    expect((await ask('POST', '', { token, headers, body })).body.data.number).toBe(2);
    expect((await ask('POST', '', { token, headers, body })).body.data.number).toBe(2);
  });

  it.each(['before the effect', 'after the effect', 'after the reply was kept'])(
    'leaves nothing when everything stops %s',
    async (moment) => {
      const stop = () => {
        throw new Error('the process ends here');
      };
      let stops = true;
      const ask = serveDoors(house, {
        create: async (ctx) =>
          await transaction(ctx, async (tx) => {
            const reply = await once(tx, async () => {
              if (stops && moment === 'before the effect') stop();
              const number = await buildDoor(tx, `stopping ${moment}`, 'front');
              if (stops && moment === 'after the effect') stop();
              return { number, key: 'x' };
            });
            if (stops) stop();
            return reply;
          }),
      });
      const { token, memberId } = await house.register();
      expect((await ask('POST', '', { token, headers, body })).status).toBe(500);
      const rows = house.ctx.db.selectFrom('idempotency_keys').selectAll().where('member_id', '=', memberId);
      expect(await rows.execute()).toEqual([]);
      stops = false;
      for (let repeat = 0; repeat < 3; repeat += 1)
        expect((await ask('POST', '', { token, headers, body })).body.data.number).toBe(1);
    },
  );

  it('keeps no reply that is shown once, and says that it was done', async () => {
    const ask = serveDoors(house);
    const { token, memberId } = await house.register();
    expect((await ask('POST', '/front/key', { token, headers, body: '{}' })).body.data.key).toBe('key 1 of front');
    for (let repeat = 0; repeat < 2; repeat += 1)
      expect((await ask('POST', '/front/key', { token, headers, body: '{}' })).body).toEqual(
        failed('IDEMPOTENCY_REPLY_NOT_KEPT'),
      );
    expect((await ask('POST', '/back/key', { token, headers, body: '{}' })).body).toEqual(
      failed('IDEMPOTENCY_KEY_REUSED'),
    );
    const rows = house.ctx.db.selectFrom('idempotency_keys').select('reply').where('member_id', '=', memberId);
    expect(await rows.execute()).toEqual([{ reply: null }]);
    const another = { 'idempotency-key': 'another' };
    expect((await ask('POST', '/front/key', { token, headers: another, body: '{}' })).body.data.key).toBe(
      'key 2 of front',
    );
  });

  it('that a service takes no notice of is noticed in tests', async () => {
    const ask = serveDoors(house, { create: async () => ({ number: 1, key: 'x' }) });
    const { token } = await house.register();
    expect((await ask('POST', '', { token, headers, body })).status).toBe(500);
    expect((await ask('POST', '', { token, body })).status).toBe(201);
  });

  it('of somebody who may no longer act is nothing', async () => {
    const ask = serveDoors(house);
    const { token, memberId } = await house.register();
    expect((await ask('POST', '', { token, headers, body })).status).toBe(201);
    const { token: boss } = await house.administrator();
    await house.api('POST', `/api/admin/members/${memberId}/suspend`, { token: boss, body: {} });
    const answer = await ask('POST', '', { token, headers, body });
    expect([answer.status, answer.body]).toEqual([401, failed('UNAUTHORIZED')]);
  });

  it('is forgotten by the purge when its day is over, and not earlier', async () => {
    await using own = await openHouse(one);
    const ask = serveDoors(own);
    const { token } = await own.register();
    await ask('POST', '', { token, headers, body });
    await ask('POST', '/front/key', { token, headers: { 'idempotency-key': 'another' }, body: '{}' });
    own.clock.advance(24 * 60 * 60 * 1000 - 1);
    expect(await purgeExpired(own.ctx)).toMatchObject({ replies: 0 });
    own.clock.advance(1);
    expect(await purgeExpired(own.ctx)).toMatchObject({ replies: 2 });
    expect(await own.ctx.db.selectFrom('idempotency_keys').selectAll().execute()).toEqual([]);
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
    const again = await house.api('POST', '/api/admin/members', options);
    expect(again.status).toBe(400);
    expect(['USERNAME_TAKEN', 'EMAIL_TAKEN']).toContain(again.body.error);
  });
});
