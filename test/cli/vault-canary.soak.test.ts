import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import BackupCodes from '../../commands/account/backup-codes.ts';
import Register from '../../commands/account/register.ts';
import Add from '../../commands/vault/add.ts';
import Attach from '../../commands/vault/attach.ts';
import Audit from '../../commands/vault/audit.ts';
import Create from '../../commands/vault/create.ts';
import Get from '../../commands/vault/get.ts';
import Import from '../../commands/vault/import.ts';
import Login from '../../commands/login.ts';
import Open from '../../commands/vault/open.ts';
import { canaries, leaks } from '../support/canaries.ts';
import { program } from '../support/program.ts';
import { temporaryFolder } from '../support/stores.ts';
import { openHome } from './home.ts';

/** Every file below a folder, sockets left out. */
async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** What `ps` shows of every process. */
async function commandLines(): Promise<string> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'latin1').catch(() => '')));
  return lines.join('\n');
}

it('what commands are told in secret stands in no file, log, error or list of processes', async () => {
  const { all, plant, add } = canaries();
  await using home = await openHome('process');
  await using elsewhere = await temporaryFolder();
  const fileOf = async (name: string, text: string) => {
    const path = join(elsewhere.path, name);
    await writeFile(path, text);
    return path;
  };
  const env = { ...home.env, CONCLAVE_LOG_LEVEL: 'debug' };
  const server = execa(...program('serve', '--port', '0'), { env, reject: false });
  const ready = new Promise<void>((resolve) =>
    server.stderr.on('data', (chunk) => `${chunk}`.includes('listening') && resolve()),
  );
  await Promise.race([ready, server]);

  const said: string[] = [];
  const run = async (code: number, ...call: Parameters<typeof home.run>) => {
    const done = await home.run(...call);
    expect(done.code, done.stderr).toBe(code);
    said.push(done.stderr);
    return done;
  };
  const account = { CONCLAVE_PASSWORD: plant('Account') };
  const names = ['--username', 'alice', '--email', 'alice@home.test', '--json'];
  add((await run(0, Register, names, { env: account })).json().mnemonic);
  add((await run(0, BackupCodes, ['--new', '--json'])).json().backupCodes[0]);
  await run(4, Login, ['alice'], { env: { CONCLAVE_PASSWORD: plant('WrongAccount') } });
  const master = { CONCLAVE_MASTER_PASSWORD: plant('Master') };
  await run(0, Create, ['Safe'], { env: master });
  await run(4, Open, ['Safe'], { env: { CONCLAVE_MASTER_PASSWORD: plant('WrongMaster') } });
  const password = plant('Password');
  const fields = [
    `notes[file]=${await fileOf('notes', plant('Notes'))}`,
    `totp[file]=${await fileOf('totp', add('KRUGKIDROVUWG2ZAMJZG653OEBTG66BA'))}`,
    `PIN[hidden,file]=${await fileOf('pin', plant('Hidden'))}`,
  ];
  await run(0, Add, ['Safe/bank', 'password[file]=-', ...fields], { env: master, stdin: password });
  await run(2, Add, ['Safe/other', `password=${plant('Argument')}`], { env: master });
  await run(0, Attach, ['Safe/bank', await fileOf('plan.txt', plant('Attachment'))], { env: master });
  const csv = `name,url,username,password\nShop,https://shop.example,bob,${plant('Imported')}\n`;
  await run(0, Import, ['Safe', await fileOf('import.csv', csv)], { env: master });
  await run(2, Import, ['Safe', await fileOf('broken.json', `{"${plant('Broken')}`)], { env: master });
  expect((await home.run(Get, ['Safe/bank'], { env: master })).stdout).toBe(`${password}\n`);

  // A process of its own, and the program that it gives a secret to.
  const child = execa(
    ...program(
      'vault',
      'run',
      '--no-masking',
      '--env',
      'SECRET=conclave://Safe/bank/password',
      '--',
      process.execPath,
      '-e',
      'console.log(process.env.SECRET); process.stdin.resume()',
    ),
    { env: { ...home.env, ...master }, reject: false },
  );
  let shown = '';
  for await (const chunk of child.stdout) {
    shown += String(chunk);
    if (shown.includes('\n')) break;
  }
  expect(shown).toBe(`${password}\n`);
  const processes = await commandLines();
  child.stdin.end();
  said.push((await child).stderr);
  expect(processes).toContain('conclave://Safe/bank/password');
  expect(leaks(all, processes), 'processes').toEqual([]);

  const audit = (await run(0, Audit, ['Safe', '--all', '--json'], { env: master })).stdout;
  expect(audit).toContain('ATTACHMENT_ADDED');
  expect(leaks(all, audit), 'audit log').toEqual([]);
  expect(leaks(all, said.join('\n')), 'what commands say').toEqual([]);
  const search = async () => {
    const files = await filesBelow(home.folder);
    let readable = 0;
    for (const file of files) {
      const bytes = await readFile(file);
      expect(leaks(all, bytes), file).toEqual([]);
      readable += leaks(['alice@home.test'], bytes).length;
    }
    // What is no secret is found, so secrets would be.
    expect(readable).toBeGreaterThan(0);
    return files.map((file) => file.slice(home.dataDir.length + 1));
  };
  // Once as it lies there at work, once put away.
  expect((await search()).some((file) => file.endsWith('-wal'))).toBe(true);
  server.kill('SIGTERM');
  const { stderr, stdout } = await server;
  expect(stderr).toContain('passvault');
  expect(leaks(all, stderr + stdout), 'log').toEqual([]);
  expect((await search()).some((file) => file.startsWith('blocks/'))).toBe(true);
}, 60_000);
