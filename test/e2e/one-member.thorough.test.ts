import { chmod, mkdir, readFile, readdir, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { execa, type Options } from 'execa';
import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installedShells } from '../support/completion-scripts.ts';
import { program, programPath, quoted } from '../support/program.ts';
import { serveProgram, type ServedProgram } from '../support/served-program.ts';
import { inStage, soak } from '../support/stage.ts';
import { temporaryFolder } from '../support/stores.ts';

const installed = await installedShells();

describe('the program, for a member of a node: server and commands are processes, and so is what works with them', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let env: NodeJS.ProcessEnv;
  let server: ServedProgram;

  const start = <const O extends Options>(words: readonly string[], more: O) =>
    execa(...program(...words), { env, extendEnv: false, cwd: folder.path, input: '', ...more });
  const must = async (words: readonly string[], input = ''): Promise<string> => (await start(words, { input })).stdout;
  const pathOf = (name: string): string => join(folder.path, name);
  const script = async (name: string, text: string): Promise<string> => {
    await writeFile(pathOf(name), `#!/bin/sh\n${text}\n`);
    await chmod(pathOf(name), 0o755);
    return pathOf(name);
  };

  beforeAll(async () => {
    folder = await temporaryFolder();
    for (const name of ['programs', 'temporary', 'runtime']) await mkdir(pathOf(name), { mode: 0o700 });
    // As completion and git find it.
    await symlink(programPath, pathOf('programs/conclave'));
    env = {
      CONCLAVE_DATA_DIR: pathOf('data'),
      CONCLAVE_MAIL_DOMAIN: 'home.example',
      CONCLAVE_MASTER_PASSWORD: 'twelve green bottles hanging',
      HOME: folder.path,
      PATH: [pathOf('programs'), process.env['PATH']].join(delimiter),
      TMPDIR: pathOf('temporary'),
      XDG_RUNTIME_DIR: pathOf('runtime'),
    };
    await must(['init', '--generate-password']);
    server = await serveProgram(env, '--smtp', '--smtp-port', '0');
    const note = await readFile(pathOf('data/first-administrator.txt'), 'utf8');
    await must(['login', 'admin', '--password-file', '-'], /^password: (.*)$/m.exec(note)?.[1]);
    await must(['vault', 'create', 'Work']);
    await must(['vault', 'add', 'Work/mine', 'username=me', 'password[file]=-'], 'correct horse battery');
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

  it('takes an entry from the editor, whose file is gone afterwards', async () => {
    const EDITOR = await script(
      'editor',
      `echo "$1" > ${pathOf('edited')}\nsed -i 's/^username:.*/username: other/' "$1"`,
    );
    const edit = await start(['vault', 'edit', 'Work/mine', '--allow-disk'], { env: { ...env, EDITOR } });
    expect(edit.stdout).toBe('Changed username of Work/mine.');
    expect(await must(['vault', 'get', 'Work/mine', '--field', 'username'])).toBe('other');
    await expect(readFile((await readFile(pathOf('edited'), 'utf8')).trim())).rejects.toThrow('ENOENT');
  });

  it.each(signals.slice(0, inStage(1, 1, 3)))('hands %s to what runs with a secret', async (signal) => {
    const name = signal.slice('SIG'.length);
    const child = `trap 'echo "caught ${name}"; exit 9' ${name}; echo "$SECRET"; while kill -0 $PPID; do sleep 0.02; done`;
    const reference = 'SECRET=conclave://Work/mine/password';
    const words = ['vault', 'run', '--no-masking', '--env', reference, '--', '/bin/sh', '-c', child];
    const running = start(words, { reject: false });
    const seen: string[] = [];
    for await (const line of running) {
      seen.push(line);
      if (seen.length === 1) running.kill(signal);
    }
    expect(seen).toEqual(['correct horse battery', `caught ${name}`]);
    expect((await running).exitCode).toBe(9);
  });

  /** What a shell offers for the line `conclave vault get Wo`, one candidate a line. */
  const shells: Readonly<Record<string, (file: string) => readonly string[]>> = {
    bash: (file) => [
      '-c',
      `source ${file}; COMP_LINE='conclave vault get Wo'; COMP_POINT=21; COMP_WORDS=(conclave vault get Wo); COMP_CWORD=3; _conclave; printf '%s\\n' "\${COMPREPLY[@]}"`,
    ],
    // The functions that zsh's own completion system gives a script, so that it needs no terminal.
    zsh: (file) => [
      '-fc',
      `typeset -A compstate=(quote ''); compdef() { :; }; compadd() { while [[ "$1" != -a ]]; do shift; done; print -rl -- "\${(@P)2}"; }; _describe() { :; }; _files() { :; }
source ${file}; PREFIX=Wo; words=(conclave vault get Wo); CURRENT=4; _conclave; true`,
    ],
    fish: (file) => ['-c', `source ${file}; complete -C 'conclave vault get Wo' | string replace -r '\\t.*' ''; true`],
  };

  it.each([...installed].slice(0, inStage(1, 1, installed.size)))(
    'completes the names of vaults in %s',
    { tags: 'needs-program' },
    async (shell) => {
      await writeFile(pathOf(`completion.${shell}`), await must(['completion', shell]));
      const words = shells[shell]?.(quoted(pathOf(`completion.${shell}`))) ?? [];
      const { stdout } = await execa(shell, words, { env, extendEnv: false, cwd: folder.path });
      expect(stdout.split('\n').map((line) => line.trim())).toEqual(['Work/']);
    },
  );

  it('takes e-mail over SMTP from a program with an app password, and shows it', async () => {
    const made = await must(['account', 'app-password', 'create', 'Mutt', '--scope', 'mail', '--json']);
    const transport = createTransport({
      host: '127.0.0.1',
      port: server.ready.smtp?.port,
      requireTLS: true,
      auth: { user: 'admin', pass: JSON.parse(made).password },
      tls: { ca: await readFile(pathOf('data/tls/certificate.pem')) },
    });
    const address = 'admin@home.example';
    await transport.sendMail({ from: address, to: address, subject: 'By a program', text: 'Text.' });
    transport.close();
    expect(await must(['mail', 'inbox', '--json'])).toContain('"By a program"');
  });

  it('gives a stranger the page of a link, and behind it the file', async () => {
    await writeFile(pathOf('plan.txt'), 'all of the plan');
    await must(['files', 'create', 'Box']);
    await must(['files', 'put', 'plan.txt', 'Box:/plan.txt']);
    const { url } = JSON.parse(await must(['files', 'link', 'Box:/plan.txt', '--json']));
    const link = url.replace(/^https?:\/\/[^/]+/, server.ready.url);
    expect((await fetch(`${server.ready.url}/docs/guides/passwords`)).status).toBe(200);
    const page = await (await fetch(link)).text();
    const parts = [...page.matchAll(/(?:src|href)="([\w./]+)"/g)].map(([, path = '']) => new URL(path, link));
    expect(parts.map(({ pathname }) => pathname)).toContain('/s/page.js');
    for (const part of parts) expect((await fetch(part)).status).toBe(200);
    const stranger = { env: { HOME: pathOf('temporary'), PATH: process.env['PATH'] } };
    expect((await start(['files', 'open', link, '-'], stranger)).stdout).toBe('all of the plan');
  });

  it('has all of it after kill -9, and leaves nothing in a temporary folder', { tags: soak }, async () => {
    await server.kill();
    server = await serveProgram(env, '--smtp', '--smtp-port', '0');
    expect(await must(['vault', 'get', 'Work/mine', '--field', 'username'])).toBe('other');
    expect(await must(['files', 'cat', 'Box:/plan.txt'])).toBe('all of the plan');
    await must(['admin', 'store', 'verify']);
    await must(['vault', 'lock']);
    expect(await server.stop()).toBe(0);
    await must(['admin', 'store', 'verify']);
    expect(await readdir(pathOf('temporary'))).toEqual([]);
    expect(await readdir(pathOf('runtime/conclave'))).toEqual([]);
  });
});
