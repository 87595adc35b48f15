import { describe, expect, it } from 'vitest';
import { accounts } from '../../../src/contract/accounts.ts';
import { members } from '../../../src/contract/accounts/members.ts';
import { mail } from '../../../src/contract/mail.ts';
import { appPasswordJti, appPasswordKeyPair, readAppPassword } from '../../../src/crypto/app-password.ts';
import { toHex } from '../../../src/crypto/bytes.ts';
import { watchAppPasswords } from '../../../src/shared/members/ended-app-passwords.ts';
import { purgeExpired } from '../../../src/services/accounts/purge.ts';
import { eventually } from '../../support/eventually.ts';
import { openHouse, type House } from '../../support/house.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { engines } from '../../support/stores.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

async function make(house: House, { token }: HouseMember, more: { expiresAt?: string; name?: string } = {}) {
  const input = { name: 'Telephone', scopes: ['mail' as const], ...more };
  const answer = await house.perform(accounts.createAppPassword, input, token);
  expect(answer.status).toBe(201);
  return answer.body as { password: string; appPassword: { id: string; begins: string } };
}

const basic = (name: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
});

async function inbox(house: House, name: string, password: string): Promise<number> {
  return (await house.perform(mail.countUnread, {}, undefined, { headers: basic(name, password) })).status;
}

const listed = async (house: House, { token }: HouseMember) =>
  (await house.perform(accounts.listAppPasswords, {}, token)).body.appPasswords;

