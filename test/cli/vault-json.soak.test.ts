import { chmod } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import Register from '../../commands/account/register.ts';
import { allCommands, type AnyCommand } from './all-commands.ts';
import { openHome } from './home.ts';

const master = 'twelve green bottles hanging';
const nextMaster = 'thirteen blue bottles falling';

it('every command of vaults answers with --json in one value, and with nothing else', async () => {
  await using home = await openHome('socket', { serveEnv: { CONCLAVE_VAULTS_EMERGENCY_WAIT: '7d' } });
  const commands = await allCommands();
  const wanted = [...commands.keys()].filter((words) => words.startsWith('vault '));
  const asked = new Set<string>();
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
  type Answer = any;
  const as = (name: string, more: NodeJS.ProcessEnv = {}) => ({ XDG_CONFIG_HOME: join(home.folder, name), ...more });
  const ask = async (words: string, argv: readonly string[], stdin = '', env = as('alice')): Promise<Answer> => {
    asked.add(`vault ${words}`);
    const command = commands.get(`vault ${words}`) as AnyCommand;
    const given = { CONCLAVE_MASTER_PASSWORD: master, ...env };
    const run = await home.run(command, [...argv, '--json'], { env: given, stdin });
    expect(run.code, `${words}: ${run.stderr}`).toBe(0);
    return JSON.parse(run.stdout);
  };
  for (const name of ['alice', 'bob']) {
    const argv = ['--username', name, '--email', `${name}@home.test`];
    const env = as(name, { CONCLAVE_PASSWORD: `the long password of ${name}` });
    expect(await home.run(Register, argv, { env })).toMatchObject({ code: 0 });
  }
  const xclip = await home.file('xclip', '#!/bin/sh\n/bin/cat > /dev/null\n');
  await chmod(xclip, 0o755);
  const desktop = as('alice', { DISPLAY: ':0', PATH: dirname(xclip) });

  const { id } = await ask('create', ['Work']);
  expect(id).toMatch(/^[0-9a-f]{32}$/);
  expect(await ask('open', ['Work'])).toEqual({ id, name: 'Work', open: true });
  const added = await ask('add', ['Work/db', 'username=app', 'password[file]=-', 'url=https://db.example'], 'first');
  expect(added).toMatchObject({ entry: { title: 'db' } });
  const totp = ['Work/db', 'totp-secret[file]=-', 'password[generate=30]'];
  expect(await ask('edit', totp, 'GEZDGNBVGY3TQOJQ')).toMatchObject({ changed: expect.arrayContaining(['password']) });
  expect(await ask('get', ['Work/db'])).toMatchObject({ title: 'db', username: 'app', siteUrl: 'https://db.example' });
  expect(await ask('get', ['Work/db', '--field', 'username'])).toMatchObject({ name: 'username', value: 'app' });
  expect((await ask('history', ['Work/db'])).history).toMatchObject([{ password: 'first' }]);
  expect(await ask('list', [])).toMatchObject({ vaults: [{ name: 'Work' }] });
  expect(await ask('list', ['Work'])).toMatchObject({ entries: [{ title: 'db' }] });
  expect(await ask('status', [])).toMatchObject({ open: 1 });
  expect(await ask('find', ['db'])).toMatchObject({ results: [{ entry: { title: 'db' }, vault: { name: 'Work' } }] });
  expect(await ask('otp', ['Work/db'])).toMatchObject({ code: expect.stringMatching(/^\d{6}$/) });
  expect(await ask('generate', [])).toMatchObject({ strength: 'very_strong' });
  expect(await ask('copy', ['Work/db', '--clear-after', '0'], '', desktop)).toMatchObject({ copied: 'password' });
  expect(await ask('clear-clipboard', [], '{"tool":"none"}')).toEqual({ cleared: false });
  expect(await ask('complete', ['Wor'])).toEqual({ names: ['Work/'] });
  expect(await ask('inject', [], 'user: conclave://Work/db/username')).toEqual({ references: 1, content: 'user: app' });
  expect(await ask('health', ['Work', '--no-breaches'])).toMatchObject({ reports: [{ breachCheck: 'skipped' }] });
  const attached = await ask('attach', ['Work/db', await home.file('key.pem', 'content')]);
  expect(attached).toMatchObject({ attachments: [{ filename: 'key.pem', sizeBytes: 7 }] });
  const { content, entries } = await ask('export', ['Work', '--plaintext']);
  expect(entries).toBe(1);
  const again = ['Work', await home.file('work.json', content), '--dry-run', '--skip-duplicates'];
  expect(await ask('import', again)).toMatchObject({ imported: 0, skipped: 1, notices: [] });
  expect(await ask('git-credential', ['get', '--vault', 'Work'], 'protocol=https\nhost=db.example\n\n')).toMatchObject({
    username: 'app',
  });
  expect(await ask('share', ['Work', 'bob'])).toMatchObject({ id, name: 'Work' });
  expect(await ask('unshare', ['Work', 'bob'])).toMatchObject({ id, name: 'Work' });
  expect(await ask('emergency setup', ['Work', '--threshold', '1', 'bob'])).toMatchObject({ threshold: 1 });
  const share = await ask('emergency share', [], '', as('bob'));
  expect(share).toMatchObject({ vaultId: id });
  const first = await home.file('first.json', JSON.stringify(share));
  const waiting = await ask('emergency recover', [id, first], '', as('bob'));
  expect(waiting).toMatchObject({ recovered: false, availableAt: expect.any(String) });
  expect(await ask('emergency show', ['Work'])).toMatchObject({ threshold: 1, requests: [{ username: 'bob' }] });
  expect(await ask('emergency deny', ['Work'])).toMatchObject({ vaultId: id, denied: [expect.any(String)] });
  const newer = await ask('emergency share', [], '', as('bob'));
  const shared = await home.file('share.json', JSON.stringify(newer));
  expect(await ask('emergency recover', [id, shared])).toMatchObject({ recovered: true });
  expect((await ask('audit', ['Work'])).entries[0]).toMatchObject({ action: 'EMERGENCY_RECOVERED' });
  expect(await ask('rename', ['Work', 'Old'])).toMatchObject({ name: 'Old' });
  const change = as('alice', { CONCLAVE_NEW_MASTER_PASSWORD: nextMaster });
  expect(await ask('password', ['Old'], '', change)).toEqual({ changed: true, id });
  expect(await ask('lock', [])).toEqual({ locked: [{ id, name: 'Old' }] });
  const next = as('alice', { CONCLAVE_MASTER_PASSWORD: nextMaster });
  expect(await ask('remove', ['Old/db', '--yes'], '', next)).toHaveProperty('deleted');
  expect(await ask('destroy', ['Old', '--yes'], '', next)).toEqual({ deleted: id, name: 'Old' });
  // `run` leaves standard output to its program; the breach check asks a service, see vault-tools.thorough.test.ts.
  expect(wanted.filter((words) => !asked.has(words))).toEqual(['vault breach', 'vault run']);
});
