import { describe, expect, it } from 'vitest';
import { accounts } from '../../../src/contract/accounts.ts';
import { members } from '../../../src/contract/accounts/members.ts';
import { directAnswer } from '../../support/member-key.ts';
import { openHouse, type House } from '../../support/house.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { engines } from '../../support/stores.ts';
import { openPushService } from '../../shared/notifications/push-service.ts';
import { ask, contents, heard, notified } from '../notifications/notifying.ts';
import { runDueJobs } from '../quorum/due-jobs.ts';

const anotherPassword = 'six yellow bottles';
const changed = 'Your password was changed. If that was not you, recover your account.';
const from = (what: string): string =>
  `Somebody signed in to your account from a new device: ${what}. If that was not you, change your password.`;

type Headers = Readonly<Record<string, string>>;
const agent = (name: string): Headers => ({ 'user-agent': name });
const key = (fill: string): Headers => ({ 'x-device': fill.repeat(43) });

async function signIn(house: House, { username, password }: Pick<HouseMember, 'username' | 'password'>, headers = {}) {
  const answer = await house.perform(accounts.login, { username, password }, undefined, { headers });
  expect(answer.status).toBe(200);
  return answer.body.data as { token: string; memberId: string };
}

describe.each(engines)('alerts of the security of an account on %s', (engine) => {
  it('are in the list at once, whatever the member switched off or wants to sleep through', async () => {
    await using service = await openPushService();
    await using house = await openHouse(engine, { context: { outgoing: service.outgoing } });
    const ann = await house.register();
    await ask(house, ann, 'POST', '/push-subscriptions', service.browser().subscription);
    await ask(house, ann, 'POST', '/preferences/dnd', { enabled: true });
    const change = async (currentPassword: string, newPassword: string) =>
      expect((await house.perform(accounts.changePassword, { currentPassword, newPassword }, ann.token)).status).toBe(
        200,
      );
    await change(ann.password, anotherPassword);
    await notified(house, { recipientId: ann.memberId, type: 'system_alert', content: 'Waits' });
    expect(await contents(house, ann)).toEqual([changed]);
    expect(heard(house, ann).map(([name]) => name)).toEqual(['notification:new', 'notification:count']);
    await runDueJobs({ house }, 'notifications');
    expect(service.received.splice(0).map(({ message }) => message?.content)).toEqual([changed]);

    const system = { enabled: false, channels: ['in_app', 'push'] };
    await ask(house, ann, 'PUT', '/preferences', {
      categorySettings: { system },
      channelSettings: { in_app: false, email: false, push: true },
    });
    await ask(house, ann, 'POST', '/preferences/dnd', { enabled: false });
    await change(anotherPassword, ann.password);
    await notified(house, { recipientId: ann.memberId, type: 'system_alert', content: 'Unwanted' });
    expect(await contents(house, ann)).toEqual([changed, changed]);
    expect(await ask(house, ann, 'GET', '/unread-count')).toEqual({ unreadCount: 2 });
    await runDueJobs({ house }, 'notifications');
    expect(service.received).toEqual([]);

    // A flood of others does not push them out.
    await ask(house, ann, 'PUT', '/preferences', { channelSettings: { in_app: true } });
    const [alert] = await house.ctx.db.selectFrom('notifications').selectAll().execute();
    for (let at = 0; at < 998; at += 1) {
      const id = at.toString(16).padStart(32, '0');
      const row = {
        ...alert!,
        id,
        group_key: id,
        type: 'new_email',
        category: 'mail',
        updated_at: alert!.updated_at + 1,
      };
      await house.ctx.db
        .insertInto('notifications')
        .values(row as never)
        .execute();
    }
    house.clock.advance(1_000);
    for (const content of ['One', 'Two'])
      await notified(house, { recipientId: ann.memberId, type: 'new_email', content });
    const { length } = (await contents(house, ann, '?limit=100')).filter((content) => content === 'One');
    expect(length).toBe(1);
    const kept = await house.ctx.db
      .selectFrom('notifications')
      .select('type')
      .where('type', '=', 'security_alert')
      .execute();
    expect(kept).toHaveLength(2);
  });

  it('tell of a new password, however it was set, and not of a try', async () => {
    await using house = await openHouse(engine);
    const [ann, bob] = [await house.register(), await house.register()];
    const { email, mnemonic } = ann;
    const change = async (currentPassword: string) =>
      await house.perform(accounts.changePassword, { currentPassword, newPassword: anotherPassword }, ann.token);
    expect(await change('not the right one')).toMatchObject({ status: 401, body: { error: 'INVALID_CREDENTIALS' } });
    expect(await contents(house, ann)).toEqual([]);
    expect((await change(ann.password)).status).toBe(200);
    expect(await ask(house, ann, 'GET')).toMatchObject({
      notifications: [{ type: 'security_alert', category: 'system', content: changed, isRead: false }],
    });
    expect(heard(house, ann)[0]).toMatchObject(['notification:new', { notification: { content: changed } }]);

    house.clock.advance(1);
    const { backupCodes } = (await house.perform(accounts.createBackupCodes, {}, ann.token)).body;
    const use = async (more: object) => {
      const input = { backupCode: backupCodes.pop(), ...more };
      expect((await house.perform(accounts.recoverBackup, input, ann.token)).status).toBe(200);
    };
    await use({});
    expect(await contents(house, ann)).toEqual([changed]);
    await use({ newPassword: ann.password });
    const byCode = 'Your password was reset by a backup code. If that was not you, recover your account.';
    expect(await contents(house, ann)).toEqual([byCode, changed]);

    house.clock.advance(1);
    const recovery = { email, mnemonic, newPassword: anotherPassword };
    const { token } = (await house.perform(accounts.recover, recovery, undefined, { headers: agent('a phone') })).body
      .data;
    const byPhrase = 'Your password was reset by the recovery phrase. If that was not you, recover your account.';
    // It is one alert, though the device is a new one too.
    expect(await contents(house, { ...ann, token })).toEqual([byPhrase, byCode, changed]);
    expect(await contents(house, bob)).toEqual([]);
  });

  it('are undone with a change of the password that fails', async () => {
    await using house = await openHouse(engine);
    const ann = await house.register();
    const input = { currentPassword: ann.password, newPassword: anotherPassword };
    house.spoil();
    expect((await house.perform(accounts.changePassword, input, ann.token)).status).toBe(500);
    expect(await contents(house, ann)).toEqual([]);
    expect(heard(house, ann)).toEqual([]);
  });

  it('tell of a sign-in from a new program once, and never of the first sign-in', async () => {
    await using house = await openHouse(engine);
    const ann = { username: 'ann', email: 'ann@example.org', password: anotherPassword };
    const registered = await house.perform(accounts.register, ann, undefined, { headers: agent('Fire 1') });
    const member = registered.body.data as { token: string; memberId: string };
    await signIn(house, ann, agent('Fire 1'));
    expect(await contents(house, member)).toEqual([]);
    await signIn(house, ann, agent('Fire 2'));
    await signIn(house, ann, agent('Fire 2'));
    await signIn(house, ann, agent('Fire 1'));
    expect(await contents(house, member)).toEqual([from('"Fire 2"')]);
    // Whoever signs out everywhere is known where they come back.
    await house.ctx.db.deleteFrom('sessions').execute();
    const { token } = await signIn(house, ann, agent('Fire 1'));
    expect(await contents(house, { ...member, token })).toEqual([from('"Fire 2"')]);
    const wrong = await house.perform(accounts.login, { ...ann, password: 'not the right one' }, undefined, {
      headers: agent('Fire 3'),
    });
    expect(wrong).toMatchObject({ status: 401, body: { error: 'INVALID_CREDENTIALS' } });
    expect(await contents(house, { ...member, token })).toEqual([from('"Fire 2"')]);

    // An administrator whom the operator made signs in for the first time.
    const boss = { username: 'boss', email: 'boss@example.org', password: anotherPassword };
    await house.perform(members.createAdministrator, boss, await house.operatorToken(), { trusted: true });
    expect(await contents(house, await signIn(house, boss))).toEqual([]);
  });

  it('know a program with a key by its key, whatever it calls itself', async () => {
    await using house = await openHouse(engine);
    const ann = { username: 'ann', email: 'ann@example.org', password: anotherPassword };
    const headers = { ...key('a'), ...agent('conclave') };
    const member = (await house.perform(accounts.register, ann, undefined, { headers })).body.data;
    await signIn(house, ann, headers);
    await signIn(house, ann, { ...key('a'), ...agent('conclave 2') });
    expect(await contents(house, member)).toEqual([]);
    await signIn(house, ann, { ...key('b'), ...agent('conclave') });
    expect(await contents(house, member)).toEqual([from('"conclave"')]);
    house.clock.advance(1);
    await signIn(house, ann, agent('conclave'));
    expect(await contents(house, member)).toEqual([from('"conclave"'), from('"conclave"')]);
    // The name of a program gives nobody the attempts of a device that is known.
    const rows = await house.ctx.db.selectFrom('known_devices').select('device').execute();
    expect(rows.filter(({ device }) => /^[0-9a-f]{64}$/.test(device))).toHaveLength(2);
  });

  it('tell of a sign-in by a key too, and show what a program calls itself as plain short text', async () => {
    await using house = await openHouse(engine);
    const ann = await house.register();
    await house.perform(accounts.updateSettings, { directChallenge: true }, ann.token);
    const direct = async (name: string) => {
      house.clock.advance(1);
      const answer = await directAnswer(house, ann);
      const { status } = await house.perform(accounts.directChallenge, answer, undefined, { headers: agent(name) });
      expect(status).toBe(200);
      return (await contents(house, ann))[0];
    };
    expect(await direct('house-test')).toBeUndefined();
    expect(await direct('a "phone". All is well.')).toBe(from('"a ?phone?. All is well."'));
    expect(await direct('\u009b2J caf\u00e9')).toBe(from('"?2J caf?"'));
    expect(await direct('')).toBe(from('a program without a name'));
    expect(await direct('x'.repeat(300))).toBe(from(`"${'x'.repeat(79)}…"`));
  });

  it('of a new device wait for nothing, whatever is switched off', async () => {
    await using house = await openHouse(engine);
    const [ann, bob] = [await house.register(), await house.register()];
    await ask(house, ann, 'POST', '/preferences/dnd', { enabled: true });
    await signIn(house, ann, agent('a phone'));
    expect(await contents(house, ann)).toEqual([from('"a phone"')]);
    const system = { enabled: false, channels: ['in_app'] };
    await ask(house, bob, 'PUT', '/preferences', { categorySettings: { system } });
    await signIn(house, bob, agent('a phone'));
    expect(await contents(house, bob)).toEqual([from('"a phone"')]);
  });
});
