import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Register from '../../commands/account/register.ts';
import Add from '../../commands/vault/add.ts';
import Attach from '../../commands/vault/attach.ts';
import Breach from '../../commands/vault/breach.ts';
import Complete from '../../commands/vault/complete.ts';
import Create from '../../commands/vault/create.ts';
import Edit from '../../commands/vault/edit.ts';
import Export from '../../commands/vault/export.ts';
import Find from '../../commands/vault/find.ts';
import Generate from '../../commands/vault/generate.ts';
import Get from '../../commands/vault/get.ts';
import GitCredential from '../../commands/vault/git-credential.ts';
import Health from '../../commands/vault/health.ts';
import Import from '../../commands/vault/import.ts';
import Inject from '../../commands/vault/inject.ts';
import List from '../../commands/vault/list.ts';
import Lock from '../../commands/vault/lock.ts';
import Run from '../../commands/vault/run.ts';
import Vault from '../../commands/vault.ts';
import { concealed } from '../../src/cli/passvault/run/masking.ts';
import { openHome, type Home } from './home.ts';
import { keys } from './run-command.ts';

const master = { CONCLAVE_MASTER_PASSWORD: 'twelve green bottles hanging' };
const secret = 'correct horse battery';

/** A range service that knows the passwords it is given. */
async function rangeService(breached: readonly string[]): Promise<Server> {
  const hashes = breached.map((one) => createHash('sha1').update(one).digest('hex').toUpperCase());
  const server = createServer((request, response) => {
    const prefix = request.url!.split('/').at(-1)!;
    const lines = hashes.filter((hash) => hash.startsWith(prefix)).map((hash) => `${hash.slice(5)}:42`);
    response.end([...lines, `${'0'.repeat(35)}:0`].join('\r\n'));
  });
  return await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

describe('what vaults are used for', () => {
  let home: Home;
  let range: Server;
  beforeAll(async () => {
    range = await rangeService(['password1']);
    const url = `http://127.0.0.1:${(range.address() as AddressInfo).port}`;
    home = await openHome('socket', { serveEnv: { CONCLAVE_VAULTS_BREACH_URL: url } });
    await home.run(Register, ['--username', 'alice', '--email', 'alice@home.test'], {
      env: { CONCLAVE_PASSWORD: 'a long enough secret' },
    });
    await home.run(Create, ['Work'], { env: master });
    const argv = [
      'Work/db',
      'username=app',
      'url=https://db.example.com',
      'password[file]=-',
      'API token[hidden,generate=40]',
      'PIN[hidden,generate=8]',
    ];
    expect(await home.run(Add, argv, { stdin: secret })).toMatchObject({ code: 0 });
  });
  afterAll(async () => {
    await home[Symbol.asyncDispose]();
    range.close();
  });

  const env = { PATH: process.env['PATH'] };

  it('generate passwords without a server', async () => {
    const nowhere = { env: { CONCLAVE_SERVER: 'http://127.0.0.1:1' } };
    expect((await home.run(Generate, ['--length', '40', '--no-symbols'], nowhere)).stdout).toMatch(
      /^[A-Za-z0-9]{40}\n$/,
    );
    expect((await home.run(Generate, ['--words', '5', '--separator', ' '], nowhere)).stdout).toMatch(
      /^[a-z-]+( [a-z-]+){4}\n$/,
    );
    expect((await home.run(Generate, ['--json'], nowhere)).json()).toEqual({
      password: expect.stringMatching(/^.{20}$/),
      entropy: 129,
      strength: 'very_strong',
    });
    const many = (await home.run(Generate, ['--count', '3'], nowhere)).stdout.trim().split('\n');
    expect(new Set(many).size).toBe(3);
    const wrong = await home.run(Generate, ['--length', '4'], nowhere);
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toContain('from 8 to 128');
    expect(await home.run(Generate, ['--length', '8', '--min-digits', '9'], nowhere)).toMatchObject({
      code: 2,
      stdout: '',
    });
  });

  it('run programs with secrets, which are masked in what they print', async () => {
    const file = await home.file(
      '.env',
      '# for the program\nPASSWORD=conclave://Work/db/password\nURL="postgres://{{ conclave://Work/db/username }}:{{ conclave://Work/db/password }}@h"\nPLAIN=x\n',
    );
    const script =
      'echo "$PASSWORD|$URL|$PLAIN|$FROM_ENV|$TYPED|$CONCLAVE_MASTER_PASSWORD"; echo "$PASSWORD" >&2; exit 3';
    const options = { env: { ...env, ...master, FROM_ENV: 'conclave://Work/db/username' } };
    const argv = ['--env-file', file, '--env', 'TYPED=conclave://Work/db/API token', '--', '/bin/sh', '-c', script];
    const masked = await home.run(Run, argv, options);
    expect(masked).toMatchObject({
      code: 3,
      stdout: `${concealed}|postgres://app:${concealed}@h|x|app|${concealed}|\n`,
      stderr: `${concealed}\n`,
    });
    const plain = await home.run(Run, ['--no-masking', ...argv], options);
    expect(plain.stdout).toMatch(new RegExp(`^${secret}\\|postgres://app:${secret}@h\\|x\\|app\\|.{40}\\|\n$`));
    expect(plain.code).toBe(3);
  });

  it('run nothing where a reference means nothing', async () => {
    const marker = join(home.folder, 'ran');
    const argv = [
      '--env',
      'A=conclave://Work/nothing/x',
      '--env',
      'B=conclave://Nowhere/x',
      '--env',
      'C=conclave://Work/db/cvv',
      '--json',
      '--',
      'touch',
      marker,
    ];
    const run = await home.run(Run, argv, { env });
    expect(run).toMatchObject({ code: 6, stdout: '' });
    const { error } = JSON.parse(run.stderr) as { error: { code: string; fields: { path: string }[] } };
    expect(error.code).toBe('REFERENCE_UNRESOLVED');
    expect(error.fields.map(({ path }) => path)).toEqual([
      'conclave://Work/nothing/x',
      'conclave://Nowhere/x',
      'conclave://Work/db/cvv',
    ]);
    await expect(stat(marker)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await home.run(Run, [], { env })).toMatchObject({ code: 2 });
    expect(await home.run(Run, ['--', '/nowhere/at/all'], { env })).toMatchObject({ code: 127 });
  });

  it('fill templates, on standard output and into files of our own', async () => {
    const template = 'user: conclave://Work/db/username\npassword: "{{ conclave://Work/db/password }}"\n';
    const filled = `user: app\npassword: "${secret}"\n`;
    expect(await home.run(Inject, [], { stdin: template })).toMatchObject({ code: 0, stdout: filled, stderr: '' });
    const out = join(home.folder, 'config.yml');
    const argv = ['--in', await home.file('tpl', template), '--out', out];
    expect(await home.run(Inject, argv)).toMatchObject({ code: 0, stdout: '' });
    expect(await readFile(out, 'utf8')).toBe(filled);
    expect((await stat(out)).mode & 0o777).toBe(0o600);
    expect(await home.run(Inject, argv)).toMatchObject({ code: 7 });
    expect(await home.run(Inject, [...argv, '--force'])).toMatchObject({ code: 0 });
    expect(await home.run(Inject, [], { stdin: 'x {{ conclave://Work/db/nothing }}' })).toMatchObject({
      code: 6,
      stdout: '',
    });
  });

  it('answer git, keep what it learns, and forget only that', async () => {
    const ask = async (action: string, lines: string[]) =>
      await home.run(GitCredential, [action], { stdin: `${lines.join('\n')}\n\n` });
    const db = ['protocol=https', 'host=db.example.com'];
    expect(await ask('get', db)).toMatchObject({ code: 0, stdout: `username=app\npassword=${secret}\n`, stderr: '' });
    expect(await ask('get', [...db, 'username=other'])).toMatchObject({ code: 0, stdout: '' });
    const forge = ['protocol=https', 'host=forge.example.org', 'username=al'];
    expect(await ask('get', forge)).toMatchObject({ code: 0, stdout: '' });
    await ask('store', [...forge, 'password=one two']);
    expect((await ask('get', forge)).stdout).toBe('username=al\npassword=one two\n');
    await ask('store', [...forge, 'password=three']);
    expect((await ask('get', forge)).stdout).toBe('username=al\npassword=three\n');
    expect((await home.run(List, ['Work', '--tag', 'git', '--json'])).json().entries).toMatchObject([
      { title: 'forge.example.org (al)' },
    ]);
    await ask('erase', [...forge, 'password=one two']);
    expect((await ask('get', forge)).stdout).not.toBe('');
    await ask('erase', [...forge, 'password=three']);
    expect((await ask('get', forge)).stdout).toBe('');
    await ask('erase', [...db, 'username=app', `password=${secret}`]);
    expect((await ask('get', db)).stdout).not.toBe('');
    expect(await ask('capability', [])).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  it('answer the shell at Tab, and never ask', async () => {
    expect((await home.run(Complete, ['Wo'])).stdout).toBe('Work/\n');
    expect((await home.run(Complete, ['Work/d'])).stdout).toBe('Work/db\n');
    expect((await home.run(Complete, ['Work/x'])).stdout).toBe('');
  });

  it('attach files, list, read and remove them', { tags: 'soak' }, async () => {
    const bytes = Buffer.from([0, 255, 13, 10, 27]);
    const file = join(home.folder, 'key.bin');
    await writeFile(file, bytes);
    expect((await home.run(Attach, ['Work/db', file])).stdout).toMatch(
      /^key\.bin\t5 bytes\tapplication\/octet-stream\t/,
    );
    const out = join(home.folder, 'out.bin');
    expect((await home.run(Attach, ['Work/db', '--get', 'key.bin', '--out', out, '--json'])).json()).toMatchObject({
      filename: 'key.bin',
      file: out,
    });
    expect(await readFile(out)).toEqual(bytes);
    expect((await stat(out)).mode & 0o777).toBe(0o600);
    expect((await home.run(Attach, ['Work/db', '--get', 'key.bin', '--json'])).json().content).toBe(
      bytes.toString('base64'),
    );
    expect(await home.run(Attach, ['Work/db', '--get', 'other'])).toMatchObject({ code: 6 });
    expect(await home.run(Attach, ['Work/db', join(home.folder, 'missing')])).toMatchObject({ code: 2 });
    expect(await home.run(Attach, ['Work/db', '--remove', 'key.bin'])).toMatchObject({ code: 0 });
    expect((await home.run(Attach, ['Work/db', '--json'])).json().attachments).toEqual([]);
  });

  it('export, and import it again', { tags: 'soak' }, async () => {
    await home.run(Create, ['Copy'], { env: master });
    const out = join(home.folder, 'work.json');
    const exported = await home.run(Export, ['Work', '--plaintext', '--out', out]);
    expect(exported).toMatchObject({ code: 0, stdout: '' });
    expect(exported.stderr).toContain('not encrypted');
    expect((await stat(out)).mode & 0o777).toBe(0o600);
    expect((await home.run(Import, ['Copy', out, '--dry-run'])).stdout).toContain(
      '1 would be imported into Copy (bitwarden), 0 skipped',
    );
    const imported = await home.run(Import, ['Copy', out, '--json']);
    expect(imported.json()).toMatchObject({
      imported: 1,
      types: { login: 1, credit_card: 0, secure_note: 0 },
      skipped: 0,
      errors: [],
      dryRun: false,
    });
    expect(imported.stderr).toContain(`Now delete ${out}`);
    expect((await home.run(Import, ['Copy', out, '--skip-duplicates', '--json'])).json()).toMatchObject({
      imported: 0,
      skipped: 1,
    });
    expect((await home.run(Get, ['Copy/db'])).stdout).toBe(`${secret}\n`);
    expect((await home.run(Export, ['Copy', '--format', 'csv', '--plaintext'])).stdout).toContain(secret);
    expect(await home.run(Import, ['Copy', await home.file('odd', 'nothing that anybody knows')])).toMatchObject({
      code: 2,
      stdout: '',
    });
  });

  it('say of an import what it holds, what is not kept, and what could not be read', { tags: 'soak' }, async () => {
    const bin = Buffer.alloc(16, 1).toString('base64');
    const entry = (title: string, more = '') =>
      `<Entry><String><Key>Title</Key><Value>${title}</Value></String><String><Key>Password</Key><Value>p</Value></String>${more}</Entry>`;
    const file = await home.file(
      'database.xml',
      `<KeePassFile><Meta><RecycleBinUUID>${bin}</RecycleBinUUID></Meta><Root><Group>
      ${entry('One')}${entry('Two', '<Binary><Key>f</Key><Value Ref="9"/></Binary>')}
      <Entry><String><Key>Password</Key><Value Protected="True">AAAA</Value></String></Entry>
      <Group><UUID>${bin}</UUID>${entry('Gone')}</Group></Group></Root></KeePassFile>`,
    );
    const { stdout, stderr } = await home.run(Import, ['Copy', file, '--dry-run']);
    expect(stdout).toContain('2 would be imported into Copy (keepass), 1 skipped, 1 not readable.');
    expect(stdout).toContain('They would be 2 logins.');
    expect(stdout).toMatch(/^3\s+Its values are encrypted/m);
    expect(stdout).toMatch(/^2\s+It has an attachment that is not in the file/m);
    expect(stderr).not.toContain('delete');
    expect((await home.run(Import, ['Copy', file, '--dry-run', '--include-recycle-bin'])).stdout).toContain(
      '3 would be imported into Copy (keepass), 0 skipped, 1 not readable.',
    );
  });

  it('protect an export unless told otherwise, and ask for its password afterwards', { tags: 'soak' }, async () => {
    const out = join(home.folder, 'protected.json');
    const password = 'a password of the file';
    const argv = ['Copy', '--out', out];
    expect(await home.run(Export, argv)).toMatchObject({ code: 2 });
    expect(await home.run(Export, argv, { env: { CONCLAVE_EXPORT_PASSWORD: password } })).toMatchObject({ code: 0 });
    expect(await readFile(out, 'utf8')).not.toContain('db.example');
    expect(await home.run(Import, ['Copy', out, '--dry-run'])).toMatchObject({ code: 2, stdout: '' });
    const given = { env: { CONCLAVE_IMPORT_PASSWORD: password } };
    expect((await home.run(Import, ['Copy', out, '--dry-run', '--json'], given)).json()).toMatchObject({
      imported: 1,
    });
    const person = [
      ['Password of the file', 'wrong one'],
      ['Wrong password', password],
    ] as const;
    expect((await home.run(Import, ['Copy', out, '--dry-run', '--json'], { person })).json()).toMatchObject({
      imported: 1,
    });
  });

  it('ask on a terminal before an export goes out in plain text', async () => {
    const out = join(home.folder, 'plain.csv');
    const argv = ['Work', '--format', 'csv', '--plaintext', '--out', out];
    const question = 'Write the passwords of Work unencrypted?';
    expect(await home.run(Export, argv, { person: [[question, 'n']] })).toMatchObject({ code: 2 });
    await expect(stat(out)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await home.run(Export, argv, { person: [[question, 'y']] })).toMatchObject({ code: 0 });
    expect(await readFile(out, 'utf8')).toContain(secret);
    expect(await home.run(Export, [...argv, '--force', '--yes'], { person: [] })).toMatchObject({ code: 0 });
  });

  it.each([
    [['--format', 'csv'], 'CSV cannot be encrypted. Use --plaintext, or --format bitwarden.'],
    [['--format', 'csv', '--password-file', 'p'], 'so it has no --password-file'],
    [['--plaintext', '--password-file', 'p'], '--plaintext and --password-file cannot be used together'],
    [['--plaintext', '--format', 'encrypted'], '--plaintext and --format encrypted cannot be used together'],
  ])('refuse %j, which would be an export that nobody asked for', async (flags, reason) => {
    const out = join(home.folder, 'refused');
    const refused = await home.run(Export, ['Work', ...flags, '--out', out]);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain(reason);
    await expect(stat(out)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('say which passwords are breached, weak or reused', async () => {
    await home.run(Add, ['Work/old', 'username=app', 'password[file]=-'], { stdin: 'password1' });
    await home.run(Add, ['Work/older', 'username=app', 'password[file]=-'], { stdin: 'password1' });
    const { reports } = (await home.run(Health, ['Work', '--json'])).json() as { reports: Record<string, unknown>[] };
    expect(reports).toMatchObject([
      { vaultName: 'Work', breachCheck: 'done', breached: [{ count: 42 }, { count: 42 }], reused: [{}] },
    ]);
    expect((await home.run(Health, ['Work', '--no-breaches', '--json'])).json().reports[0]).toMatchObject({
      breachCheck: 'skipped',
      breached: [],
    });
    expect((await home.run(Health, ['Work'])).stdout).toContain('reused\told, older\t');
    expect((await home.run(Breach, ['Work/old', '--json'])).json()).toEqual({ breached: true, count: 42 });
    expect((await home.run(Breach, ['--password-file', '-'], { stdin: `${secret}\n` })).stdout).toBe(
      'Not in any known breach.\n',
    );
  });

  it('copy into the clipboard of the desktop by a pipe', async () => {
    const bin = join(home.folder, 'bin');
    await mkdir(bin);
    await writeFile(join(bin, 'xclip'), `#!/bin/sh\necho "$@" >> ${bin}/calls\n/bin/cat > ${bin}/board\n`);
    await chmod(join(bin, 'xclip'), 0o755);
    const { default: Copy } = await import('../../commands/vault/copy.ts');
    const run = await home.run(Copy, ['Work/db', '--clear-after', '0'], { env: { PATH: bin, DISPLAY: ':0' } });
    expect(run).toMatchObject({ code: 0, stdout: '', stderr: 'Copied password of Work/db.\n' });
    expect(await readFile(join(bin, 'board'), 'utf8')).toBe(secret);
    expect(await readFile(join(bin, 'calls'), 'utf8')).not.toContain(secret);
    expect(await home.run(Copy, ['Work/db'], { env: { PATH: bin } })).toMatchObject({ code: 8, stdout: '' });
    const far = await home.run(Copy, ['Work/db', '--field', 'username'], {
      env: { SSH_TTY: '/dev/pts/9' },
      person: [],
    });
    expect(far.stderr).toContain(`\u001b]52;c;${Buffer.from('app').toString('base64')}\u0007`);
  });

  it('make what others wrote harmless for a terminal', async () => {
    const title = 'evil\u001b]0;owned\u0007\u202e';
    await home.run(Add, [`Work/${title}`, 'username=a\u001b[2Jb', 'notes=x\u0007\ny', 'a\u001b]0;b[text]=1']);
    for (const run of [
      await home.run(Find, ['evil'], { person: [] }),
      await home.run(List, ['Work']),
      await home.run(Get, [`Work/${title}`, '--show'], { person: [] }),
      await home.run(Get, [`Work/${title}`, '--field', 'username'], { person: [] }),
      await home.run(Get, [`Work/${title}`, '--field', 'nothing']),
      await home.run(Edit, [`Work/${title}`, 'username=c']),
    ]) {
      // oxlint-disable-next-line no-control-regex -- finding control characters is the purpose
      expect(run.stdout + run.stderr).not.toMatch(/[\u001b\u0007\u202e]/);
    }
  });

  it('are looked around in at a terminal alone', async () => {
    const run = await home.run(Vault);
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toContain('There is no terminal');
    const mistyped = await home.run(Vault, ['lisst']);
    expect(mistyped).toMatchObject({ code: 2, stdout: '' });
    expect(mistyped.stderr).toContain('no command "vault lisst"');
  });

  it('are looked around in: find an entry, copy its password, leave', { tags: 'soak' }, async () => {
    const person = [
      [', open', ''],
      ['lock and quit', ''],
      ['copy user name', ''],
      ['lock and quit', [keys.escape]],
      [', open', [keys.escape]],
    ] as const;
    const run = await home.run(Vault, [], { person, env: { SSH_TTY: '/dev/pts/9' } });
    expect(run.code).toBe(0);
    expect(run.stderr).toContain(`\u001b]52;c;${Buffer.from(secret).toString('base64')}\u0007`);
    expect(run.stderr.replaceAll('\n', ' ')).toContain(
      'Sent password of db to the clipboard of the terminal. Whether that worked is unknown',
    );
    expect(run.stderr).not.toContain('Copied');
    expect(run.stderr).not.toContain(secret);
  });

  it('are closed when git asks, and nothing is asked on its input', async () => {
    await home.run(Lock);
    const run = await home.run(GitCredential, ['get'], { stdin: 'protocol=https\nhost=db.example.com\n\n' });
    expect(run).toMatchObject({ code: 0, stdout: '' });
    expect(run.stderr).toContain('conclave vault open');
    expect((await home.run(Complete, ['Work/'])).stdout).toBe('');
  });
});
