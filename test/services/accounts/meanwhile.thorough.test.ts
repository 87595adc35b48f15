import { describe, expect, it } from 'vitest';
import { accounts } from '../../../src/contract/accounts.ts';
import { members } from '../../../src/contract/accounts/members.ts';
import type { EngineName } from '../../../src/platform/store/database.ts';
import { openHouse, type ApiAnswer, type House } from '../../support/house.ts';
import { directAnswer } from '../../support/member-key.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { bothEngines } from '../../support/stores.ts';
import { allRows } from '../passvault/store-contents.ts';

const newPassword = 'a different thing';

interface Cast extends AsyncDisposable {
  readonly house: House;
  readonly boss: HouseMember;
  readonly other: HouseMember;
  readonly alice: HouseMember;
}

async function openCast(engine: EngineName): Promise<Cast> {
  const house = await openHouse(engine);
  const [boss, other] = [await house.administrator(), await house.administrator()];
  return {
    house,
    boss,
    other,
    alice: await house.register(),
    [Symbol.asyncDispose]: () => house[Symbol.asyncDispose](),
  };
}

const stateOf = async (house: House) =>
  [...(await allRows(house.ctx))].map(([name, rows]) => [name, rows.map((row) => JSON.stringify(row)).toSorted()]);

/** What a request answers when `change` comes before its transaction; and that it did nothing. */
async function refused({ house }: Cast, request: () => Promise<ApiAnswer>, change: () => Promise<unknown>) {
  let after: unknown;
  const came = house.meanwhile(async () => {
    await change();
    after = await stateOf(house);
  });
  const { status, body } = await request();
  expect(came()).toBe(true);
  expect(await stateOf(house)).toEqual(after);
  return `${status} ${body.error?.code ?? body.error}`;
}

const suspend =
  ({ house, other }: Cast, who: HouseMember) =>
  async () =>
    await house.perform(members.suspend, { memberId: who.memberId }, other.token);
const demote =
  ({ house, other }: Cast, who: HouseMember) =>
  async () =>
    await house.perform(members.demote, { memberId: who.memberId }, other.token);
const endSessions =
  ({ house, other }: Cast, who: HouseMember) =>
  async () =>
    await house.perform(members.endSessions, { memberId: who.memberId }, other.token);

