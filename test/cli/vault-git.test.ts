import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Register from '../../commands/account/register.ts';
import Add from '../../commands/vault/add.ts';
import Create from '../../commands/vault/create.ts';
import GitCredential from '../../commands/vault/git-credential.ts';
import Lock from '../../commands/vault/lock.ts';
import { programLine } from '../support/program.ts';
import { openHome, type Home } from './home.ts';

const master = { CONCLAVE_MASTER_PASSWORD: 'twelve green bottles hanging' };
const secret = 'correct horse battery';

/** What git says when it wants a password. */
const wanted = 'protocol=https\nhost=db.example.com\n\n';

/** util-linux has it; elsewhere a program of that name takes other arguments. */
const versionOfScript = await execa('script', ['--version'], { reject: false });
const pseudoTerminals =
  versionOfScript.exitCode === 0 && versionOfScript.stdout.includes('util-linux') ? ['script'] : [];

describe('locked vaults', () => {
  let home: Home;
  beforeAll(async () => {
    home = await openHome('socket');
    const argv = ['--username', 'alice', '--email', 'alice@home.test'];
    await home.run(Register, argv, { env: { CONCLAVE_PASSWORD: 'a long enough secret' } });
    await home.run(Create, ['Home'], { env: master });
    await home.run(Create, ['Work'], { env: master });
    const entry = ['Work/db', 'username=app', 'url=https://db.example.com', 'password[file]=-'];
    await home.run(Add, entry, { stdin: secret });
    await home.run(Lock);
  });
  afterAll(async () => await home[Symbol.asyncDispose]());

  it('are opened for git by whoever sits at the terminal behind its pipes', async () => {
    const argv = ['get', '--vault', 'Work'];
    const behind = [
      ['Master password of Work', 'not that one'],
      ['Wrong password', master.CONCLAVE_MASTER_PASSWORD],
    ] as const;
    const run = await home.run(GitCredential, argv, { stdin: wanted, behind });
    expect(run).toMatchObject({ code: 0, stdout: `username=app\npassword=${secret}\n`, stderr: '' });
    expect(run.behind).toContain('git asks for the password of db.example.com.');
    expect(run.behind).not.toContain(master.CONCLAVE_MASTER_PASSWORD);
    // It is open now, as after any other unlocking.
    expect(await home.run(GitCredential, argv, { stdin: wanted, behind })).toMatchObject({
      stdout: run.stdout,
      behind: '',
    });
  });

  it('stay closed for git where nobody is to be asked, or several can be meant, or it is about no address', async () => {
    await home.run(Lock);
    const behind = [['Master password', master.CONCLAVE_MASTER_PASSWORD]] as const;
    const argv = ['get', '--vault', 'Work'];
    for (const [args, options] of [
      [argv, { stdin: wanted, env: { GIT_TERMINAL_PROMPT: '0' } }],
      [['get'], { stdin: wanted }],
      [argv, { stdin: 'protocol=cert\npath=/key.pem\n\n' }],
      [['store', '--vault', 'Work'], { stdin: `${wanted.trimEnd()}\nusername=a\npassword=b\n\n` }],
    ] as const) {
      expect(await home.run(GitCredential, args, { ...options, behind })).toMatchObject({
        code: 0,
        stdout: '',
        behind: '',
      });
    }
    const cancelled = await home.run(GitCredential, argv, { stdin: wanted, behind: [['Master password', undefined]] });
    expect(cancelled).toMatchObject({ code: 130, stdout: '' });
  });

  it('are opened for git with the password that a variable gives', async () => {
    const run = await home.run(GitCredential, ['get', '--vault', 'Work'], { stdin: wanted, env: master });
    expect(run).toMatchObject({ code: 0, stdout: `username=app\npassword=${secret}\n`, stderr: '' });
    await home.run(Lock);
  });

  it.each(pseudoTerminals)(
    'are opened for git at a real terminal, made by %s',
    { tags: 'thorough' },
    async (script) => {
      const answered = join(home.folder, 'answered');
      const line = `printf '${wanted.replaceAll('\n', '\\n')}' | ${programLine('vault', 'git-credential', 'get', '--vault', 'Work')} > '${answered}' 2>&1`;
      const terminal = execa(script, ['-qec', line, '/dev/null'], {
        env: { ...home.env, TERM: 'xterm' },
        reject: false,
        buffer: false,
      });
      let seen = '';
      for await (const chunk of terminal.stdout as AsyncIterable<Buffer>) {
        const asked = seen.includes('Master password');
        seen += chunk.toString();
        if (!asked && seen.includes('Master password')) terminal.stdin.write(`${master.CONCLAVE_MASTER_PASSWORD}\r`);
      }
      terminal.stdin.end();
      expect((await terminal).exitCode).toBe(0);
      expect(await readFile(answered, 'utf8')).toBe(`username=app\npassword=${secret}\n`);
      expect(seen).toContain('git asks for the password of db.example.com.');
      expect(seen).not.toContain(master.CONCLAVE_MASTER_PASSWORD);
    },
  );
});
