import { describe, expect, it } from 'vitest';
import { operatorId } from '../../../src/service/actor.ts';
import { accounts } from '../../../src/contract/accounts.ts';
import { members } from '../../../src/contract/accounts/members.ts';
import { openHouse, type ApiAnswer, type House } from '../../support/house.ts';
import { allowDirectLogin, signChallenge } from '../../support/member-key.ts';
import { readSources } from '../../support/source-files.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { engines } from '../../support/stores.ts';
import { allRows } from '../passvault/store-contents.ts';

interface Cast {
  readonly house: House;
  readonly boss: HouseMember;
  readonly alice: HouseMember;
  readonly bob: HouseMember;
  /** alice's backup codes */
  readonly codes: string[];
}

interface Line {
  readonly actor: string;
  readonly action: string;
  readonly target?: string;
  readonly session?: string;
}

interface Action {
  readonly lines: (cast: Cast) => Line[];
  /** what has to be there before */
  // oxlint-disable-next-line typescript/no-explicit-any -- of every shape, and for the same action alone
  readonly prepare?: (cast: Cast) => Promise<any>;
  // oxlint-disable-next-line typescript/no-explicit-any -- what was prepared
  readonly perform: (cast: Cast, prepared: any) => Promise<ApiAnswer>;
  /** what it answers; what is refused changes nothing, and is on record all the same */
  readonly status: 200 | 201 | 401;
}

const newPassword = 'a different thing';
const of = ({ memberId }: HouseMember) => ({ memberId });

async function signed({ house, alice }: Cast, who = alice) {
  await allowDirectLogin(house, alice);
  const { challenge, serverPublicKey } = (await house.perform(accounts.requestDirectLogin, {})).body;
  const signature = await signChallenge(who.mnemonic, challenge, serverPublicKey);
  return { challenge, signature, username: alice.username };
}

const mine =
  (action: string) =>
  ({ alice }: Cast) => [{ actor: alice.memberId, action, target: alice.memberId }];
const guests =
  (action: string) =>
  ({ alice }: Cast) => [{ actor: 'guest', action, target: alice.memberId }];
const admins =
  (action: string) =>
  ({ boss, alice }: Cast) => [{ actor: boss.memberId, action, target: alice.memberId }];

/** Every action, in an order in which one after another succeeds. */
const actions: readonly Action[] = [
  {
    lines: guests('account.login'),
    status: 200,
    perform: ({ house, alice: { username, password } }) => house.perform(accounts.login, { username, password }),
  },
  {
    lines: guests('account.login-failed'),
    status: 401,
    perform: ({ house, alice: { username } }) => house.perform(accounts.login, { username, password: 'not this one' }),
  },
  {
    lines: guests('account.direct-login'),
    status: 200,
    prepare: async (cast) => await signed(cast),
    perform: ({ house }, challenge) => house.perform(accounts.directChallenge, challenge),
  },
  {
    lines: guests('account.direct-login-failed'),
    status: 401,
    prepare: async (cast) => await signed(cast, cast.bob),
    perform: ({ house }, challenge) => house.perform(accounts.directChallenge, challenge),
  },
  {
    lines: ({ alice }) => [
      { actor: alice.memberId, action: 'account.set-direct-challenge', target: alice.memberId, on: true },
    ],
    status: 200,
    perform: ({ house, alice: { token } }) => house.perform(accounts.updateSettings, { directChallenge: true }, token),
  },
  {
    lines: mine('account.change-password-failed'),
    status: 401,
    perform: ({ house, alice: { token } }) =>
      house.perform(accounts.changePassword, { currentPassword: 'not this one', newPassword }, token),
  },
  {
    lines: mine('account.change-password'),
    status: 200,
    perform: ({ house, alice: { token, password } }) =>
      house.perform(accounts.changePassword, { currentPassword: password, newPassword }, token),
  },
  {
    lines: (cast) => [{ ...mine('account.create-app-password')(cast)[0]!, program: expect.any(String) }],
    status: 201,
    perform: ({ house, alice: { token } }) =>
      house.perform(accounts.createAppPassword, { name: 'Telephone', scopes: ['mail'] }, token),
  },
  {
    lines: (cast) => [{ ...mine('account.remove-app-password')(cast)[0]!, program: expect.any(String) }],
    status: 200,
    prepare: async ({ house, alice: { token } }) =>
      (await house.perform(accounts.createAppPassword, { name: 'Tablet', scopes: ['mail'] }, token)).body.appPassword
        .id,
    perform: ({ house, alice: { token } }, id) => house.perform(accounts.removeAppPassword, { id }, token),
  },
  {
    lines: mine('account.replace-backup-codes'),
    status: 200,
    perform: async ({ house, alice, codes }) => {
      const answer = await house.perform(accounts.createBackupCodes, {}, alice.token);
      codes.push(...(answer.body.backupCodes ?? []));
      return answer;
    },
  },
  {
    lines: mine('account.use-backup-code'),
    status: 200,
    perform: ({ house, alice, codes }) =>
      house.perform(accounts.recoverBackup, { backupCode: codes[0] ?? '' }, alice.token),
  },
  {
    lines: (cast) => [...mine('account.use-backup-code')(cast), ...mine('account.reset-password')(cast)],
    status: 200,
    perform: ({ house, alice, codes }) =>
      house.perform(
        accounts.recoverBackup,
        { backupCode: codes[1] ?? '', newPassword: 'another one again' },
        alice.token,
      ),
  },
  {
    lines: (cast) => [{ ...mine('account.end-session')(cast)[0]!, session: expect.any(String) }],
    status: 200,
    prepare: async ({ house, alice }) => {
      await house.signIn(alice);
      const { sessions } = (await house.perform(accounts.listSessions, {}, alice.token)).body;
      return sessions.find(({ current }: { current: boolean }) => !current).id;
    },
    perform: ({ house, alice }, id) => house.perform(accounts.endSession, { id }, alice.token),
  },
  {
    lines: mine('account.logout'),
    status: 200,
    prepare: async ({ house, alice }) => await house.signIn(alice),
    perform: ({ house }, token) => house.perform(accounts.logout, {}, token),
  },
  {
    lines: guests('account.recover-failed'),
    status: 401,
    perform: ({ house, alice: { email }, bob: { mnemonic } }) =>
      house.perform(accounts.recover, { email, mnemonic, newPassword }),
  },
  {
    lines: guests('account.recover'),
    status: 200,
    perform: ({ house, alice: { email, mnemonic } }) =>
      house.perform(accounts.recover, { email, mnemonic, newPassword }),
  },
  {
    lines: () => [{ actor: 'guest', action: 'account.register', target: expect.any(String) }],
    status: 201,
    perform: ({ house }) =>
      house.perform(accounts.register, { username: 'carol', email: 'carol@example.org', password: newPassword }),
  },
  {
    lines: () => [{ actor: operatorId, action: 'members.create-administrator', target: expect.any(String) }],
    status: 201,
    perform: async ({ house }) =>
      await house.perform(
        members.createAdministrator,
        { username: 'dora', email: 'dora@example.org', password: newPassword },
        await house.operatorToken(),
        { trusted: true },
      ),
  },
  {
    lines: ({ boss }) => [{ actor: boss.memberId, action: 'members.list' }],
    status: 200,
    perform: ({ house, boss }) => house.perform(members.list, {}, boss.token),
  },
  {
    lines: admins('members.show'),
    status: 200,
    perform: ({ house, boss, alice }) => house.perform(members.show, of(alice), boss.token),
  },
  {
    lines: admins('members.sessions'),
    status: 200,
    perform: ({ house, boss, alice }) => house.perform(members.sessions, of(alice), boss.token),
  },
  {
    lines: admins('members.promote'),
    status: 200,
    perform: ({ house, boss, alice }) => house.perform(members.promote, of(alice), boss.token),
  },
  {
    lines: admins('members.demote'),
    status: 200,
    perform: ({ house, boss, alice }) => house.perform(members.demote, of(alice), boss.token),
  },
  {
    lines: admins('members.end-sessions'),
    status: 200,
    perform: ({ house, boss, alice }) => house.perform(members.endSessions, of(alice), boss.token),
  },
  {
    lines: admins('members.confirm-email'),
    status: 200,
    perform: ({ house, boss, alice }) => house.perform(members.confirmEmail, of(alice), boss.token),
  },
  {
    lines: admins('members.suspend'),
    status: 200,
    perform: ({ house, boss, alice }) => house.perform(members.suspend, of(alice), boss.token),
  },
  {
    lines: admins('members.restore'),
    status: 200,
    perform: ({ house, boss, alice }) => house.perform(members.restore, of(alice), boss.token),
  },
];

