import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Register from '../../commands/account/register.ts';
import Grant from '../../commands/files/acl/grant.ts';
import Approval from '../../commands/files/approval.ts';
import Approve from '../../commands/files/approval/approve.ts';
import Policy from '../../commands/files/approval/policy.ts';
import Reject from '../../commands/files/approval/reject.ts';
import Request from '../../commands/files/approval/request.ts';
import Audit from '../../commands/files/audit.ts';
import Canary from '../../commands/files/canary.ts';
import Add from '../../commands/files/canary/add.ts';
import CheckIn from '../../commands/files/canary/check-in.ts';
import DryRun from '../../commands/files/canary/dry-run.ts';
import Remove from '../../commands/files/canary/remove.ts';
import Create from '../../commands/files/create.ts';
import Destroy from '../../commands/files/destroy.ts';
import Put from '../../commands/files/put.ts';
import Login from '../../commands/login.ts';
import { openHome, type Home } from './home.ts';

const password = 'seven green bottles';
let home: Home;

beforeAll(async () => {
  home = await openHome('socket');
  for (const name of ['bob', 'ada'])
    await home.run(Register, ['--username', name, '--email', `${name}@example.org`], {
      env: { CONCLAVE_PASSWORD: password },
    });
  await as('ada');
  await home.run(Create, ['Work']);
  await home.run(Put, [await home.file('secret.txt', 'a secret'), 'Work:']);
  await home.run(Grant, ['Work:', 'bob', '--level', 'owner']);
});
afterAll(() => home[Symbol.asyncDispose]());

async function as(name: string, env: Record<string, string> = {}): Promise<void> {
  const { code } = await home.run(Login, [name], { env: { CONCLAVE_PASSWORD: password, ...env } });
  expect(code).toBe(0);
}

describe('files approval', () => {
  it('keeps the owner from destroying until somebody approves it', async () => {
    expect((await home.run(Policy, ['Work', '--destroy', '1'])).stdout).toBe(
      'Work needs approvals for: destruction 1\n',
    );
    const refused = await home.run(Destroy, ['Work:/secret.txt', '--yes']);
    expect(refused).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(
        /^Error: This needs 1 approval\. .* destruction of the file or folder [0-9a-f]{32}\. .*\n.*: conclave files approval request\n$/,
      ),
    });
    const asked = await home.run(Request, ['destroy', 'Work:/secret.txt', '--reason', 'Too old']);
    const id = /approve ([0-9a-f]{32})\n$/.exec(asked.stdout)?.[1] ?? '';
    const lower = JSON.parse((await home.run(Request, ['acl', 'Work', '--json'])).stdout);
    expect(lower).toMatchObject({ targetType: 'container', operationType: 'acl_change' });
    expect((await home.run(Policy, ['Work', '--destroy', '0'])).code).toBe(5);
    expect((await home.run(Approve, [id])).code).toBe(5);
    await as('bob');
    const waiting = await home.run(Approval, ['--waiting']);
    expect(waiting.stdout).toContain(`${id}\tpending\tdestruction of a file\t0 of 1\t`);
    expect(waiting.stdout).toContain('\tToo old\t');
    expect((await home.run(Approve, [id])).stdout).toBe('approved: 1 of 1 approvals.\n');
    expect((await home.run(Reject, [lower.id, '--reason', 'It is good'])).stdout).toBe('rejected: 0 of 1 approvals.\n');
    expect((await home.run(Approval, ['--waiting'])).stdout).toBe('');
    await as('ada');
    expect((await home.run(Destroy, ['Work:/secret.txt', '--yes'])).stdout).toContain('Destroyed secret.txt.');
    expect((await home.run(Approval, ['--mine'])).stdout).toContain(`${id}\tused\t`);
  });
});

describe('files audit', () => {
  it('shows who did what, and exports it', async () => {
    const { stdout } = await home.run(Audit, ['Work:', '--action', 'approval-given']);
    expect(stdout).toMatch(/^\S+\tbob\tAPPROVAL_GIVEN\t[0-9a-f]{32}\t/);
    const path = join(home.folder, 'audit.csv');
    expect((await home.run(Audit, ['--export', path, '--format', 'csv'])).stdout).toBe(`Wrote ${path}.\n`);
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\r\n');
    expect([lines[0]?.slice(0, 17), lines[1]]).toEqual([
      'timestamp,action,',
      expect.stringContaining('CONTAINER_CREATED'),
    ]);
    expect((await home.run(Audit, ['--from', 'soon'])).stderr).toContain('"soon" is no time');
    expect((await home.run(Audit, ['--limit', '1'])).stderr).toContain('There are more.');
  });
});

describe('files canary', () => {
  it('is added, tried, renewed and removed', async () => {
    await home.run(Put, [await home.file('will.txt', 'a will'), 'Work:']);
    const gone = ['Gone', '--when', 'absence', '--hours', '72', '--notify', 'bob', '--share', 'Work:/will.txt=bob'];
    const added = await home.run(Add, [...gone, '--destroy', 'Work:/will.txt']);
    expect(added.stdout).toMatch(/^Gone\tabsence of 72 h\tarmed\t.*\tnotify, share, destroy\t[0-9a-f]{32}\n$/);
    const tried = await home.run(DryRun, ['Gone']);
    expect(tried.stdout).toMatch(/^notify .*\tdone\nshare file .*\tdone\ndestroy .*\tAPPROVAL_REQUIRED\n$/);
    expect((await home.run(CheckIn, ['Gone'])).stdout).toMatch(/^Checked in\. It goes off at /);
    await home.run(Add, ['Decoy', '--when', 'presence', '--watch', 'Work:/will.txt', '--notify', 'bob']);
    const code = { CONCLAVE_CODE: 'blue horses' };
    const forced = await home.run(Add, ['Force', '--when', 'duress', '--notify', 'bob'], { env: code });
    expect([forced.code, forced.stdout]).toEqual([0, expect.stringContaining('Force\tduress\tarmed\t-\tnotify')]);
    expect((await home.run(CheckIn, ['Force'], { env: code })).stdout).toBe('Checked in.\n');
    await as('ada', code);
    expect((await home.run(Canary)).stdout.split('\n')).toHaveLength(4);
    expect((await home.run(Remove, ['Decoy'])).stdout).toBe('Removed Decoy.\n');
    expect((await home.run(Remove, ['Decoy'])).code).toBe(6);
    expect((await home.run(Add, ['Idle', '--when', 'absence', '--hours', '1'])).stderr).toContain('Say what it does');
    expect((await home.run(Add, ['Idle', '--when', 'absence', '--share', 'Work:'])).stderr).toContain('PATH=MEMBER');
  });
});
