import { describe, expect, it } from 'vitest';
import { purgeExpired } from '../../../src/services/accounts/purge.ts';
import { accounts } from '../../../src/contract/accounts.ts';
import { directAnswer } from '../../support/member-key.ts';
import { openHouse } from '../../support/house.ts';
import { engines } from '../../support/stores.ts';

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

describe.each(engines)('the purge on %s', (engine) => {
  it('removes what has expired and nothing else', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    house.clock.advance(4 * DAY);
    const signed = await directAnswer(house, alice);
    const { token } = (await house.perform(accounts.directChallenge, signed)).body;
    expect(await purgeExpired(house.ctx)).toEqual({ sessions: 0, nonces: 0, replies: 0 });

    // Still within its lifetime, a used challenge must not be forgotten.
    house.clock.advance(5 * MINUTE);
    expect(await purgeExpired(house.ctx)).toEqual({ sessions: 0, nonces: 0, replies: 0 });
    expect((await house.perform(accounts.directChallenge, signed)).body.error).toBe('CHALLENGE_USED');

    house.clock.advance(5 * MINUTE);
    expect(await purgeExpired(house.ctx)).toEqual({ sessions: 0, nonces: 1, replies: 0 });
    expect((await house.perform(accounts.directChallenge, signed)).body.error).toBe('CHALLENGE_EXPIRED');

    house.clock.advance(3 * DAY);
    expect(await purgeExpired(house.ctx)).toEqual({ sessions: 1, nonces: 0, replies: 0 });
    expect(house.endedSockets).toHaveLength(1);
    expect((await house.perform(accounts.verify, {}, token)).status).toBe(200);
  });

  it('forgets devices on which nobody signed in for a year', async () => {
    await using house = await openHouse(engine);
    const { username, password } = await house.register();
    const signIn = async (fill: string) =>
      await house.perform(accounts.login, { username, password }, undefined, {
        headers: { 'x-device': fill.repeat(43) },
      });
    const devices = async () => (await house.ctx.db.selectFrom('known_devices').select('device').execute()).length;
    await signIn('a');
    house.clock.advance(DAY);
    await signIn('b');
    house.clock.advance(364 * DAY - 1);
    await purgeExpired(house.ctx);
    expect(await devices()).toBe(2);
    house.clock.advance(1);
    await purgeExpired(house.ctx);
    expect(await devices()).toBe(1);
  });

  it('takes sessions in the millisecond in which they end, and not the one before', async () => {
    await using house = await openHouse(engine);
    const [alice, bob] = [await house.register(), await house.register()];
    const ends = (member: typeof alice, at: number) =>
      house.ctx.db.updateTable('sessions').set({ expires_at: at }).where('member_id', '=', member.memberId).execute();
    await ends(alice, house.clock.now());
    await ends(bob, house.clock.now() + 1);
    expect(await purgeExpired(house.ctx)).toMatchObject({ sessions: 1, nonces: 0 });
    const left = await house.ctx.db.selectFrom('sessions').select('member_id').execute();
    expect(left).toEqual([{ member_id: bob.memberId }]);
    expect(house.endedSockets).toHaveLength(1);
    house.clock.advance(1);
    expect(await purgeExpired(house.ctx)).toMatchObject({ sessions: 1, nonces: 0 });
    expect(house.endedSockets).toHaveLength(2);
  });

  it('gets through more than one batch, from two processes at once', async () => {
    await using house = await openHouse(engine);
    const nonces = Array.from({ length: 2500 }, (_, index) => ({
      nonce: index.toString(16).padStart(64, '0'),
      expires_at: index < 2300 ? 1 : house.clock.now() + 1,
    }));
    for (let at = 0; at < nonces.length; at += 500)
      await house.ctx.db
        .insertInto('used_direct_login_tokens')
        .values(nonces.slice(at, at + 500))
        .execute();
    const [one, other] = await Promise.all([purgeExpired(house.ctx), purgeExpired(house.ctx)]);
    expect(one.nonces + other.nonces).toBe(2300);
    expect(await house.ctx.db.selectFrom('used_direct_login_tokens').selectAll().execute()).toHaveLength(200);
  });
});
