import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import AccountPassword from '../../commands/account/password.ts';
import Register from '../../commands/account/register.ts';
import Login from '../../commands/login.ts';
import Add from '../../commands/vault/add.ts';
import Attach from '../../commands/vault/attach.ts';
import Audit from '../../commands/vault/audit.ts';
import Complete from '../../commands/vault/complete.ts';
import Copy from '../../commands/vault/copy.ts';
import Create from '../../commands/vault/create.ts';
import Destroy from '../../commands/vault/destroy.ts';
import Setup from '../../commands/vault/emergency/setup.ts';
import Edit from '../../commands/vault/edit.ts';
import Export from '../../commands/vault/export.ts';
import Get from '../../commands/vault/get.ts';
import Health from '../../commands/vault/health.ts';
import Import from '../../commands/vault/import.ts';
import List from '../../commands/vault/list.ts';
import Lock from '../../commands/vault/lock.ts';
import Open from '../../commands/vault/open.ts';
import Remove from '../../commands/vault/remove.ts';
import Rename from '../../commands/vault/rename.ts';
import Share from '../../commands/vault/share.ts';
import Vault from '../../commands/vault.ts';
import { openRecordingProxy, type RecordingProxy } from '../support/recording-proxy.ts';
import { openHome, type Home } from './home.ts';
import { keys } from './run-command.ts';

const passwordOf = (name: string) => `the long secret of ${name}`;
const master = { CONCLAVE_MASTER_PASSWORD: 'twelve green bottles hanging' };

function requestsIn(proxy: RecordingProxy): string[] {
  const text = proxy.received().map((bytes) => bytes.toString('latin1'));
  return text.flatMap((stream) => [...stream.matchAll(/^([A-Z]+ \/\S*) HTTP\/1\.1\r$/gm)].map(([, line = '']) => line));
}

