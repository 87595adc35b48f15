import { describe, expect, it } from 'vitest';
import type { HeavyWork } from '../../../../src/service/context.ts';
import { accounts } from '../../../../src/contract/accounts.ts';
import { toHex } from '../../../../src/crypto/bytes.ts';
import { generateMnemonic } from '../../../../src/crypto/mnemonic.ts';
import { identityOf, sessionKey } from '../../../support/member-key.ts';
import { openHouse } from '../../../support/house.ts';
import { engines } from '../../../support/stores.ts';

const newPassword = 'a different thing';

describe.each(engines)('recovery with the phrase on %s', (engine) => {
  it('lets the new password open the old private key, ends all sessions and begins one', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    const { username, email, mnemonic, memberId } = alice;
    await house.signIn(alice);
    const answer = await house.perform(accounts.recover, {
      email: email.toUpperCase(),
      mnemonic: ` ${mnemonic.toUpperCase()}  `,
      newPassword,
    });
    expect(answer).toMatchObject({
      status: 200,
      body: { message: expect.any(String), data: { memberId, passwordReset: true } },
    });
    const { token } = answer.body.data;
    const key = toHex((await identityOf(mnemonic)).privateKey);
    expect(await sessionKey(house, token)).toBe(key);
    expect((await house.perform(accounts.verify, {}, alice.token)).status).toBe(401);
    expect((await house.perform(accounts.listSessions, {}, token)).body.sessions).toHaveLength(1);
    expect(house.endedSockets).toHaveLength(2);
    expect((await house.perform(accounts.login, { username, password: alice.password })).status).toBe(401);
    const login = await house.perform(accounts.login, { username, password: newPassword });
    expect(await sessionKey(house, login.body.data.token)).toBe(key);
  });

  it('answers alike for an unknown address, a wrong or malformed phrase and a suspended member, doing the same work', async () => {
    let turns = 0;
    const heavy: HeavyWork = {
      async run(work) {
        turns += 1;
        return await work();
      },
      of: () => heavy,
    };
    await using house = await openHouse(engine, { context: { heavy } });
    const boss = await house.administrator();
    const [alice, bob] = [await house.register(), await house.register()];
    await house.api('POST', `/api/admin/members/${bob.memberId}/suspend`, { token: boss.token });
    const answers = [];
    for (const [email, mnemonic] of [
      ['nobody@example.org', alice.mnemonic],
      ['nobody@example.org', generateMnemonic()],
      [alice.email, generateMnemonic()],
      [alice.email, bob.mnemonic],
      [alice.email, 'twelve words that are no phrase at all and never will be'],
      [alice.email, alice.mnemonic.split(' ').slice(0, 12).join(' ')],
      [bob.email, bob.mnemonic],
    ] as const) {
      turns = 0;
      const { status, body } = await house.perform(accounts.recover, { email, mnemonic, newPassword });
      answers.push({ status, body, turns });
    }
    expect(answers[0]).toMatchObject({ status: 401, body: { error: 'INVALID_CREDENTIALS' } });
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    const signedIn = await house.perform(accounts.login, { username: alice.username, password: alice.password });
    expect(signedIn.status).toBe(200);
  });

  it('refuses weak passwords, but tells who has the address only whoever knows the phrase', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register({ username: 'wintermute', email: 'case@example.org' });
    const recover = async (mnemonic: string, password: string) =>
      await house.perform(accounts.recover, { email: alice.email, mnemonic, newPassword: password });
    for (const weak of ['short', 'password1', alice.email]) {
      expect(await recover(alice.mnemonic, weak)).toMatchObject({
        status: 400,
        body: { error: 'PASSWORD_WEAK', errors: [{ path: 'newPassword' }] },
      });
    }
    expect((await recover(generateMnemonic(), 'wintermute')).status).toBe(401);
    expect(await recover(alice.mnemonic, 'wintermute')).toMatchObject({
      status: 400,
      body: { error: 'PASSWORD_WEAK' },
    });
    expect((await house.perform(accounts.verify, {}, alice.token)).status).toBe(200);
  });

  it('says what is missing', async () => {
    await using house = await openHouse(engine);
    const answer = await house.api('POST', '/api/user/recover', { body: { email: 'a@example.org' } });
    expect(answer).toMatchObject({
      status: 400,
      body: { error: 'VALIDATION_ERROR', errors: [{ path: 'mnemonic' }, { path: 'newPassword' }] },
    });
  });
});
