import { access, chmod, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Register from '../../commands/account/register.ts';
import Add from '../../commands/vault/add.ts';
import Audit from '../../commands/vault/audit.ts';
import Create from '../../commands/vault/create.ts';
import Destroy from '../../commands/vault/destroy.ts';
import Edit from '../../commands/vault/edit.ts';
import Find from '../../commands/vault/find.ts';
import Get from '../../commands/vault/get.ts';
import History from '../../commands/vault/history.ts';
import List from '../../commands/vault/list.ts';
import Lock from '../../commands/vault/lock.ts';
import Open from '../../commands/vault/open.ts';
import Otp from '../../commands/vault/otp.ts';
import Password from '../../commands/vault/password.ts';
import Remove from '../../commands/vault/remove.ts';
import Rename from '../../commands/vault/rename.ts';
import Status from '../../commands/vault/status.ts';
import { openHome, ways, type Home } from './home.ts';

/** Says that it is open, and changes the user name when it may. */
const waitingEditor = `#!/bin/sh
touch "$FOLDER/editing"
while [ -e "$FOLDER/editing" ]; do sleep 0.02; done
sed -i 's/^username:.*/username: mine/' "$1"
`;

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}

const password = 'a long enough secret';
const master = { CONCLAVE_MASTER_PASSWORD: 'twelve green bottles hanging' };

