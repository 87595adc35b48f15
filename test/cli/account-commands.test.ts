import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import CreateAppPassword from '../../commands/account/app-password/create.ts';
import ListAppPasswords from '../../commands/account/app-password/list.ts';
import RemoveAppPassword from '../../commands/account/app-password/remove.ts';
import BackupCodes from '../../commands/account/backup-codes.ts';
import Password from '../../commands/account/password.ts';
import Profile from '../../commands/account/profile.ts';
import Recover from '../../commands/account/recover.ts';
import Register from '../../commands/account/register.ts';
import Sessions from '../../commands/account/sessions.ts';
import Settings from '../../commands/account/settings.ts';
import Login from '../../commands/login.ts';
import Logout from '../../commands/logout.ts';
import Whoami from '../../commands/whoami.ts';
import { openHome, ways, type Home } from './home.ts';

const password = 'a long enough secret';

describe.each(ways)('account commands by %s', (way) => {
  let home: Home;
  let mnemonic: string;
  beforeAll(async () => {
    home = await openHome(way);
  });
  afterAll(async () => await home[Symbol.asyncDispose]());

  const whoami = async () => (await home.run(Whoami, ['--json'])).json().username as string;
  const login = async (env = { CONCLAVE_PASSWORD: password }) => await home.run(Login, ['alice'], { env });

  it('registers, signs in, and shows the phrase once', async () => {
    const argv = [
      '--username',
      'alice',
      '--email',
      'alice@home.test',
      '--password-file',
      await home.file('pw', `${password}\n`),
      '--json',
    ];
    const run = await home.run(Register, argv);
    expect(run).toMatchObject({ code: 0, stderr: way === 'url' ? expect.stringMatching(/^First sign-in to/) : '' });
    ({ mnemonic } = run.json());
    expect(mnemonic.split(' ')).toHaveLength(24);
    expect(run.json()).toMatchObject({
      username: 'alice',
      energyBalance: 1000,
      memberId: expect.stringMatching(/^[0-9a-f]{24}$/),
    });
    expect(run.json()).not.toHaveProperty('token');
    expect(await whoami()).toBe('alice');
  });

  it('keeps the sign-in where only its owner can read it', async () => {
    const folder = join(home.folder, 'config', 'conclave');
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await stat(join(folder, 'sign-ins.json'))).mode & 0o777).toBe(0o600);
    const { signIns } = JSON.parse(await readFile(join(folder, 'sign-ins.json'), 'utf8')) as { signIns: object };
    expect(Object.keys(signIns)).toEqual([
      way === 'url' ? home.ready?.url.replace(/\/$/, '') : `local:${home.dataDir}`,
    ]);
  });

  it('shows and changes settings; what is not given stays', async () => {
    expect((await home.run(Settings, ['--json'])).json()).toMatchObject({ timezone: 'UTC', darkMode: false });
    const changed = await home.run(Settings, ['--timezone', 'Europe/Berlin', '--dark-mode', '--json']);
    expect(changed.json()).toMatchObject({ timezone: 'Europe/Berlin', darkMode: true, currency: 'USD' });
    expect((await home.run(Settings, ['--no-dark-mode', '--json'])).json()).toMatchObject({
      timezone: 'Europe/Berlin',
      darkMode: false,
    });
  });

  it('names the refused field', async () => {
    const run = await home.run(Settings, ['--timezone', 'Mars/Olympus']);
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toMatch(/timezone: .*time zone/);
  });

  it('shows and changes the profile', async () => {
    const argv = [
      '--min-redundancy',
      '5',
      '--preferred-regions',
      'eu',
      '--preferred-regions',
      'us',
      '--no-auto-replication',
      '--json',
    ];
    expect((await home.run(Profile, argv)).json()).toMatchObject({
      energyBalance: 1000,
      profile: { settings: { minRedundancy: 5, preferredRegions: ['eu', 'us'], autoReplication: false } },
    });
    const { stdout } = await home.run(Profile);
    expect(stdout).toContain('Min. redundancy\t5');
    expect(stdout).toMatch(/^Storage\t0 bytes of 10 GiB \(attachments in your vaults\)$/m);
  });

  it('lists sessions and ends one by the beginning of its id', async () => {
    const printed = await home.run(Login, ['alice', '--print-token'], { env: { CONCLAVE_PASSWORD: password } });
    const other = printed.stdout.trim();
    expect(other.split('.')).toHaveLength(3);
    const { sessions } = (await home.run(Sessions, ['--json'])).json() as {
      sessions: { id: string; current: boolean }[];
    };
    expect(sessions).toHaveLength(2);
    const [mine, theirs] = [sessions.find(({ current }) => current)!, sessions.find(({ current }) => !current)!];
    const common = Array.from(mine.id).findIndex((digit, at) => digit !== theirs.id[at]);
    const ambiguous = await home.run(Sessions, ['--end', mine.id.slice(0, common)]);
    expect(ambiguous).toMatchObject({ code: 7, stdout: '' });
    expect(ambiguous.stderr).toContain(theirs.id);
    expect(await home.run(Sessions, ['--end', theirs.id.slice(0, common + 1)])).toMatchObject({ code: 0 });
    expect(await home.run(Whoami, [], { env: { CONCLAVE_TOKEN: other } })).toMatchObject({ code: 4 });
    expect(await whoami()).toBe('alice');
    expect(await home.run(Sessions, ['--end', 'ffff'])).toMatchObject({ code: 6 });
  });

  it('makes an app password, whose secret alone goes to standard output, lists it, and removes it by its name', async () => {
    const made = await home.run(CreateAppPassword, [
      'Telephone',
      '--scope',
      'mail',
      '--scope',
      'files',
      '--expires',
      '90d',
    ]);
    expect(made).toMatchObject({ code: 0, stderr: expect.stringMatching(/not shown again\.\n$/) });
    expect(made.stdout).toMatch(/^[0-9A-Z]{4}(-[0-9A-Z]{4}){8}\n$/);
    const again = (await home.run(CreateAppPassword, ['--scope', 'mail', 'Telephone', '--json'])).json();
    expect(again).toMatchObject({ password: expect.any(String), appPassword: { scopes: ['mail'], expiresAt: null } });
    const { stdout } = await home.run(ListAppPasswords);
    expect(stdout).toMatch(new RegExp(`\\tTelephone\\tmail, files\\t${made.stdout.slice(0, 9)}\\tnever\\t`));
    expect(stdout).not.toContain(made.stdout.slice(10, 20));
    const ambiguous = await home.run(RemoveAppPassword, ['Telephone']);
    expect(ambiguous).toMatchObject({ code: 7, stderr: expect.stringContaining(again.appPassword.id) });
    const { id } = again.appPassword;
    expect(await home.run(RemoveAppPassword, [id])).toMatchObject({
      code: 0,
      stdout: 'Removed app password Telephone.\n',
    });
    expect((await home.run(RemoveAppPassword, ['Telephone', '--json'])).json()).toEqual({
      removed: expect.any(String),
    });
    expect((await home.run(ListAppPasswords, ['--json'])).json()).toEqual({ appPasswords: [] });
    expect(await home.run(RemoveAppPassword, ['Telephone'])).toMatchObject({ code: 6 });
    expect(await home.run(CreateAppPassword, ['Telephone'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--scope'),
    });
    expect(await home.run(CreateAppPassword, ['Telephone', '--scope', 'account'])).toMatchObject({ code: 2 });
    expect(await home.run(CreateAppPassword, ['x', '--scope', 'mail', '--expires', '2001-01-01'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--expires must be in the future'),
    });
  });

  it('changes the password and keeps this session', { tags: 'thorough' }, async () => {
    const env = { CONCLAVE_CURRENT_PASSWORD: 'not the one', CONCLAVE_NEW_PASSWORD: `${password} 2` };
    expect(await home.run(Password, [], { env })).toMatchObject({ code: 4 });
    expect(await whoami()).toBe('alice');
    expect(await home.run(Password, [], { env: { ...env, CONCLAVE_CURRENT_PASSWORD: password } })).toMatchObject({
      code: 0,
    });
    expect(await whoami()).toBe('alice');
    expect(await login()).toMatchObject({ code: 4 });
    expect(await login({ CONCLAVE_PASSWORD: `${password} 2` })).toMatchObject({ code: 0 });
  });

  it('makes backup codes, counts them, and sets a password with one', async () => {
    const { backupCodes } = (await home.run(BackupCodes, ['--new', '--json'])).json() as { backupCodes: string[] };
    expect(backupCodes).toHaveLength(10);
    const env = { CONCLAVE_BACKUP_CODE: backupCodes[3]!.toLowerCase(), CONCLAVE_NEW_PASSWORD: password };
    expect((await home.run(BackupCodes, ['--use', '--json'], { env })).json()).toEqual({ codeCount: 9 });
    expect((await home.run(BackupCodes)).stdout).toBe('9 unused backup codes.\n');
    expect(await login()).toMatchObject({ code: 0 });
  });

  it('signs in by key, from a file and from standard input', async () => {
    const off = await home.run(Login, ['alice', '--key'], { env: { CONCLAVE_KEY: mnemonic } });
    expect(off).toMatchObject({ code: 4, stderr: expect.stringContaining('account settings --direct-challenge') });
    expect((await home.run(Settings, ['--direct-challenge'])).code).toBe(0);
    const byFile = await home.run(Login, ['alice@home.test', '--key-file', await home.file('phrase', mnemonic)]);
    expect(byFile).toMatchObject({ code: 0, stderr: '' });
    expect(await whoami()).toBe('alice');
    expect(await home.run(Login, ['alice', '--key-file', '-'], { stdin: `${mnemonic}\n` })).toMatchObject({ code: 0 });
    const wrong = await home.run(Login, ['root', '--key'], { env: { CONCLAVE_KEY: mnemonic } });
    expect(wrong).toMatchObject({ code: 4 });
    expect(await home.run(Login, ['alice', '--key'], { env: { CONCLAVE_KEY: 'abandon abandon' } })).toMatchObject({
      code: 2,
    });
  });

  it('recovers with the phrase and is signed in', async () => {
    const env = { CONCLAVE_MNEMONIC: mnemonic, CONCLAVE_NEW_PASSWORD: `${password} 3` };
    expect(await home.run(Recover, ['--email', 'alice@home.test'], { env })).toMatchObject({ code: 0 });
    expect(await whoami()).toBe('alice');
    expect(await login({ CONCLAVE_PASSWORD: `${password} 3` })).toMatchObject({ code: 0 });
  });

  it('signs out, and then nobody is signed in', async () => {
    expect(await home.run(Logout)).toMatchObject({ code: 0 });
    const after = await home.run(Whoami, ['--json']);
    expect(after).toMatchObject({ code: 4, stdout: '' });
    expect(JSON.parse(after.stderr)).toMatchObject({
      error: { code: 'NOT_SIGNED_IN', hint: expect.stringContaining('conclave login') },
    });
  });

  it.each([
    ['nonsense', 'TOKEN_INVALID', 'It takes what this prints: conclave login --print-token'],
    [
      `e30.${Buffer.from('{"memberId":"a","username":"a","iat":1,"exp":2}').toString('base64url')}.x`,
      'UNAUTHORIZED',
      'CONCLAVE_TOKEN was used. Get another token with: conclave login --print-token',
    ],
  ])('says what CONCLAVE_TOKEN takes when it has %s', async (token, code, hint) => {
    const seen = await home.run(Whoami, ['--json'], { env: { CONCLAVE_TOKEN: token } });
    expect(seen).toMatchObject({ code: 4, stdout: '' });
    expect(JSON.parse(seen.stderr)).toMatchObject({ error: { code, hint } });
    expect(seen.stderr).not.toContain(token);
  });
});