describe.each(bothEngines)('what changes between the preparation and the transaction of accounts on %s', (engine) => {
  it('lets nobody in who is suspended by then', async () => {
    await using cast = await openCast(engine);
    const { house, alice } = cast;
    const { username, password, email, mnemonic } = alice;
    const restore = async () => await house.perform(members.restore, { memberId: alice.memberId }, cast.other.token);
    const challenge = await directAnswer(house, alice);
    const ways: [string, () => Promise<ApiAnswer>][] = [
      ['password', () => house.perform(accounts.login, { username, password })],
      ['phrase', () => house.perform(accounts.recover, { email, mnemonic, newPassword })],
      ['challenge', () => house.perform(accounts.directChallenge, challenge)],
    ];
    for (const [way, request] of ways) {
      expect([way, await refused(cast, request, suspend(cast, alice))]).toEqual([way, '401 INVALID_CREDENTIALS']);
      await restore();
    }
    expect((await house.perform(accounts.login, { username, password })).status).toBe(200);
  });

  it('takes no password that was changed by then', async () => {
    await using cast = await openCast(engine);
    const { house, alice } = cast;
    const { username, password, email, mnemonic, token } = alice;
    const change = (to: string) => async () => {
      expect((await house.perform(accounts.recover, { email, mnemonic, newPassword: to })).status).toBe(200);
    };
    const login = () => house.perform(accounts.login, { username, password });
    expect(await refused(cast, login, change('the first new one'))).toBe('401 INVALID_CREDENTIALS');
    const fresh = (await house.perform(accounts.login, { username, password: 'the first new one' })).body.data.token;
    const again = (to: string) => () =>
      house.perform(accounts.changePassword, { currentPassword: 'the first new one', newPassword: to }, fresh);
    expect(await refused(cast, again(newPassword), again('the second new one'))).toBe('401 INVALID_CREDENTIALS');
    expect((await house.perform(accounts.login, { username, password: 'the second new one' })).status).toBe(200);
    expect((await house.perform(accounts.verify, {}, token)).status).toBe(401);
  });

  it('does nothing for a session that ended by then', async () => {
    await using cast = await openCast(engine);
    const { house, alice } = cast;
    const codes = (await house.perform(accounts.createBackupCodes, {}, alice.token)).body.backupCodes as string[];
    const requests: [string, (token: string) => Promise<ApiAnswer>][] = [
      ['refresh', (token) => house.perform(accounts.refreshToken, {}, token)],
      ['new codes', (token) => house.perform(accounts.createBackupCodes, {}, token)],
      ['a code', (token) => house.perform(accounts.recoverBackup, { backupCode: codes[0]! }, token)],
      [
        'a code for a password',
        (token) => house.perform(accounts.recoverBackup, { backupCode: codes[0]!, newPassword }, token),
      ],
      [
        'a new password',
        (token) => house.perform(accounts.changePassword, { currentPassword: alice.password, newPassword }, token),
      ],
      ['settings', (token) => house.perform(accounts.updateSettings, { darkMode: true }, token)],
      ['profile', (token) => house.perform(accounts.updateProfile, { settings: { minRedundancy: 5 } }, token)],
      ['another session', (token) => house.perform(accounts.endSession, { id: 'f'.repeat(32) }, token)],
    ];
    for (const [what, request] of requests) {
      const token = await house.signIn(alice);
      expect([what, await refused(cast, () => request(token), endSessions(cast, alice))]).toEqual([
        what,
        '401 UNAUTHORIZED',
      ]);
    }
  });

  it('uses a backup code once', async () => {
    await using cast = await openCast(engine);
    const { house, alice } = cast;
    const { token } = alice;
    const codes = (await house.perform(accounts.createBackupCodes, {}, token)).body.backupCodes as string[];
    const use = () => house.perform(accounts.recoverBackup, { backupCode: codes[0]!, newPassword }, token);
    const usedMeanwhile = async () => await house.perform(accounts.recoverBackup, { backupCode: codes[0]! }, token);
    expect(await refused(cast, use, usedMeanwhile)).toBe('401 INVALID_BACKUP_CODE');
    const second = () => house.perform(accounts.recoverBackup, { backupCode: codes[1]!, newPassword }, token);
    const replaced = async () => await house.perform(accounts.createBackupCodes, {}, token);
    expect(await refused(cast, second, replaced)).toBe('401 INVALID_BACKUP_CODE');
  });

  it('gives a name to the first who takes it', async () => {
    await using cast = await openCast(engine);
    const { house } = cast;
    const wanted = { username: 'carol', email: 'carol@example.org', password: newPassword };
    for (const [taken, code] of [
      [{ username: 'Carol', email: 'other@example.org' }, 'USERNAME_TAKEN'],
      [{ username: 'other-one', email: 'CAROL@example.org' }, 'EMAIL_TAKEN'],
    ] as const) {
      await using fresh = await openCast(engine);
      const answer = await refused(
        fresh,
        () => fresh.house.perform(accounts.register, wanted),
        async () => await fresh.house.register(taken),
      );
      expect(answer).toBe(`400 ${code}`);
    }
    expect((await house.perform(accounts.register, wanted)).status).toBe(201);
  });

  it('obeys no administrator who is none any more', { tags: 'thorough' }, async () => {
    await using cast = await openCast(engine);
    const { house, alice } = cast;
    const memberId = alice.memberId;
    for (const [what, operation] of Object.entries({
      promote: members.promote,
      demote: members.demote,
      suspend: members.suspend,
      restore: members.restore,
      'end sessions': members.endSessions,
    })) {
      const changes = [
        [demote, '403 FORBIDDEN'],
        [suspend, '401 UNAUTHORIZED'],
        [endSessions, '401 UNAUTHORIZED'],
      ] as const;
      for (const [change, expected] of changes) {
        const boss = await house.administrator();
        const answer = await refused(
          cast,
          () => house.perform(operation, { memberId }, boss.token),
          change(cast, boss),
        );
        expect([what, answer]).toEqual([what, expected]);
      }
    }
    expect((await house.perform(accounts.verify, {}, alice.token)).status).toBe(200);
  });

  it('keeps the last administrator, of two who demote each other', async () => {
    await using cast = await openCast(engine);
    const { house, boss, other } = cast;
    const answer = await refused(
      cast,
      () => house.perform(members.demote, { memberId: boss.memberId }, boss.token),
      async () => await house.perform(members.demote, { memberId: other.memberId }, other.token),
    );
    expect(answer).toBe('409 LAST_ADMINISTRATOR');
  });
});
