import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Register from '../../commands/account/register.ts';
import Add from '../../commands/vault/add.ts';
import Create from '../../commands/vault/create.ts';
import Lock from '../../commands/vault/lock.ts';
import { openHome, type Home } from '../cli/home.ts';
import { programPath } from '../support/program.ts';
import { inStage } from '../support/stage.ts';

/** util-linux has it; elsewhere a program of that name takes other arguments. */
const versionOfScript = await execa('script', ['--version'], { reject: false });
const hasTerminals = versionOfScript.exitCode === 0 && versionOfScript.stdout.includes('util-linux');
/** Whatever opens an inspector says so, on a port that nobody else has. */
const inspectable = { NODE_OPTIONS: '--inspect-port=0' };

describe('what starts the program', () => {
  let home: Home;
  let evil: string;
  beforeAll(async () => {
    home = await openHome('socket');
    await home.run(Register, ['--username', 'alice', '--email', 'alice@home.test'], {
      env: { CONCLAVE_PASSWORD: 'a long enough secret' },
    });
    await home.run(Create, ['Work'], { env: { CONCLAVE_MASTER_PASSWORD: 'twelve green bottles hanging' } });
    await home.run(Add, ['Work/db', 'password[file]=-'], { stdin: 'correct horse battery' });
    evil = await home.file('evil.cjs', `process.stderr.write('EVIL in ' + (process.argv[1] ?? '') + '\\n');\n`);
  });
  afterAll(async () => await home[Symbol.asyncDispose]());

  const start = (argv: readonly string[], env: NodeJS.ProcessEnv = {}, program = programPath) =>
    execa(program, argv, {
      env: { ...home.env, PATH: process.env['PATH'], ...env },
      extendEnv: false,
      cwd: home.folder,
      reject: false,
      stdin: 'ignore',
    });

  it.each(['--env-file', '--env-file='])(
    'leaves %s F to vault run: NODE_OPTIONS in it are for the program alone',
    async (flag) => {
      const file = await home.file('run.env', `NODE_OPTIONS=--require=${evil}\nSECRET=conclave://Work/db/password\n`);
      const given = flag.endsWith('=') ? [`${flag}${file}`] : [flag, file];
      const shown = 'process.stdout.write(process.env.SECRET + "|" + process.env.NODE_OPTIONS)';
      const run = await start(['vault', 'run', ...given, '--no-masking', '--', process.execPath, '-e', shown]);
      expect(run).toMatchObject({ exitCode: 0, stdout: `correct horse battery|--require=${evil}` });
      // In the program that it is for, which has no script, and nowhere else.
      expect(run.stderr).toBe('EVIL in ');
    },
  );

  it('takes no setting of its own from the file of --env-file', async () => {
    const file = await home.file(
      'settings.env',
      'CONCLAVE_SERVER=http://127.0.0.1:9\nNODE_TLS_REJECT_UNAUTHORIZED=0\n',
    );
    const run = await start(['vault', 'run', '--env-file', file, '--env', 'A=conclave://Work/db/title', '--', 'true']);
    expect(run).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it.each(['--env-file', '--env-file-if-exists'])('says itself that the file of %s is not there', async (flag) => {
    const run = await start(['vault', 'run', flag, 'missing.env', '--', 'true']);
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toMatch(/^Error: /);
    expect(run.stderr).not.toContain('node: ');
  });

  it('keeps them behind a link as well, as npm makes it', async () => {
    const link = join(home.folder, 'linked');
    await symlink(programPath, link);
    const file = await home.file('link.env', `NODE_OPTIONS=--require=${evil}\n`);
    const run = await start(['vault', 'run', '--env-file', file, '--', 'true'], {}, link);
    expect(run).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('takes none of the options of node for its own, before or behind the name of a command', async () => {
    await writeFile(join(home.folder, 'evil.env'), `NODE_OPTIONS=--require=${evil}\n`);
    const ofEachKind = [
      ['--env-file', 'evil.env'],
      [`--import=${evil}`],
      ['--inspect-brk=0'],
      ['-e', 'process.exit(77)'],
    ];
    const others = [
      ['--env-file=evil.env'],
      ['--env-file-if-exists=evil.env'],
      ['--require', evil],
      ['-r', evil],
      ['--import', evil],
      ['--inspect'],
      ['--eval', 'process.exit(77)'],
      ['--print', '77'],
      ['-p', '77'],
      ['--watch'],
      ['--test'],
      ['--check'],
      ['--interactive'],
      ['--experimental-default-type=module'],
    ];
    const lines = [...ofEachKind, ...inStage([], [], others)].flatMap((option) => [
      [...option, 'whoami'],
      ['whoami', ...option],
    ]);
    const runs = [];
    for (const line of lines) {
      const { exitCode, stdout, stderr } = await start(line);
      runs.push({ line, exitCode, stdout, ours: stderr.startsWith('Error: ') && !/EVIL|Debugger/.test(stderr) });
    }
    expect(runs).toEqual(lines.map((line) => ({ line, exitCode: 2, stdout: '', ours: true })));
  }, 240_000);

  it('opens no inspector at SIGUSR1 while a program has its secrets', async () => {
    const script = 'echo one; while [ ! -e go ]; do sleep 0.05; done; echo two';
    const running = start(['vault', 'run', '--', 'sh', '-c', script], inspectable);
    for await (const line of running.iterable()) {
      if (line !== 'one') continue;
      running.kill('SIGUSR1');
      running.kill('SIGUSR1');
      await writeFile(join(home.folder, 'go'), '');
    }
    expect(await running).toMatchObject({ exitCode: 0, stdout: 'one\ntwo', stderr: '' });
  });

  it.skipIf(!hasTerminals)('opens none while it asks for a master password', { tags: 'needs-program' }, async () => {
    await home.run(Lock);
    const pidFile = join(home.folder, 'pid');
    const line = `echo $$ > '${pidFile}'; exec '${programPath}' vault open Work`;
    const terminal = execa('script', ['-qec', line, '/dev/null'], {
      env: { ...home.env, PATH: process.env['PATH'], TERM: 'xterm', ...inspectable },
      extendEnv: false,
      reject: false,
      buffer: false,
    });
    let seen = '';
    for await (const chunk of terminal.stdout as AsyncIterable<Buffer>) {
      const asked = seen.includes('Master password');
      seen += chunk.toString();
      if (asked || !seen.includes('Master password')) continue;
      process.kill(Number(await readFile(pidFile, 'utf8')), 'SIGUSR1');
      terminal.stdin.write('twelve green bottles hanging\r');
    }
    terminal.stdin.end();
    expect((await terminal).exitCode).toBe(0);
    expect(seen).not.toContain('Debugger');
  });

  it('gives the program nothing of ours', async () => {
    const ours = { CONCLAVE_PASSWORD: 'p', CONCLAVE_KEY: 'k', CONCLAVE_PASSPHRASE: 'x', CONCLAVE_MASTER_PASSWORD: 'm' };
    const run = await start(['vault', 'run', '--', 'env'], ours);
    expect(run.exitCode).toBe(0);
    expect(run.stdout).not.toContain('CONCLAVE_');
  });
});

describe.skipIf(process.platform !== 'linux')('an output that takes nothing', { tags: 'needs-system' }, () => {
  const others = ['--help', 'version', 'vault run --help', 'completion bash', 'vault generate'];
  const lines = ['--version', 'vault --help', 'call --list', ...inStage([], [], others)];
  const run = async (line: string, output: string) =>
    await execa('bash', ['-c', `set -o pipefail; '${programPath}' ${line} ${output}`], {
      env: { CONCLAVE_DATA_DIR: '/nowhere/at/all' },
      reject: false,
    });

  it.each(lines)('ends %s in one line', async (line) => {
    const { exitCode, stderr } = await run(line, '> /dev/full');
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: "Error: Standard output can't be written: the disk is full.",
    });
  });

  it.each(lines)('ends %s without a word where its reader has gone', async (line) => {
    expect((await run(line, '| true')).stderr).toBe('');
  });

  it('says nothing more where standard error is full too', async () => {
    expect((await run('whoami', '2> /dev/full')).exitCode).toBe(6);
  });
});
