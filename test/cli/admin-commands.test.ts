import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Register from '../../commands/account/register.ts';
import ConfirmEmail from '../../commands/admin/members/confirm-email.ts';
import Demote from '../../commands/admin/members/demote.ts';
import List from '../../commands/admin/members/list.ts';
import Promote from '../../commands/admin/members/promote.ts';
import Restore from '../../commands/admin/members/restore.ts';
import Sessions from '../../commands/admin/members/sessions.ts';
import Show from '../../commands/admin/members/show.ts';
import Suspend from '../../commands/admin/members/suspend.ts';
import Login from '../../commands/login.ts';
import Status from '../../commands/status.ts';
import Whoami from '../../commands/whoami.ts';
import { openHome, rootPassword, ways, type Home } from './home.ts';

const password = 'a long enough secret';

describe.each(ways)('commands of administrators by %s', (way) => {
  let home: Home;
  beforeAll(async () => {
    home = await openHome(way);
    for (const name of ['alice', 'alicia']) {
      const argv = ['--username', name, '--email', `${name}@home.test`];
      await home.operate(Register, argv, { env: { CONCLAVE_PASSWORD: password } });
    }
    // The operator needs no sign-in on the data directory; far away an administrator does.
    if (way === 'url') await home.run(Login, ['root'], { env: { CONCLAVE_PASSWORD: rootPassword } });
  });
  afterAll(async () => await home[Symbol.asyncDispose]());

  const idOf = async (name: string) => (await home.run(Show, [name, '--json'])).json().id as string;

  it('lists members, as a table of tabs where no terminal is', async () => {
    const run = await home.run(List, ['--query', 'alic']);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout.split('\n').map((line) => line.split('\t')[0])).toEqual(['alice', 'alicia', '']);
    const limited = await home.run(List, ['--limit', '1', '--json']);
    expect(limited.json()).toMatchObject({ members: [{ username: 'root', type: 'Admin' }], hasMore: true });
    expect(limited.stderr).toContain('--all');
    expect((await home.run(List, ['--type', 'User', '--all', '--json'])).json().members).toHaveLength(2);
    expect(await home.run(List, ['--type', 'Nobody'])).toMatchObject({ code: 2, stdout: '' });
  });

  it('finds a member by username, e-mail address and beginning of the id', async () => {
    const id = await idOf('alice');
    for (const name of ['ALICE', 'alice@home.test', id, id.slice(0, 12)]) expect(await idOf(name)).toBe(id);
    const unknown = await home.run(Show, ['alic']);
    expect(unknown).toMatchObject({ code: 6, stdout: '' });
    expect(unknown.stderr).toContain('alice@home.test');
  });

  it('confirms an e-mail address, by which nobody is promoted before', async () => {
    const unverified = await home.run(Promote, ['alicia@home.test']);
    expect(unverified).toMatchObject({ code: 7, stdout: '' });
    expect(unverified.stderr).toContain('Nobody has verified that alicia@home.test belongs to alicia (');
    expect((await home.run(Show, ['alicia'])).stdout).toContain('E-mail\talicia@home.test (not verified)\n');
    expect(await home.run(ConfirmEmail, ['alicia'])).toMatchObject({ code: 2, stdout: '' });
    const confirmed = await home.run(ConfirmEmail, ['alicia', '--yes']);
    expect(confirmed.stdout).toContain('E-mail\talicia@home.test\n');
    expect((await home.run(Promote, ['alicia@home.test', '--json'])).json()).toMatchObject({ type: 'Admin' });
    expect((await home.run(Demote, ['alicia', '--json'])).json()).toMatchObject({ type: 'User', emailVerified: true });
  });

  it('promotes, demotes, suspends and restores', async () => {
    expect((await home.run(Promote, ['alice', '--json'])).json()).toMatchObject({ username: 'alice', type: 'Admin' });
    expect((await home.run(Demote, ['alice', '--json'])).json()).toMatchObject({ type: 'User' });
    expect((await home.run(Suspend, ['alice', '--json'])).json()).toMatchObject({ status: 'suspended', sessions: 0 });
    const env = { CONCLAVE_PASSWORD: password };
    expect(await home.run(Login, ['alice', '--print-token'], { env })).toMatchObject({ code: 4, stdout: '' });
    expect((await home.run(Restore, ['alice', '--json'])).json()).toMatchObject({ status: 'active' });
    expect(await home.run(Login, ['alice', '--print-token'], { env })).toMatchObject({ code: 0 });
  });

  it('keeps the last administrator', async () => {
    expect(await home.run(Demote, ['root'])).toMatchObject({ code: 7, stdout: '' });
    expect(await home.run(Suspend, ['root'])).toMatchObject({ code: 7, stdout: '' });
  });

  it("lists a member's sessions and ends them all", async () => {
    const { stdout } = await home.run(Login, ['alicia', '--print-token'], { env: { CONCLAVE_PASSWORD: password } });
    const before = (await home.run(Sessions, ['alicia', '--json'])).json().sessions as unknown[];
    expect(before.length).toBeGreaterThan(0);
    expect((await home.run(Sessions, ['alicia', '--end', '--json'])).json()).toEqual({ ended: before.length });
    expect(await home.run(Whoami, [], { env: { CONCLAVE_TOKEN: stdout.trim() } })).toMatchObject({ code: 4 });
  });

  it('says how the node is', async () => {
    const run = await home.run(Status, ['--json']);
    expect(run.json()).toMatchObject({ running: way !== 'process', engine: 'sqljs', members: 3 });
    const { stdout } = await home.run(Status);
    expect(stdout).toContain(way === 'process' ? 'Server\tnot running' : 'Server\trunning since');
    expect(stdout).toContain(
      'Member storage\t0 bytes, at most 10 GiB a member: attachments of own password vaults, contacts, documents sealed for a quorum',
    );
  });
});

describe('names of members', () => {
  it('are refused where they could mean two, with the candidates on stderr', async () => {
    await using home = await openHome('socket');
    const [root] = (await home.run(List, ['--json'])).json().members as { id: string }[];
    // Somebody who calls themselves as another one's id begins.
    const trap = root!.id.slice(0, 8);
    const argv = ['--username', trap, '--email', `${randomBytes(4).toString('hex')}@home.test`];
    expect(await home.run(Register, argv, { env: { CONCLAVE_PASSWORD: password } })).toMatchObject({ code: 0 });
    const run = await home.run(Suspend, [trap]);
    expect(run).toMatchObject({ code: 7, stdout: '' });
    expect(run.stderr).toContain(`${root!.id}: root, root@home.test`);
    expect(run.stderr).toContain(`: ${trap}, `);
    expect(JSON.parse((await home.run(Suspend, [trap, '--json'])).stderr)).toMatchObject({
      error: { code: 'AMBIGUOUS', fields: [{ path: root!.id }, { path: expect.any(String) }] },
    });
    expect((await home.run(Show, [root!.id, '--json'])).json()).toMatchObject({ username: 'root', status: 'active' });
  });

  it('are for administrators: a member far away is told no', async () => {
    await using home = await openHome('url');
    await home.run(Register, ['--username', 'bob', '--email', 'bob@home.test'], {
      env: { CONCLAVE_PASSWORD: password },
    });
    expect(await home.run(List)).toMatchObject({ code: 5, stdout: '' });
  });
});