describe('vault commands', () => {
  let home: Home;
  beforeAll(async () => {
    home = await openHome('socket');
    const argv = ['--username', 'alice', '--email', 'alice@home.test'];
    await home.run(Register, argv, { env: { CONCLAVE_PASSWORD: password } });
  });
  afterAll(async () => await home[Symbol.asyncDispose]());

  it('create a vault, which is open then', async () => {
    const run = await home.run(Create, ['Work', '--json'], { env: master });
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.json()).toMatchObject({ name: 'Work', open: true, role: 'owner', entryCount: 0 });
    expect((await home.run(List)).stdout).toMatch(/^Work\t0\topen\t-\t/);
    expect((await home.run(Status, ['Work'])).stdout).toContain('State\topen');
  });

  it('take no master password that is too weak', async () => {
    const run = await home.run(Create, ['Weak'], { env: { CONCLAVE_MASTER_PASSWORD: 'short' } });
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).not.toContain('short"');
  });

  it('add entries by assignments, with secrets from elsewhere', async () => {
    const argv = [
      'Work/GitHub',
      'username=alice',
      'url=https://github.com',
      'tags=code,web',
      'password[file]=-',
      'Account[text]=4711',
    ];
    const run = await home.run(Add, argv, { stdin: ' p=ss "word" \n' });
    expect(run).toMatchObject({ code: 0, stdout: 'Added Work/GitHub.\n', stderr: '' });
    const totp = await home.file('totp', 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ\n');
    const second = await home.run(Add, ['Work/Git Lab', `totp[file]=${totp}`, '--generate', '--json']);
    expect(second.json()).toMatchObject({ vault: { name: 'Work' }, entry: { title: 'Git Lab', type: 'login' } });
    expect(
      await home.run(Add, ['Work/Door', '--type', 'note', `content[file]=${await home.file('note', 'left\nright\n')}`]),
    ).toMatchObject({ code: 0 });
    expect((await home.run(List, ['Work'])).stdout.split('\n').map((line) => line.split('\t')[0])).toEqual([
      'Door',
      'Git Lab',
      'GitHub',
      '',
    ]);
    expect((await home.run(List, ['Work', '--tag', 'code', '--json'])).json().entries).toMatchObject([
      { title: 'GitHub', type: 'login' },
    ]);
  });

  it('refuse secrets as arguments, and a second entry of the same title', async () => {
    const typed = await home.run(Add, ['Work/X', 'password=hunter2']);
    expect(typed).toMatchObject({ code: 2, stdout: '' });
    expect(typed.stderr).not.toContain('hunter2');
    const again = await home.run(Add, ['Work/GitHub', 'username=bob']);
    expect(again).toMatchObject({ code: 7, stdout: '' });
    expect(await home.run(Get, ['Work/X'])).toMatchObject({ code: 6, stdout: '' });
  });

  it('print what an entry is kept for, or a field, exactly', async () => {
    expect((await home.run(Get, ['Work/GitHub'])).stdout).toBe(' p=ss "word" \n');
    expect((await home.run(Get, ['Work/github', '--field', 'user', '--no-newline'])).stdout).toBe('alice');
    expect((await home.run(Get, ['conclave://Work/GitHub/Account'])).stdout).toBe('4711\n');
    expect((await home.run(Get, ['Work/Door'])).stdout).toBe('left\nright\n');
    expect((await home.run(Get, ['Work/Git Lab', '--field', 'password'])).stdout).toMatch(/^.{20}\n$/);
    expect((await home.run(Get, ['Work/GitHub', '--json'])).json()).toMatchObject({
      title: 'GitHub',
      username: 'alice',
      password: ' p=ss "word" ',
    });
    expect((await home.run(Get, ['Work/GitHub', '--show'])).stdout).toContain('Password\t p=ss "word" ');
    const none = await home.run(Get, ['Work/GitHub', '--field', 'cvv']);
    expect(none).toMatchObject({ code: 6, stdout: '' });
    expect(none.stderr).toContain('title, username, password, url, Account');
  });

  it('hide secrets on a terminal until they are asked for', async () => {
    const shown = await home.run(Get, ['Work/GitHub'], { person: [] });
    expect(shown.stdout).toContain('••••••••');
    expect(shown.stdout).not.toContain('p=ss');
    expect((await home.run(Get, ['Work/GitHub', '--show'], { person: [] })).stdout).toContain('p=ss "word"');
    expect((await home.run(Get, ['Work/GitHub', '--field', 'password'], { person: [] })).stdout).toContain(
      'p=ss "word"',
    );
  });

  it('find entries in vaults that are open', async () => {
    expect((await home.run(Find, ['git'])).stdout.split('\n').map((line) => line.split('\t')[0])).toEqual([
      'Work/Git Lab',
      'Work/GitHub',
      '',
    ]);
    expect((await home.run(Find, ['--tag', 'web', '--json'])).json().results).toMatchObject([
      { vault: { name: 'Work' }, entry: { title: 'GitHub' } },
    ]);
  });

  it('change entries by assignments, and keep earlier passwords', async () => {
    const run = await home.run(Edit, [
      'Work/GitHub',
      'username=bob',
      'password[generate=32]',
      'Account[delete]',
      'favorite=yes',
      '--json',
    ]);
    expect(run.json()).toMatchObject({ changed: ['username', 'password', 'favorite', 'customFields'], version: 2 });
    expect((await home.run(Get, ['Work/GitHub'])).stdout).toMatch(/^.{32}\n$/);
    expect((await home.run(Get, ['Work/GitHub', '--json'])).json().customFields ?? []).toEqual([]);
    const history = await home.run(History, ['Work/GitHub']);
    expect(history.stdout).toContain('••••••••');
    expect(history.stdout).not.toContain('p=ss');
    expect((await home.run(History, ['Work/GitHub', '--json'])).json().history).toMatchObject([
      { password: ' p=ss "word" ' },
    ]);
    expect((await home.run(Edit, ['Work/GitHub', 'username=bob'])).stdout).toContain('Work/GitHub was not changed');
  });

  it('change entries in an editor', async () => {
    const editor = await home.file('editor', 's/^username: .*/username: carol/; s/^title: .*/title: Git Hub/');
    const run = await home.run(Edit, ['Work/GitHub', '--allow-disk'], {
      env: { EDITOR: `sed -i -f ${editor}`, PATH: process.env['PATH'] },
    });
    expect(run).toMatchObject({ code: 0, stdout: 'Changed title, username of Work/Git Hub.\n' });
    expect((await home.run(Get, ['Work/Git Hub', '--field', 'username'])).stdout).toBe('carol\n');
  });

  it('keep what others changed while an editor was open, unless it is the same', async () => {
    const env = { EDITOR: await home.file('slow', waitingEditor), PATH: process.env['PATH'], FOLDER: home.folder };
    await chmod(env.EDITOR, 0o755);
    const whileEdited = async (assignment: string) => {
      const editing = home.run(Edit, ['Work/Git Lab', '--allow-disk'], { env });
      await expect.poll(async () => await exists(join(home.folder, 'editing'))).toBe(true);
      expect(await home.run(Edit, ['Work/Git Lab', assignment])).toMatchObject({ code: 0 });
      await rm(join(home.folder, 'editing'));
      return await editing;
    };
    expect(await whileEdited('notes=theirs')).toMatchObject({ code: 0, stdout: 'Changed username of Work/Git Lab.\n' });
    expect((await home.run(Get, ['Work/Git Lab', '--json'])).json()).toMatchObject({
      notes: 'theirs',
      username: 'mine',
    });
    await home.run(Edit, ['Work/Git Lab', 'username=before']);
    const both = await whileEdited('username=theirs');
    expect(both).toMatchObject({ code: 7, stdout: '' });
    expect(both.stderr).toContain('username: was changed by both');
    expect((await home.run(Get, ['Work/Git Lab', '--field', 'username'])).stdout).toBe('theirs\n');
  });

  it('print one-time codes', async () => {
    expect((await home.run(Otp, ['Work/Git Lab'])).stdout).toMatch(/^\d{6}\n$/);
    expect((await home.run(Otp, ['Work/Git Lab', '--json'])).json()).toMatchObject({
      code: expect.stringMatching(/^\d{6}$/),
      period: 30,
    });
    expect((await home.run(Otp, ['Work/Git Lab', '--qr'])).stdout).toContain('█▀▀▀▀▀█');
    expect((await home.run(Get, ['Work/Git Lab', '--field', 'otp'])).stdout).toMatch(/^\d{6}\n$/);
    expect(await home.run(Otp, ['Work/Git Hub'])).toMatchObject({ code: 6, stdout: '' });
  });

  it('list candidates of ambiguous names, and go by ids', async () => {
    await home.run(Add, ['Work/Twin', 'username=one']);
    await home.run(Add, ['Work/Twin', 'username=two', '--duplicate']);
    const run = await home.run(Get, ['Work/Twin', '--field', 'username']);
    expect(run).toMatchObject({ code: 7, stdout: '' });
    expect(run.stderr).toMatch(/^ {2}[0-9a-f]{32}: Twin, one$/m);
    const { entries } = (await home.run(List, ['Work', '--json'])).json() as {
      entries: { id: string; username: string }[];
    };
    const { id } = entries.find(({ username }) => username === 'two')!;
    expect((await home.run(Get, [`Work/${id}`, '--field', 'username'])).stdout).toBe('two\n');
    expect((await home.run(Get, [`Work/${id.slice(0, 31)}`, '--field', 'username'])).stdout).toBe('two\n');
    expect(await home.run(Remove, [`Work/${id}`])).toMatchObject({ code: 2 });
    expect((await home.run(Remove, [`Work/${id}`, '--yes', '--json'])).json()).toEqual({ deleted: id, title: 'Twin' });
    expect((await home.run(Get, ['Work/Twin', '--field', 'username'])).stdout).toBe('one\n');
  });

  it('lock vaults, and open them again', async () => {
    expect((await home.run(Lock, ['--json'])).json()).toMatchObject({ locked: [{ name: 'Work' }] });
    const locked = await home.run(Get, ['Work/Git Hub', '--json']);
    expect(locked).toMatchObject({ code: 4, stdout: '' });
    expect(JSON.parse(locked.stderr)).toMatchObject({
      error: { code: 'VAULT_LOCKED', hint: expect.stringContaining('conclave vault open') },
    });
    expect((await home.run(Find, ['git'])).stderr).toContain('Not searched, because locked: Work.');
    expect(await home.run(Open, ['Work'])).toMatchObject({ code: 2 });
    expect(await home.run(Open, ['Work'], { env: { CONCLAVE_MASTER_PASSWORD: 'not the right one' } })).toMatchObject({
      code: 4,
      stdout: '',
    });
    expect((await home.run(Open, [], { env: master })).stdout).toBe('Work is open.\n');
    expect((await home.run(Status)).stdout).toContain('Work');
    await home.run(Lock, ['Work']);
    // Whatever needs it opens it on the way.
    const file = await home.file('master', `${master.CONCLAVE_MASTER_PASSWORD}\n`);
    expect((await home.run(Get, ['Work/Git Hub', '--field', 'username', '--master-password-file', file])).stdout).toBe(
      'carol\n',
    );
    await home.run(Lock);
    const person = [
      ['Master password of Work', 'wrong'],
      ['Wrong password', master.CONCLAVE_MASTER_PASSWORD],
    ] as const;
    const asked = await home.run(Get, ['Work/Git Hub', '--field', 'username'], { person });
    expect(asked.stdout).toBe('carol\n');
    expect(asked.stderr).not.toContain(master.CONCLAVE_MASTER_PASSWORD);
  });

  it('show the audit log', async () => {
    const { entries } = (await home.run(Audit, ['Work', '--json'])).json() as { entries: { action: string }[] };
    expect(entries.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['VAULT_OPENED', 'ENTRY_READ', 'ENTRY_DELETED', 'VAULT_CREATED']),
    );
    expect((await home.run(Audit, ['Work', '--limit', '1'])).stdout).toContain('\talice\tentry read');
  });

  it('rename, change the master password, and delete', async () => {
    expect((await home.run(Rename, ['work', 'Office', '--json'])).json()).toMatchObject({ name: 'Office' });
    const env = { ...master, CONCLAVE_NEW_MASTER_PASSWORD: 'thirteen blue bottles falling' };
    expect(await home.run(Password, ['Office'], { env })).toMatchObject({ code: 0 });
    expect(await home.run(Destroy, ['Office', '--yes'], { env: master })).toMatchObject({ code: 4, stdout: '' });
    expect(
      await home.run(Destroy, ['Office'], { env: { CONCLAVE_MASTER_PASSWORD: env.CONCLAVE_NEW_MASTER_PASSWORD } }),
    ).toMatchObject({ code: 2 });
    const gone = await home.run(Destroy, ['Office', '--yes'], {
      env: { CONCLAVE_MASTER_PASSWORD: env.CONCLAVE_NEW_MASTER_PASSWORD },
    });
    expect(gone).toMatchObject({ code: 0, stdout: 'Deleted Office.\n' });
    expect((await home.run(List, ['--json'])).json()).toEqual({ vaults: [] });
    expect(await home.run(Open)).toMatchObject({ code: 6 });
  });
});

describe.each(ways)('a vault by %s', (way) => {
  it('stays open between commands until it is locked', async () => {
    await using home = await openHome(way);
    await home.run(Register, ['--username', 'bob', '--email', 'bob@home.test'], {
      env: { CONCLAVE_PASSWORD: password },
    });
    expect(await home.run(Create, ['Home'], { env: master })).toMatchObject({ code: 0 });
    expect(await home.run(Add, ['Home/Router', 'username=admin', '--generate'])).toMatchObject({ code: 0 });
    expect((await home.run(Get, ['Home/Router', '--field', 'username'])).stdout).toBe('admin\n');
    expect(await home.run(Lock)).toMatchObject({ code: 0 });
    expect(await home.run(Get, ['Home/Router'])).toMatchObject({ code: 4, stdout: '' });
    expect((await home.run(Get, ['Home/Router'], { env: master })).stdout).toMatch(/^.{20}\n$/);
  });
});
