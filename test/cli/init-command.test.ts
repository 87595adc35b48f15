import { access, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import Init from '../../commands/init.ts';
import Login from '../../commands/login.ts';
import Status from '../../commands/status.ts';
import Whoami from '../../commands/whoami.ts';
import { openHome, rootPassword } from './home.ts';

describe('conclave init', () => {
  it('names every way to give what is missing, all at once, and makes nothing', async () => {
    await using home = await openHome('process', { initialised: false });
    const run = await home.run(Init);
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toContain('username: is missing. Give it with --username');
    expect(run.stderr).toContain(
      '--password-file, CONCLAVE_ADMIN_PASSWORD, CONCLAVE_ADMIN_PASSWORD_FILE, --generate-password',
    );
    await expect(access(join(home.dataDir, 'store.db'))).rejects.toThrow('ENOENT');
  });

  it(
    'leaves a generated password where only the owner of the data directory reads it',
    { tags: 'thorough' },
    async () => {
      await using home = await openHome('process', { initialised: false });
      const run = await home.run(Init, ['--generate-password', '--json']);
      expect(run.code).toBe(0);
      const path = join(home.dataDir, 'first-administrator.txt');
      expect(run.json()).toMatchObject({
        username: 'admin',
        email: 'admin@localhost',
        credentialsFile: path,
        dataDir: home.dataDir,
      });
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      const text = await readFile(path, 'utf8');
      const password = /^password: (.+)$/m.exec(text)![1]!;
      const phrase = /^recovery phrase: (.+)$/m.exec(text)![1]!;
      expect(phrase.split(' ')).toHaveLength(24);
      expect(run.stdout + run.stderr).not.toContain(password);
      expect(run.stdout + run.stderr).not.toContain(phrase);
      expect(run.stderr).toContain(path);
      expect(await home.run(Login, ['admin'], { env: { CONCLAVE_PASSWORD: password } })).toMatchObject({ code: 0 });
    },
  );

  describe('with the variables of the first administrator', () => {
    const env = { CONCLAVE_ADMIN_USERNAME: 'ada', CONCLAVE_ADMIN_EMAIL: 'ada@home.test' };
    const password = { CONCLAVE_ADMIN_PASSWORD: rootPassword };

    it('takes name, address and password from them, as documented', async () => {
      await using home = await openHome('process', { initialised: false });
      const run = await home.run(Init, ['--json'], { env: { ...env, ...password } });
      expect(run).toMatchObject({ code: 0 });
      expect(run.json()).toMatchObject({ username: 'ada', email: 'ada@home.test' });
      expect(await home.run(Login, ['ada'], { env: { CONCLAVE_PASSWORD: rootPassword } })).toMatchObject({ code: 0 });
    });

    it('takes them together with a generated password', { tags: 'thorough' }, async () => {
      await using home = await openHome('process', { initialised: false });
      const run = await home.run(Init, ['--generate-password', '--json'], { env: { CONCLAVE_ADMIN_USERNAME: 'ada' } });
      expect(run.json()).toMatchObject({ username: 'ada', email: 'admin@localhost' });
      expect(await readFile(join(home.dataDir, 'first-administrator.txt'), 'utf8')).toContain('username: ada\n');
    });

    it('prefers flags, and takes an empty variable for none', async () => {
      await using home = await openHome('process', { initialised: false });
      const empty = await home.run(Init, ['--username', 'root'], {
        env: { ...env, ...password, CONCLAVE_ADMIN_EMAIL: '' },
      });
      expect(empty).toMatchObject({ code: 2, stdout: '' });
      expect(empty.stderr).toContain('email: is missing. Give it with --email, CONCLAVE_ADMIN_EMAIL');
      const run = await home.run(Init, ['--username', 'root', '--json'], { env: { ...env, ...password } });
      expect(run.json()).toMatchObject({ username: 'root', email: 'ada@home.test' });
    });

    it('asks on a terminal for nothing that they give', async () => {
      await using home = await openHome('process', { initialised: false });
      const run = await home.run(Init, [], {
        env,
        person: [
          ['Password', rootPassword],
          ['again', rootPassword],
        ],
      });
      expect(run.code).toBe(0);
      expect(run.stdout).toContain('ada is the administrator');
    });
  });

  it('refuses a store that has an administrator, or leaves it alone when asked to', async () => {
    await using home = await openHome('process');
    const again = await home.run(Init, ['--generate-password', '--json']);
    expect(again).toMatchObject({ code: 7, stdout: '' });
    expect(JSON.parse(again.stderr)).toMatchObject({ error: { code: 'ALREADY_INITIALISED' } });
    expect(await home.run(Init, ['--generate-password', '--if-missing'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '',
    });
    await expect(access(join(home.dataDir, 'first-administrator.txt'))).rejects.toThrow('ENOENT');
  });

  it('makes no new secret for a store that has lost its own, and says how to get it back', async () => {
    await using home = await openHome('process');
    const secret = join(home.dataDir, 'node.secret');
    await rm(secret);
    for (const argv of [['--generate-password'], ['--generate-password', '--if-missing']]) {
      const run = await home.run(Init, argv);
      expect(run).toMatchObject({ code: 6, stdout: '' });
      expect(run.stderr).toContain('CONCLAVE_NODE_SECRET_FILE');
      expect(run.stderr).not.toContain('conclave init');
    }
    await expect(access(secret)).rejects.toThrow('ENOENT');
  });

  it('keeps no file and no account when the password is refused', async () => {
    await using home = await openHome('process', { initialised: false });
    const argv = [
      '--username',
      'root',
      '--email',
      'root@home.test',
      '--password-file',
      await home.file('pw', 'password1'),
    ];
    expect(await home.run(Init, argv)).toMatchObject({ code: 2, stdout: '' });
    expect((await home.run(Status, ['--json'])).json()).toMatchObject({ members: 0, running: false });
  });

  it('asks on a terminal, hides the password, and shows the phrase once', async () => {
    await using home = await openHome('process', { initialised: false });
    const run = await home.run(Init, [], {
      person: [
        ['Username', 'r'],
        ['3 to 30', 'oot'],
        ['E-mail', 'root@home.test'],
        // What was refused is gone: the next one is not typed behind it.
        ['Password', 'short'],
        ['at least 8', rootPassword],
        ['again', 'something else'],
        ['do not match', rootPassword],
        ['again', rootPassword],
      ],
    });
    expect(run.code).toBe(0);
    expect(run.stderr).not.toContain(rootPassword);
    expect(run.stdout).toContain('root is the administrator');
    expect(run.stdout.match(/^ {2}(?:[a-z]+ ?){6}$/gm)).toHaveLength(4);
    expect(await home.run(Login, ['root'], { env: { CONCLAVE_PASSWORD: rootPassword } })).toMatchObject({ code: 0 });
  });

  it('ends without a word at Ctrl-C, and makes nothing', async () => {
    await using home = await openHome('process', { initialised: false });
    const run = await home.run(Init, [], {
      person: [
        ['Username', 'root'],
        ['E-mail', undefined],
      ],
    });
    expect(run).toMatchObject({ code: 130, stdout: '' });
    expect(run.stderr).not.toContain('Error');
    await expect(access(join(home.dataDir, 'store.db'))).rejects.toThrow('ENOENT');
  });

  it('takes a store that is not there for what it is in every other command', async () => {
    await using home = await openHome('process', { initialised: false });
    for (const command of [Whoami, Status]) {
      const run = await home.run(command);
      expect(run).toMatchObject({ code: 6, stdout: '' });
      expect(run.stderr.match(/conclave init/g)).toHaveLength(1);
    }
    await expect(access(home.dataDir)).rejects.toThrow('ENOENT');
  });
});
