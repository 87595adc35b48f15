import { describe, expect, it } from 'vitest';
import { login } from '../../../src/services/accounts/signing-in/sign-in.ts';
import { accounts } from '../../../src/contract/accounts.ts';
import { members } from '../../../src/contract/accounts/members.ts';
import { toHex } from '../../../src/crypto/bytes.ts';
import { identityOf, sessionKey } from '../../support/member-key.ts';
import { openHouse, type House } from '../../support/house.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { engines } from '../../support/stores.ts';

const newPassword = 'a different thing';

const change = async (
  house: House,
  member: HouseMember,
  input: Partial<{ currentPassword: string; newPassword: string }> = {},
  token = member.token,
) => await house.perform(accounts.changePassword, { currentPassword: member.password, newPassword, ...input }, token);

const signIn = async (house: House, { username }: HouseMember, password: string) =>
  await house.perform(accounts.login, { username, password });

describe.each(engines)('changing the password on %s', (engine) => {
  it('lets the new password open the old private key', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    expect(await change(house, alice)).toMatchObject({
      status: 200,
      body: { data: { memberId: alice.memberId, success: true } },
    });
    expect((await signIn(house, alice, alice.password)).status).toBe(401);
    const { token } = (await signIn(house, alice, newPassword)).body.data;
    const key = toHex((await identityOf(alice.mnemonic)).privateKey);
    expect(await sessionKey(house, token)).toBe(key);
    expect(await sessionKey(house, alice.token)).toBe(key);
  });

  it('ends every session but the caller’s, with the sockets', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    const bob = await house.register();
    const others = [await house.signIn(alice), await house.signIn(alice)];
    const { sessions } = (await house.perform(accounts.listSessions, {}, alice.token)).body;
    const ids = sessions
      .filter((session: { current: boolean }) => !session.current)
      .map((session: { id: string }) => session.id);
    await change(house, alice);
    for (const token of others) expect((await house.perform(accounts.verify, {}, token)).status).toBe(401);
    for (const token of [alice.token, bob.token])
      expect((await house.perform(accounts.verify, {}, token)).status).toBe(200);
    expect(house.endedSockets.toSorted()).toEqual(ids.toSorted());
  });

  it('ends the time of grace of a token that the caller’s has replaced', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    const { token } = (await house.perform(accounts.refreshToken, {}, alice.token)).body;
    await change(house, alice, {}, token);
    expect((await house.perform(accounts.verify, {}, alice.token)).status).toBe(401);
    expect((await house.perform(accounts.verify, {}, token)).status).toBe(200);
  });

  it('refuses a wrong current password and weak new ones, and then changes nothing', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    expect(await change(house, alice, { currentPassword: 'not the right one' })).toMatchObject({
      status: 401,
      body: { error: 'INVALID_CREDENTIALS' },
    });
    for (const weak of ['short', 'password1', alice.username, alice.email, `${alice.username}1`]) {
      expect(await change(house, alice, { newPassword: weak })).toMatchObject({
        status: 400,
        body: { error: 'PASSWORD_WEAK', errors: [{ path: 'newPassword' }] },
      });
    }
    const answer = await house.api('POST', '/api/user/change-password', { token: alice.token, body: {} });
    expect(answer).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'currentPassword' }, { path: 'newPassword' }] },
    });
    expect((await signIn(house, alice, alice.password)).status).toBe(200);
  });

  it('of several at once lets one through', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    const candidates = ['candidate one', 'candidate two', 'candidate three', 'candidate four'];
    const answers = await Promise.all(candidates.map((candidate) => change(house, alice, { newPassword: candidate })));
    const winners = candidates.filter((_, index) => answers[index]!.status === 200);
    expect(winners).toHaveLength(1);
    for (const candidate of candidates) {
      expect((await signIn(house, alice, candidate)).status).toBe(candidate === winners[0] ? 200 : 401);
    }
  });

  it.each(['a change', 'a suspension'])(
    'and %s are not overtaken by a sign-in that had its password checked before',
    async (what) => {
      await using house = await openHouse(engine);
      const boss = await house.administrator();
      const alice = await house.register();
      let meanwhile: (() => Promise<unknown>) | undefined = async () => {
        if (what === 'a change') return await change(house, alice);
        return await house.perform(members.suspend, { memberId: alice.memberId }, boss.token);
      };
      const run = async <T>(work: () => Promise<T>) => {
        const result = await work();
        const first = meanwhile;
        meanwhile = undefined;
        if (first !== undefined) expect(await first()).toMatchObject({ status: 200 });
        return result;
      };
      const guest = { kind: 'guest', address: 'test', userAgent: '' } as const;
      const { username, password } = alice;
      await expect(
        login({ ...house.ctx, heavy: { ...house.ctx.heavy, run } }, guest, { username, password }),
      ).rejects.toMatchObject({
        code: 'INVALID_CREDENTIALS',
      });
      const sessions = await house.ctx.db
        .selectFrom('sessions')
        .selectAll()
        .where('member_id', '=', alice.memberId)
        .execute();
      expect(sessions).toHaveLength(what === 'a change' ? 1 : 0);
    },
  );
});