describe('names on the command line', () => {
  let home: Home;
  const tokens: Record<string, string> = {};
  const as = (name: string, env: NodeJS.ProcessEnv = {}) => ({ env: { CONCLAVE_TOKEN: tokens[name], ...env } });
  beforeAll(async () => {
    home = await openHome('socket');
    for (const name of ['alice', 'bob']) {
      const env = { CONCLAVE_PASSWORD: passwordOf(name) };
      await home.run(Register, ['--username', name, '--email', `${name}@home.test`], { env });
      tokens[name] = (await home.run(Login, [name, '--print-token'], { env })).stdout.trim();
    }
    for (const vault of ['Home', 'Work']) await home.run(Create, [vault], as('alice', master));
    await home.run(Create, ['Home'], as('bob', master));
    const add = async (entry: string, ...fields: string[]) =>
      await home.run(Add, [entry, ...fields, 'password[file]=-'], { ...as('alice'), stdin: `secret of ${entry}` });
    await add('Home/GitHub', 'url=https://github.com/login');
    await add('Work/GitHub');
    await add('Work/Bank', 'url=https://www.bank.example');
    await add('Work/caf\u00e9');
    await home.run(Share, ['Home', 'bob'], as('alice'));
    await home.run(Open, ['alice:Home'], as('bob', { CONCLAVE_MASTER_PASSWORD: passwordOf('bob') }));
  });
  afterAll(async () => await home[Symbol.asyncDispose]());

  it('find an entry of an open vault by title, host or id', async () => {
    const get = async (name: string) => (await home.run(Get, [name], as('alice'))).stdout;
    expect(await get('Bank')).toBe('secret of Work/Bank\n');
    expect(await get('bank')).toBe('secret of Work/Bank\n');
    expect(await get('bank.example')).toBe('secret of Work/Bank\n');
    expect(await get('github.com')).toBe('secret of Home/GitHub\n');
    expect(await get('cafe\u0301')).toBe('secret of Work/caf\u00e9\n');
    const { id } = (await home.run(Get, ['Work/Bank', '--json'], as('alice'))).json();
    expect(await get(id)).toBe('secret of Work/Bank\n');
  });

  it('are of no entry where they are longer than a title can be', async () => {
    for (const name of [`Work/${'x'.repeat(1_001)}`, 'x'.repeat(1_001)]) {
      const run = await home.run(Get, [name], as('alice'));
      expect(run).toMatchObject({ code: 6, stderr: expect.stringMatching(/has (?:no|an) entry/) });
    }
  });

  it('take one request where they mean one entry of an open vault', async () => {
    await using served = await openHome('url');
    await using proxy = await openRecordingProxy(served.ready?.url ?? '');
    const env = { CONCLAVE_PASSWORD: passwordOf('carol') };
    await served.run(Register, ['--username', 'carol', '--email', 'carol@home.test'], { env });
    const token = (await served.run(Login, ['carol', '--print-token'], { env })).stdout.trim();
    const carol = { env: { CONCLAVE_TOKEN: token } };
    // A vault is open with a key that belongs to the address of the server.
    const through = ['--server', proxy.url];
    await served.run(Create, ['Mine', ...through], { env: { ...carol.env, ...master } });
    await served.run(Add, ['Mine/Mail', 'password[file]=-', ...through], { ...carol, stdin: 'of mine' });
    for (const name of ['Mine/Mail', 'mine/mail', 'Mail', 'conclave://Mine/Mail/password']) {
      const before = requestsIn(proxy).length;
      const run = await served.run(Get, [name, ...through], carol);
      expect(run).toMatchObject({ stderr: '', stdout: 'of mine\n' });
      // The name of an entry is in no URL, which logs keep.
      expect(requestsIn(proxy).slice(before)).toEqual(['POST /api/passvault/entries/by-name']);
    }
  });

  it('are completed with the owner of a vault that is somebody else’s', async () => {
    const complete = async (word: string, name = 'bob') =>
      (await home.run(Complete, [word], as(name))).stdout.split('\n').filter((line) => line !== '');
    expect(await complete('')).toEqual(['Home/', 'alice:Home/']);
    expect(await complete('alice:')).toEqual(['alice:Home/']);
    expect(await complete('alice:Home/')).toEqual(['alice:Home/GitHub']);
    expect(await complete('Home/')).toEqual([]);
    expect(await complete('', 'alice')).toEqual(['Home/', 'Work/']);
    expect(await complete('Home/', 'alice')).toEqual(['Home/GitHub']);
  });

  it('are shown with it to whoever looks around', async () => {
    const looking = [
      ['alice:Home', [keys.down, keys.enter]],
      ['lock and quit', undefined],
    ] as const;
    const run = await home.run(Vault, [], { ...as('bob'), person: looking });
    expect(run.stderr).toContain('alice:Home  1 entry, open');
    expect(run.stderr).toMatch(/ Home {2}0 entries/);
    expect(run.stderr).toContain('GitHub');
  });

  it('list candidates where several match, and ask whoever sits at a terminal', async () => {
    const several = await home.run(Get, ['GitHub'], as('alice'));
    expect(several).toMatchObject({ code: 7, stdout: '' });
    expect(several.stderr).toContain('Home/GitHub');
    expect(several.stderr).toContain('Work/GitHub');
    const person = [['Which "GitHub"?', [keys.down, keys.enter]]] as const;
    const asked = await home.run(Get, ['GitHub', '--field', 'password'], { ...as('alice'), person });
    expect(asked).toMatchObject({ code: 0 });
    expect(asked.stdout).toContain('secret of Work/GitHub');
  });

  it('say what else there is, and what is locked', async () => {
    const none = await home.run(Get, ['Git'], as('alice'));
    expect(none).toMatchObject({ code: 6, stdout: '' });
    expect(none.stderr).toContain('No open vault has an entry "Git". Similar ones:');
    await home.run(Lock, ['Work'], as('alice'));
    const locked = await home.run(Get, ['Bank'], as('alice'));
    expect(locked).toMatchObject({ code: 6, stdout: '' });
    expect(locked.stderr).toContain('Work is locked');
    expect((await home.run(Get, ['GitHub'], as('alice'))).stdout).toBe('secret of Home/GitHub\n');
    await home.run(Lock, [], as('alice'));
    const all = await home.run(Get, ['Bank'], as('alice'));
    expect(all).toMatchObject({ code: 4, stdout: '' });
    expect(all.stderr).toContain('no vault is open');
    for (const vault of ['Home', 'Work']) await home.run(Open, [vault], as('alice', master));
  });

  it('say --field where a field was named behind a slash', async () => {
    for (const [name, rest] of [
      ['Home/GitHub/password', 'Home/GitHub'],
      ['Bank/password', 'Bank'],
    ]) {
      const run = await home.run(Get, [name!], as('alice'));
      expect(run).toMatchObject({ code: 6, stdout: '' });
      expect(run.stderr).toContain(`but there is "${rest}". Name its field with: --field password`);
    }
    const copied = await home.run(Copy, ['Home/GitHub/no such'], as('alice'));
    expect(copied.stderr).toContain('--field "no such"');
    expect((await home.run(Get, ['Home/nobody/password'], as('alice'))).stderr).not.toContain('--field');
  });

  it('show whose a vault is, and own ones first', async () => {
    const list = (await home.run(List, [], as('bob'))).stdout;
    expect(list).toContain('alice:Home\t1\topen\twith you');
    expect(list).toMatch(/^Home\t0\t/m);
    expect((await home.run(Get, ['alice:Home/GitHub'], as('bob'))).stdout).toBe('secret of Home/GitHub\n');
    expect(await home.run(Get, ['Home/GitHub'], as('bob', master))).toMatchObject({ code: 6, stdout: '' });
    expect((await home.run(Get, ['GitHub'], as('bob'))).stdout).toBe('secret of Home/GitHub\n');
    for (const [command, argv] of [
      [Share, ['alice:Home', 'bob']],
      [Audit, ['alice:Home']],
      [Rename, ['alice:Home', 'Mine']],
      [Destroy, ['alice:Home', '--yes']],
      [Setup, ['alice:Home', '--threshold', '1', 'bob']],
    ] as const) {
      const run = await home.run(command, argv, as('bob', master));
      expect(run).toMatchObject({ code: 5, stdout: '' });
      expect(run.stderr).toContain('"Home" belongs to alice, who shares it with you. Only alice can do this.');
    }
  });

  it('say whose a vault is in every message about it', async () => {
    const bobs = (command: Parameters<Home['run']>[0], argv: string[], options: Record<string, unknown> = {}) =>
      home.run(command, argv, { ...as('bob'), ...options });
    const added = await bobs(Add, ['alice:Home/Guest', 'password[generate]']);
    expect(added).toMatchObject({ code: 0, stdout: 'Added alice:Home/Guest.\n' });
    const again = await bobs(Add, ['alice:Home/Guest', 'password[generate]']);
    expect(again).toMatchObject({ code: 7, stdout: '' });
    expect(again.stderr).toContain('"alice:Home" already has "Guest"');
    const edited = await bobs(Edit, ['alice:Home/Guest', 'username=g', 'url=https://guest.example']);
    expect(edited.stdout).toBe('Changed username, url of alice:Home/Guest.\n');
    const seen = await bobs(Get, ['alice:Home/Guest'], { person: [] });
    expect(seen.stdout).toMatch(/Vault +alice:Home\n/);
    const field = await bobs(Get, ['alice:Home/Guest/username']);
    expect(field.stderr).toContain('but there is "alice:Home/Guest". Name its field with: --field username');
    const out = join(home.folder, 'guest.csv');
    const exported = await bobs(Export, ['alice:Home', '--format', 'csv', '--plaintext', '--out', out]);
    expect(exported.stderr).toContain('entries of alice:Home to');
    const imported = await bobs(Import, ['alice:Home', out, '--dry-run']);
    expect(imported.stdout).toContain('would be imported into alice:Home');
    expect(
      (await bobs(Open, ['alice:Home'], { env: { ...as('bob').env, CONCLAVE_MASTER_PASSWORD: passwordOf('bob') } }))
        .stdout,
    ).toBe('alice:Home is open.\n');
    expect((await bobs(Health, ['alice:Home', '--no-breaches'])).stderr).toContain(
      'alice:Home: breaches were not checked',
    );
    const removed = await bobs(Remove, ['alice:Home/Guest', '--yes']);
    expect(removed.stdout).toBe('Deleted alice:Home/Guest.\n');
  });

  it('are given once', async () => {
    expect(await home.run(Create, ['work'], as('alice', master))).toMatchObject({ code: 7, stdout: '' });
    expect(await home.run(Rename, ['Work', 'HOME'], as('alice'))).toMatchObject({ code: 7, stdout: '' });
    expect(await home.run(Create, ['a/b'], as('alice', master))).toMatchObject({ code: 2, stdout: '' });
    const file = await home.file('key.pem', 'x');
    expect(await home.run(Attach, ['Work/Bank', file], as('alice'))).toMatchObject({ code: 0 });
    expect(await home.run(Attach, ['Work/Bank', file], as('alice'))).toMatchObject({ code: 7, stdout: '' });
  });

  it('stand in the audit log in place of ids', async () => {
    const log = (await home.run(Audit, ['Work'], as('alice'))).stdout;
    expect(log).toContain('entry read\tentry="Bank"');
    await home.run(Lock, ['Work'], as('alice'));
    const locked = await home.run(Audit, ['Work'], as('alice'));
    expect(locked.stdout).not.toContain('"Bank"');
    expect(locked.stderr).toContain('The vault is locked, so entries are shown by id.');
    await home.run(Open, ['Work'], as('alice', master));
  });

  it('are asked for only when somebody is signed in', async () => {
    const person = [] as const;
    // Well-formed, and of nobody.
    const env = { CONCLAVE_TOKEN: `${tokens['alice']?.slice(0, -8)}AAAAAAAA` };
    expect(await home.run(Create, ['New'], { env, person })).toMatchObject({ code: 4, stdout: '' });
    expect(await home.run(AccountPassword, [], { env, person })).toMatchObject({ code: 4, stdout: '' });
  });

  it('of breached passwords: that nobody looked for them is said in a pipe too', async () => {
    const run = await home.run(Health, ['Work', '--no-breaches'], as('alice', master));
    expect(run).toMatchObject({ code: 0, stderr: 'Work: breaches were not checked: skipped.\n' });
  });
});
