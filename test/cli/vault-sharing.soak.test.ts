import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Register from '../../commands/account/register.ts';
import ConfirmEmail from '../../commands/admin/members/confirm-email.ts';
import Login from '../../commands/login.ts';
import Whoami from '../../commands/whoami.ts';
import Add from '../../commands/vault/add.ts';
import Audit from '../../commands/vault/audit.ts';
import Create from '../../commands/vault/create.ts';
import EmergencyDeny from '../../commands/vault/emergency/deny.ts';
import EmergencyShow from '../../commands/vault/emergency/show.ts';
import Recover from '../../commands/vault/emergency/recover.ts';
import Setup from '../../commands/vault/emergency/setup.ts';
import EmergencyShare from '../../commands/vault/emergency/share.ts';
import Get from '../../commands/vault/get.ts';
import List from '../../commands/vault/list.ts';
import Open from '../../commands/vault/open.ts';
import Password from '../../commands/vault/password.ts';
import Share from '../../commands/vault/share.ts';
import Status from '../../commands/vault/status.ts';
import Unshare from '../../commands/vault/unshare.ts';
import { openHome, type Home } from './home.ts';

const passwordOf = (name: string) => `the long secret of ${name}`;
const master = 'twelve green bottles hanging';

describe('vaults of several members', () => {
  let home: Home;
  const ids: Record<string, string> = {};
  const tokens: Record<string, string> = {};
  let vaultId: string;
  beforeAll(async () => {
    home = await openHome('socket');
    for (const name of ['alice', 'bob', 'carol']) {
      const env = { CONCLAVE_PASSWORD: passwordOf(name) };
      await home.run(Register, ['--username', name, '--email', `${name}@home.test`], { env });
      tokens[name] = (await home.run(Login, [name, '--print-token'], { env })).stdout.trim();
      ids[name] = (await home.run(Whoami, ['--json'], as(name))).json().id;
    }
    await home.operate(ConfirmEmail, ['carol', '--yes']);
    vaultId = (await home.run(Create, ['Team', '--json'], as('alice', { CONCLAVE_MASTER_PASSWORD: master }))).json().id;
    await home.run(Add, ['Team/wifi', 'password[file]=-'], { ...as('alice'), stdin: 'over the air' });
  });
  afterAll(async () => await home[Symbol.asyncDispose]());

  const as = (name: string, env: NodeJS.ProcessEnv = {}) => ({ env: { CONCLAVE_TOKEN: tokens[name], ...env } });

  it('are shared by name or id, and opened with the own password', async () => {
    expect(await home.run(Get, ['Team/wifi'], as('bob'))).toMatchObject({ code: 6, stdout: '' });
    const unknown = await home.run(Share, ['Team', 'bob', 'bo'], as('alice'));
    expect(unknown).toMatchObject({ code: 2, stdout: '' });
    expect(unknown.stderr).toContain('bo: is not an active member');
    expect((await home.run(Share, ['Team', 'BOB', 'bob', 'carol@home.test'], as('alice'))).stdout).toBe(
      'Shared Team with bob, carol@home.test.\n',
    );
    expect((await home.run(Share, ['Team', 'bob', ids['carol']!, '--json'], as('alice'))).json()).toMatchObject({
      sharedWith: [ids['bob'], ids['carol']],
    });
    expect((await home.run(List, [], as('bob'))).stdout).toContain('with you');
    expect(await home.run(Open, ['Team'], as('bob', { CONCLAVE_MASTER_PASSWORD: master }))).toMatchObject({ code: 4 });
    const person = [['Password of your account, to open Team', passwordOf('bob')]] as const;
    expect(await home.run(Open, ['Team'], { ...as('bob'), person })).toMatchObject({ code: 0 });
    expect((await home.run(Get, ['Team/wifi'], as('bob'))).stdout).toBe('over the air\n');
    const status = (await home.run(Status, ['Team'], as('bob'))).stdout;
    expect(status).toContain('Owner\talice\nShared with\tbob, carol\n');
    expect(status).not.toContain(ids['alice']);
    expect((await home.run(Status, ['Team'], as('alice'))).stdout).toContain('Owner\tyou\n');
    expect((await home.run(Status, ['Team', '--json'], as('alice'))).json()).toMatchObject({
      ownerId: ids['alice'],
      sharedWith: expect.arrayContaining([ids['bob'], ids['carol']]),
      members: [
        { memberId: ids['alice'], username: 'alice', role: 'owner' },
        { memberId: ids['bob'], username: 'bob', role: 'recipient' },
        { memberId: ids['carol'], username: 'carol', role: 'recipient' },
      ],
    });
  });

  it('are the owner’s alone to share and to audit', async () => {
    expect(await home.run(Share, ['Team', ids['carol']!], as('bob'))).toMatchObject({ code: 5 });
    expect(await home.run(Audit, ['Team'], as('bob'))).toMatchObject({ code: 5 });
    const log = (await home.run(Audit, ['Team'], as('alice'))).stdout;
    expect(log).toContain('\tbob\tentry read');
    expect(log).toContain('recipient=bob');
    expect(log).toContain('\talice\tvault shared');
  });

  it('end for whom they are no longer shared with', async () => {
    expect((await home.run(Unshare, ['Team', 'Bob', '--json'], as('alice'))).json()).toMatchObject({
      revoked: ids['bob'],
    });
    expect(await home.run(Get, ['Team/wifi'], as('bob'))).toMatchObject({ code: 6, stdout: '' });
  });

  it('are recovered by as many trustees as it takes, and get a new master password', async () => {
    const trustees = ['bob', 'carol@home.test'];
    expect(await home.run(EmergencyShare, [], as('bob'))).toMatchObject({ code: 6, stdout: '' });
    const setup = await home.run(Setup, ['Team', '--threshold', '2', ...trustees, '--json'], as('alice'));
    expect(setup.json()).toMatchObject({ vaultId, threshold: 2, trustees: [ids['bob'], ids['carol']] });
    const shares: string[] = [];
    for (const [name, vault] of Object.entries({ bob: [], carol: ['alice'] })) {
      const run = await home.run(EmergencyShare, vault, as(name));
      expect(run).toMatchObject({ code: 0, stderr: 'Your share of Team: 2 of 2 are needed.\n' });
      shares.push(await home.file(`${name}.json`, run.stdout));
    }
    expect(await home.run(EmergencyShare, [vaultId], as('alice'))).toMatchObject({ code: 6 });
    expect(await home.run(Recover, [vaultId, shares[0]!], as('alice'))).toMatchObject({ code: 2, stdout: '' });
    expect(await home.run(Recover, [vaultId, await home.file('no.json', '{}')], as('alice'))).toMatchObject({
      code: 2,
    });
    expect(await home.run(EmergencyShare, ['nobody'], as('bob'))).toMatchObject({ code: 6, stdout: '' });
    expect((await home.run(Recover, ['alice', ...shares], as('bob'))).stdout).toBe('Team is recovered and open.\n');
    // That the trustees have it is no new master password for its owner, who has to recover it too.
    const forgot = as('alice', { CONCLAVE_NEW_MASTER_PASSWORD: 'thirteen blue bottles falling' });
    const missing = await home.run(Password, ['Team', '--recovered'], forgot);
    expect(missing).toMatchObject({ code: 2, stdout: '' });
    expect(missing.stderr).toContain('run: conclave vault emergency recover "Team" FILE...');
    // A share works once.
    expect(await home.run(Recover, ['team', ...shares], as('alice'))).toMatchObject({ code: 2, stdout: '' });
    const again = await Promise.all(
      ['bob', 'carol'].map(async (name) =>
        home.file(`${name}-again.json`, (await home.run(EmergencyShare, [vaultId], as(name))).stdout),
      ),
    );
    // The vault is now also shared with bob: its owner finds it, and so does each name that an error lists.
    const unknown = await home.run(Recover, ['nobody', again[0]!], as('bob'));
    expect(unknown).toMatchObject({ code: 6, stdout: '' });
    expect(unknown.stderr).toContain(`${vaultId}: alice:Team\n`);
    for (const name of ['alice', 'alice:Team', 'Team', vaultId]) {
      const few = await home.run(Recover, [name, again[0]!], as('bob'));
      expect({ name, code: few.code, stderr: few.stderr }).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('2 shares are needed'),
      });
    }
    const recovered = await home.run(Recover, ['team', ...again], as('alice'));
    expect(recovered.stdout).toBe('Team is recovered and open.\n');
    expect(recovered.stderr).toBe(
      'Earlier shares of its trustees stop working. Each of the 2 trustees prints a new one with: conclave vault emergency share\n',
    );
    const listed = await home.run(List, [], as('alice'));
    expect(listed.stderr).toMatch(/^Warning: bob recovered Team with shares of its trustees, /);
    const shown = (await home.run(EmergencyShow, ['Team', '--dismiss'], as('alice'))).stdout;
    expect(shown).toContain('Trustees\tbob, carol\nNeeded\t2 of 2\nShare read by\tnobody\nTo be read by\tbob, carol\n');
    expect(shown).toContain('\nRecovered\tby bob, ');
    const status = await home.run(Status, ['Team'], as('alice'));
    expect(status).toMatchObject({ code: 0, stderr: '' });
    expect(status.stdout).toContain('\nEmergency access\t2 of 2: bob, carol\n');
    expect(await home.run(EmergencyDeny, ['Team'], as('alice'))).toMatchObject({ code: 6, stdout: '' });
    const early = await home.run(Unshare, ['Team', 'bob'], as('alice'));
    expect(early).toMatchObject({ code: 5, stdout: '' });
    expect(early.stderr).toContain('conclave vault password NAME --recovered');
    const env = { CONCLAVE_NEW_MASTER_PASSWORD: 'thirteen blue bottles falling' };
    expect(await home.run(Password, ['Team', '--recovered'], as('alice', env))).toMatchObject({ code: 0 });
    const open = as('alice', { CONCLAVE_MASTER_PASSWORD: env.CONCLAVE_NEW_MASTER_PASSWORD });
    expect(await home.run(Open, ['Team'], open)).toMatchObject({ code: 0 });
    expect((await home.run(Get, ['Team/wifi'], as('alice'))).stdout).toBe('over the air\n');
  });

  it('say which one is meant where somebody is trustee of several', async () => {
    const master2 = { CONCLAVE_MASTER_PASSWORD: master };
    await home.run(Create, ['Second'], as('alice', master2));
    expect(await home.run(Setup, ['Second', '--threshold', '1', 'carol'], as('alice', master2))).toMatchObject({
      code: 0,
    });
    const unnamed = await home.run(EmergencyShare, [], as('carol'));
    expect(unnamed).toMatchObject({ code: 2, stdout: '' });
    expect(unnamed.stderr).toContain('of alice, needs 2 shares');
    expect(await home.run(EmergencyShare, ['ALICE'], as('carol'))).toMatchObject({ code: 7, stdout: '' });
    expect((await home.run(EmergencyShare, [vaultId], as('carol'))).json()).toMatchObject({ vaultId });
  });
});