describe.each(engines)('app passwords on %s', (engine) => {
  it('are shown once; the store has a check value and a public key', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    const { password, appPassword } = await make(house, alice);
    const [row] = await house.ctx.db.selectFrom('app_passwords').selectAll().execute();
    const { handle, secret } = readAppPassword(password)!;
    expect(row).toMatchObject({ id: appPassword.id, member_id: alice.memberId, handle, scopes: '["mail"]' });
    expect(row!.public_key).toBe(
      toHex(appPasswordKeyPair(appPasswordJti({ handle, secret }, alice.memberId)).publicKey),
    );
    expect(JSON.stringify(row)).not.toContain(secret);
    expect(await listed(house, alice)).toEqual([
      {
        id: appPassword.id,
        name: 'Telephone',
        begins: password.slice(0, 9),
        scopes: ['mail'],
        createdAt: '2026-01-15T12:00:00.000Z',
        lastUsedAt: null,
        expiresAt: null,
      },
    ]);
    expect(await listed(house, await house.register())).toEqual([]);
    for (const part of [secret.slice(0, 8), password]) expect(JSON.stringify(house.log.lines)).not.toContain(part);
  });

  it('show their last use, exact to a minute', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    const { password } = await make(house, alice);
    const lastUse = async () => (await listed(house, alice))[0].lastUsedAt;
    expect(await inbox(house, alice.username, password)).toBe(200);
    await eventually(async () => expect(await lastUse()).toBe('2026-01-15T12:00:00.000Z'));
    house.clock.advance(MINUTE - 1);
    expect(await inbox(house, alice.email, password)).toBe(200);
    expect(await lastUse()).toBe('2026-01-15T12:00:00.000Z');
    house.clock.advance(1);
    expect(await inbox(house, alice.username, password)).toBe(200);
    await eventually(async () => expect(await lastUse()).toBe('2026-01-15T12:01:00.000Z'));
  });

  it('end when they are removed, by their own member alone', async () => {
    await using house = await openHouse(engine);
    const [alice, bob] = [await house.register(), await house.register()];
    const { password, appPassword } = await make(house, alice);
    const other = await make(house, alice);
    const remove = (member: HouseMember) =>
      house.perform(accounts.removeAppPassword, { id: appPassword.id }, member.token);
    const unknown = {
      status: 404,
      body: { error: 'APP_PASSWORD_NOT_FOUND', message: 'You have no such app password.' },
    };
    expect(await remove(bob)).toMatchObject(unknown);
    expect(await inbox(house, alice.username, password)).toBe(200);
    expect((await remove(alice)).status).toBe(200);
    expect(await inbox(house, alice.username, password)).toBe(401);
    expect(await inbox(house, alice.username, other.password)).toBe(200);
    expect(await remove(alice)).toMatchObject(unknown);
  });

  it('tell listeners of their end at once, for whatever reason', async () => {
    await using house = await openHouse(engine);
    const [alice, boss] = [await house.register(), await house.administrator()];
    const ended: string[] = [];
    const watching = await watchAppPasswords(house.ctx.store, {
      onEnded: (ids) => void ended.push(...ids),
      onGap: () => undefined,
    });
    const told = async (id: string) => {
      await eventually(async () => expect(ended).toEqual([id]));
      ended.length = 0;
    };
    const first = await make(house, alice);
    await house.perform(accounts.removeAppPassword, { id: first.appPassword.id }, alice.token);
    await told(first.appPassword.id);

    const second = await make(house, alice, { expiresAt: new Date(house.clock.now() + DAY).toISOString() });
    house.clock.advance(DAY);
    await purgeExpired(house.ctx);
    await told(second.appPassword.id);

    const third = await make(house, alice);
    await house.perform(members.suspend, { memberId: alice.memberId }, boss.token);
    await told(third.appPassword.id);
    expect(await inbox(house, alice.username, third.password)).toBe(401);
    await house.perform(members.restore, { memberId: alice.memberId }, boss.token);
    expect(await inbox(house, alice.username, third.password)).toBe(200);

    const { mnemonic, email } = alice;
    await house.perform(accounts.recover, { mnemonic, email, newPassword: 'a quite different one' });
    await told(third.appPassword.id);
    await watching[Symbol.asyncDispose]();
  });

  it('expire, and are gone from the list then', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    const { password } = await make(house, alice, { expiresAt: new Date(house.clock.now() + DAY).toISOString() });
    const lasting = await make(house, alice);
    house.clock.advance(DAY - 1);
    expect(await inbox(house, alice.username, password)).toBe(200);
    house.clock.advance(1);
    expect(await inbox(house, alice.username, password)).toBe(401);
    expect(await listed(house, alice)).toMatchObject([{ id: lasting.appPassword.id }]);
    await purgeExpired(house.ctx);
    expect(await house.ctx.db.selectFrom('app_passwords').select('id').execute()).toEqual([
      { id: lasting.appPassword.id },
    ]);
  });

  it('outlive a change of the password, and end with either recovery', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    const { password } = await make(house, alice);
    const [second, third] = ['second of three horses', 'third of three horses'];
    const { password: currentPassword, token } = alice;
    await house.perform(accounts.changePassword, { currentPassword, newPassword: second }, token);
    expect(await inbox(house, alice.username, password)).toBe(200);

    const { backupCodes } = (await house.perform(accounts.createBackupCodes, {}, token)).body;
    await house.perform(accounts.recoverBackup, { backupCode: backupCodes[0] }, token);
    expect(await inbox(house, alice.username, password)).toBe(200);
    await house.perform(accounts.recoverBackup, { backupCode: backupCodes[1], newPassword: third }, token);
    expect(await inbox(house, alice.username, password)).toBe(401);

    const again = await make(house, alice);
    expect(await inbox(house, alice.username, again.password)).toBe(200);
    const { mnemonic, email } = alice;
    await house.perform(accounts.recover, { mnemonic, email, newPassword: 'last of three horses' });
    expect(await inbox(house, alice.username, again.password)).toBe(401);
    expect(await house.ctx.db.selectFrom('app_passwords').select('id').execute()).toEqual([]);
  });

  it('go with their member', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    await make(house, alice);
    await house.ctx.db.deleteFrom('members').where('id', '=', alice.memberId).execute();
    expect(await house.ctx.db.selectFrom('app_passwords').select('id').execute()).toEqual([]);
  });

  it.each([
    [{ name: 'x', scopes: [] }, 'scopes: must name at least one scope'],
    [{ name: 'x', scopes: ['mail', 'mail'] }, 'scopes: must name each scope at most once'],
    [{ name: 'x', scopes: ['account'] }, /^scopes\.0: /],
    [{ name: ' ', scopes: ['mail'] }, 'name: must not be blank'],
    [{ name: 'x', scopes: ['mail'], expiresAt: '2026-01-15T12:00:00.000Z' }, 'expiresAt: must be in the future'],
    [{ name: 'x', scopes: ['mail'], expiresAt: 'tomorrow' }, /^expiresAt: /],
  ])('are refused with %j', async (body, message) => {
    await using house = await openHouse(engine);
    const { token } = await house.register();
    const answer = await house.api('POST', '/api/user/app-passwords', { token, body });
    expect(answer).toMatchObject({
      status: 400,
      body: {
        error: 'VALIDATION_ERROR',
        message: typeof message === 'string' ? message : expect.stringMatching(message),
      },
    });
  });

  it('are at most a hundred for each member; expired ones do not count', async () => {
    await using house = await openHouse(engine);
    const [alice, bob] = [await house.register(), await house.register()];
    const { appPassword } = await make(house, alice, { expiresAt: new Date(house.clock.now() + DAY).toISOString() });
    for (let made = 1; made < 100; made += 1) await make(house, alice);
    const another = () => house.perform(accounts.createAppPassword, { name: 'x', scopes: ['mail'] }, alice.token);
    expect(await another()).toMatchObject({
      status: 409,
      body: { error: 'APP_PASSWORDS_FULL', message: 'You have 100 app passwords. Remove one first.' },
    });
    await make(house, bob);
    house.clock.advance(DAY);
    expect((await another()).status).toBe(201);
    expect(await listed(house, alice)).not.toContainEqual(expect.objectContaining({ id: appPassword.id }));
  });

  it('are not made by a session that ended meanwhile', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    house.meanwhile(async () => await house.ctx.db.deleteFrom('sessions').execute());
    const answer = await house.perform(accounts.createAppPassword, { name: 'x', scopes: ['mail'] }, alice.token);
    expect(answer).toMatchObject({ status: 401, body: { error: 'UNAUTHORIZED' } });
    expect(await house.ctx.db.selectFrom('app_passwords').select('id').execute()).toEqual([]);
  });
});