/** That these are written is the whole of what they do in a transaction. */
const withoutTransaction = /-failed$|^members\.(?:list|show|sessions)$/;

const audited = (house: House) =>
  house.log.lines
    .filter((line) => line['message'] === 'audit')
    .map(({ level: _level, time: _time, message: _message, requestId: _request, ...rest }) => rest);

const stateOf = async (house: House) =>
  [...(await allRows(house.ctx))].map(([name, rows]) => [name, rows.map((row) => JSON.stringify(row)).toSorted()]);

describe.each(engines)('the audit log of accounts on %s', (engine) => {
  it('has a line for every action, and none for what was not committed', async () => {
    await using house = await openHouse(engine);
    const cast: Cast = {
      house,
      boss: await house.administrator(),
      alice: await house.register(),
      bob: await house.register(),
      codes: [],
    };
    for (const { lines, prepare, perform, status } of actions) {
      const expected = lines(cast);
      const [{ action } = { action: '' }] = expected;
      const prepared = await prepare?.(cast);
      if (!withoutTransaction.test(action)) {
        const [before, state] = [audited(house).length, await stateOf(house)];
        const spoiled = house.spoil();
        expect([action, (await perform(cast, prepared)).status]).toEqual([action, 500]);
        expect([action, spoiled()]).toEqual([action, true]);
        expect([action, await stateOf(house)]).toEqual([action, state]);
        expect([action, audited(house).slice(before)]).toEqual([action, []]);
      }
      const before = audited(house).length;
      expect([action, (await perform(cast, prepared)).status]).toEqual([action, status]);
      expect([action, audited(house).slice(before)]).toEqual([action, expected]);
    }
  });
});

describe('the table of audited actions', () => {
  it('has every action that the sources of accounts name', async () => {
    // Lists have names of their own, which cursors are bound to.
    const named = (await readSources(['src']))
      .filter(({ path }) => path.startsWith('src/services/accounts/'))
      .flatMap(({ text }) =>
        [...text.matchAll(/(?<!list: )'((?:account|members)\.[a-z-]+)'/g)].map(([, action]) => action),
      );
    const nobody = { memberId: '' } as HouseMember;
    const cast = { alice: nobody, bob: nobody, boss: nobody } as Cast;
    const listed = actions.flatMap(({ lines }) => lines(cast).map(({ action }) => action));
    expect(new Set(listed)).toEqual(new Set(named));
  });
});
