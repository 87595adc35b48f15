import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Terminal } from '../../../src/cli/kit/terminal.ts';
import { runChild } from '../../../src/cli/passvault/run/child-process.ts';
import { concealed } from '../../../src/cli/passvault/run/masking.ts';
import { until } from '../../support/real-time.ts';

const env = { PATH: process.env['PATH'], CONCLAVE_TOKEN: 'cnv_secret', conclave_key: 'of ours' };

function collected() {
  const out = { text: '' };
  const stream = new Writable({ write: (chunk: Buffer, _, done) => ((out.text += chunk.toString()), done()) });
  return { out, stream };
}

async function run(
  script: string,
  { mask, variables = [], stdin }: { mask?: string[]; variables?: [string, string][]; stdin?: string } = {},
) {
  const [stdout, stderr] = [collected(), collected()];
  const input = new PassThrough();
  if (stdin !== undefined) input.end(stdin);
  const terminal: Terminal = { stdin: input, stdout: stdout.stream, stderr: stderr.stream, env };
  const code = await runChild(terminal, {
    command: '/bin/sh',
    args: ['-c', script],
    variables,
    mask,
  });
  return { code, stdout: stdout.out.text, stderr: stderr.out.text };
}

describe('a program with secrets', () => {
  it('gets its environment and standard input, and its exit code is passed on', async () => {
    expect(
      await run('cat; echo "$SECRET" >&2; exit 7', { variables: [['SECRET', 'hunter2']], stdin: 'hello' }),
    ).toEqual({
      code: 7,
      stdout: 'hello',
      stderr: 'hunter2\n',
    });
  });

  it('gets nothing of ours that it was not given', async () => {
    const { stdout } = await run('env', { variables: [['CONCLAVE_SERVER', 'https://given.example']] });
    expect(stdout.split('\n').filter((line) => /^conclave_/i.test(line))).toEqual([
      'CONCLAVE_SERVER=https://given.example',
    ]);
    expect(stdout).toContain('PATH=');
  });

  it('has secrets masked in both outputs, however it writes them', async () => {
    const script = 'printf hun; sleep 0.05; printf ter2; printf "<%s>" "$SECRET"; echo "err $SECRET" >&2';
    expect(await run(script, { variables: [['SECRET', 'hunter2']], mask: ['hunter2'] })).toEqual({
      code: 0,
      stdout: `${concealed}<${concealed}>`,
      stderr: `err ${concealed}\n`,
    });
  });

  it('is reported as shells do when it cannot be run or a signal ended it', async () => {
    const { out, stream } = collected();
    const terminal: Terminal = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: stream, env };
    const missing = { command: 'nosuchprogram', args: [], variables: [], mask: [] };
    expect(await runChild(terminal, missing)).toBe(127);
    expect(out.text).toBe(
      'Error: The program "nosuchprogram" was not found. Check that it is installed and in PATH.\n',
    );
    expect(await runChild(terminal, { ...missing, command: import.meta.filename })).toBe(126);
    expect(out.text.split('\n')[1]).toMatch(/^Error: ".*child-process\.test\.ts" cannot be run: /);
    await expect(runChild(terminal, { ...missing, command: 'a\0b' })).rejects.toMatchObject({
      code: 'COMMAND_INVALID',
    });
    expect((await run('kill -TERM $$')).code).toBe(143);
  });

  it.each(['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGCONT', 'SIGWINCH'] as const)('gets %s', async (signal) => {
    const { stream, out } = collected();
    const terminal: Terminal = { stdin: new PassThrough(), stdout: stream, stderr: stream, env };
    const name = signal.slice('SIG'.length);
    const before = process.listenerCount(signal);
    const running = runChild(terminal, {
      command: '/bin/sh',
      args: ['-c', `trap "echo caught ${name}; exit 9" ${name}; echo ready; while :; do sleep 0.02; done`],
      variables: [],
      mask: ['caught'],
    });
    await expect.poll(() => out.text, { interval: 10 }).toContain('ready');
    process.emit(signal, signal);
    expect(await running).toBe(9);
    // What it says at its end is masked as everything else is.
    expect(out.text).toBe(`ready\n${concealed} ${name}\n`);
    expect(process.listenerCount(signal)).toBe(before);
  });

  it('is ended by what ends us, with the code that shells give it', async () => {
    const { stream, out } = collected();
    const terminal: Terminal = { stdin: new PassThrough(), stdout: stream, stderr: stream, env };
    const running = runChild(terminal, {
      command: '/bin/sh',
      args: ['-c', 'echo ready; exec sleep 30'],
      variables: [],
      mask: [],
    });
    await expect.poll(() => out.text, { interval: 10 }).toContain('ready');
    process.emit('SIGTERM', 'SIGTERM');
    expect(await running).toBe(143);
  });

  it('gets the signals that come to us', async () => {
    const { stream, out } = collected();
    const terminal: Terminal = { stdin: new PassThrough(), stdout: stream, stderr: stream, env };
    const script = 'trap "echo caught; exit 5" USR2; echo ready; while :; do sleep 0.02; done';
    const running = runChild(terminal, {
      command: '/bin/sh',
      args: ['-c', script],
      variables: [],
      mask: [],
    });
    const before = process.listenerCount('SIGUSR2');
    await until(() => out.text.includes('ready'));
    process.kill(process.pid, 'SIGUSR2');
    expect(await running).toBe(5);
    expect(out.text).toBe('ready\ncaught\n');
    expect(process.listenerCount('SIGUSR2')).toBe(before - 1);
  });
});
