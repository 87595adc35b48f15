import { access, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import Status from '../../commands/status.ts';
import { launcher, program, programLine } from '../support/program.ts';
import { inStage } from '../support/stage.ts';
import { openHome, rootPassword } from './home.ts';

const source = fileURLToPath(new URL('../../bin/dev.js', import.meta.url));

/** What only a process of its own shows: exit codes, pipes, signals. */
describe('the program', () => {
  const env = { CONCLAVE_DATA_DIR: '/nowhere/at/all' };
  const run = (argv: string[]) => execa(...program(...argv), { env, reject: false, stdin: 'ignore' });

  it('points from a mistyped command to what was meant', async () => {
    const [plain, json] = await Promise.all([run(['admin', 'membrs', 'list']), run(['whoamy', '--json'])]);
    expect(plain).toMatchObject({ exitCode: 2, stdout: '' });
    expect(plain.stderr).toContain('admin members list');
    expect(json).toMatchObject({ exitCode: 2, stdout: '' });
    expect(JSON.parse(json.stderr)).toMatchObject({
      error: { code: 'USAGE', message: expect.stringContaining('whoami') },
    });
  });

  const answers: [argv: string[], said: RegExp][] = [
    [['version'], /^conclave\/\d/],
    [['help', 'vault'], /^Browse your vaults[^]*COMMANDS[^]*vault add/],
    [['-v'], /^conclave\/\d/],
    [['help', 'vault', 'run'], /-- COMMAND \[ARGUMENT\]\.\.\./],
  ];

  it.each(answers.slice(0, inStage(2, 2, 4)))('answers %j', async (argv, said) => {
    expect(await run(argv)).toMatchObject({ exitCode: 0, stderr: '', stdout: expect.stringMatching(said) });
  });

  it('answers from its source as well', { tags: 'soak' }, async () => {
    const start = (path: string) => execa(process.execPath, ['--', path, 'version'], { env, stdin: 'ignore' });
    const [said, built] = await Promise.all([start(source), start(launcher)]);
    expect(said).toMatchObject({ stderr: '', stdout: built.stdout });
  });

  it.each(inStage(['test'], ['test'], ['development', 'test']))(
    'looks for no sources where NODE_ENV is %s',
    async (NODE_ENV) => {
      const said = await execa(...program('vault', 'generate'), { env: { ...env, NODE_ENV }, stdin: 'ignore' });
      expect(said).toMatchObject({ stderr: '', stdout: expect.stringMatching(/^\S{20}$/) });
    },
  );

  it('says of a topic that there is not what may have been meant', async () => {
    const { exitCode, stdout, stderr } = await run(['help', 'valt']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain('There is no command "valt". Did you mean: vault?');
  });

  it('takes nothing from standard input for an argument that is missing', async () => {
    const inLoop = `${programLine('server', 'use')}; echo "$?"; cat`;
    const { stdout, stderr } = await execa('bash', ['-c', inLoop], { env, input: 'local\nother\n' });
    expect(stdout).toBe('2\nlocal\nother');
    expect(stderr).toContain('server');
  });

  it('ends quietly when its reader has had enough', async () => {
    const pipe = `${programLine('call', '--list', '--json')} | head -1; exit "\${PIPESTATUS[0]}"`;
    expect(await execa('bash', ['-c', pipe], { env, reject: false })).toMatchObject({
      exitCode: 0,
      stdout: '[',
      stderr: '',
    });
  });

  it('serves a store, is asked over its socket, and ends at SIGTERM', async () => {
    await using home = await openHome('process');
    const mistyped = { CONCLAVE_PROT: '8080' };
    const server = execa(...program('serve', '--port', '0', '--json'), {
      env: { ...home.env, ...mistyped },
      reject: false,
    });
    const ready = JSON.parse(await firstObject(server)) as { url: string };
    expect(ready).toMatchObject({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      controlSocket: join(home.dataDir, 'control.sock'),
    });
    const status = await home.run(Status, ['--json']);
    expect(status.json()).toMatchObject({ running: true, addresses: [ready.url], members: 1 });
    server.kill('SIGTERM');
    const { exitCode, stderr } = await server;
    expect(exitCode).toBe(0);
    // One JSON object a line, this one too.
    expect(stderr.split('\n').map((line) => JSON.parse(line) as unknown)).toContainEqual(
      expect.objectContaining({ level: 'warn', message: expect.stringContaining('is CONCLAVE_PORT meant?') }),
    );
    expect((await home.run(Status, ['--json'])).json()).toMatchObject({ running: false });
  });

  it('makes a store where there is none before it serves, once, when it is asked to', async () => {
    await using home = await openHome('process', { initialised: false });
    const named = { ...home.env, CONCLAVE_ADMIN_USERNAME: 'ada', CONCLAVE_ADMIN_PASSWORD: rootPassword };
    const note = join(home.dataDir, 'first-administrator.txt');
    const serveOnce = async (words: readonly string[]) => {
      const server = execa(...program('serve', '--port', '0', '--json', ...words), {
        env: named,
        reject: false,
      });
      await firstObject(server);
      server.kill('SIGTERM');
      return await server;
    };
    const without = await execa(...program('serve', '--port', '0'), { env: named, reject: false });
    expect(without).toMatchObject({ exitCode: 6, stderr: expect.stringContaining('conclave init') });

    const { exitCode, stdout, stderr } = await serveOnce(['--init']);
    expect(exitCode).toBe(0);
    expect(stderr).toContain(`ada is the administrator. The password and the recovery phrase are in ${note}.`);
    const text = await readFile(note, 'utf8');
    expect(text).toContain(`username: ada\ne-mail: admin@localhost\npassword: ${rootPassword}\nrecovery phrase: `);
    const phrase = /^recovery phrase: (.*)$/m.exec(text)?.[1] ?? '';
    expect(phrase.split(' ')).toHaveLength(24);
    for (const secret of [phrase, rootPassword]) expect(stdout + stderr).not.toContain(secret);

    await rm(note);
    const again = await serveOnce(['--init']);
    expect(again).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('is the administrator') });
    expect((await home.run(Status, ['--json'])).json()).toMatchObject({ members: 1 });
    await expect(access(note)).rejects.toThrow('ENOENT');
  });
});

/** The indented object that a command has written so far. */
async function firstObject(
  child: Promise<{ stderr: string }> & { readonly stdout: AsyncIterable<Buffer> },
): Promise<string> {
  let text = '';
  for await (const chunk of child.stdout) {
    text += chunk.toString();
    if (text.includes('\n}')) return text;
  }
  throw new Error(`the program ended before it had written an object: ${(await child).stderr}`);
}
