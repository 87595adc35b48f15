import type { ChildProcess, StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { Problem } from '../../../base/problem.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import { startProgram } from '../../kit/start-program.ts';
import type { Terminal } from '../../kit/terminal.ts';
import { createMasker } from './masking.ts';

export interface ChildOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** variables that the program gets in addition to the remaining environment */
  readonly variables: readonly (readonly [name: string, value: string])[];
  /** secrets that must not appear in the output; undefined lets the child use our own outputs */
  readonly mask: readonly string[] | undefined;
}

/** Signals that are passed on to the program. */
const forwarded = ['SIGTERM', 'SIGHUP', 'SIGUSR2', 'SIGCONT', 'SIGWINCH'] as const;
/** A terminal sends these to the child itself, which is in the same process group. */
const ofTheTerminal = ['SIGINT', 'SIGQUIT'] as const;

/** Exit codes of shells: 126 for a program that cannot run, 127 for one that does not exist, 128 plus the signal that ended it. */
const notExecutable = 126;
const notFound = 127;
const signalled = 128;

/**
 * Runs a program without a shell until it ends, and forwards signals to it.
 *
 * @returns its exit code
 * @throws Problem invalid COMMAND_INVALID for a name that no program can have
 */
export async function runChild(terminal: Terminal, { command, args, variables, mask }: ChildOptions): Promise<number> {
  const own = terminal.stdin === process.stdin;
  const stdin = own ? 'inherit' : 'pipe';
  const stdio: StdioOptions = mask === undefined && own ? 'inherit' : [stdin, 'pipe', 'pipe'];
  if (command === '' || [command, ...args].some((word) => word.includes('\0'))) {
    throw new Problem(
      'invalid',
      'COMMAND_INVALID',
      'The name of a program cannot be empty, and no argument can contain a NUL character.',
    );
  }
  let child: ChildProcess | undefined;
  // Before it starts: a signal that nobody listens for would end us alone, and leave a program with secrets behind.
  const stop = handOn(terminal, (signal) => child?.kill(signal));
  try {
    child = startProgram(command, args, { env: terminal.env, variables, stdio });
    if (!own && child.stdin !== null) {
      child.stdin.on('error', () => {});
      terminal.stdin.pipe(child.stdin);
    }
    const outputs = [
      copyMasked(child.stdout, terminal.stdout, mask ?? []),
      copyMasked(child.stderr, terminal.stderr, mask ?? []),
    ];
    const code = await exitCodeOf(child, (error) => {
      const why = reasonFor(command, error);
      terminal.stderr.write(`Error: ${escapeForTerminal(why)}\n`);
    });
    await Promise.all(outputs);
    return code;
  } finally {
    stop();
  }
}

function handOn({ stdin }: Terminal, to: (signal: NodeJS.Signals) => void): () => void {
  const signals = [...forwarded, ...ofTheTerminal];
  const hands = signals.map((signal) => {
    const own = (ofTheTerminal as readonly string[]).includes(signal) && stdin.isTTY === true;
    // A listener keeps this process alive until the child has ended.
    const hand = () => (own ? undefined : to(signal));
    process.on(signal, hand);
    return () => process.off(signal, hand);
  });
  return () => {
    for (const off of hands) off();
  };
}

async function exitCodeOf(child: ChildProcess, report: (error: NodeJS.ErrnoException) => void): Promise<number> {
  return await new Promise((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      report(error);
      resolve(error.code === 'ENOENT' ? notFound : notExecutable);
    });
    child.once('close', (code, signal) =>
      resolve(code ?? signalled + (signal === null ? 0 : constants.signals[signal])),
    );
  });
}

function reasonFor(command: string, { code, message }: NodeJS.ErrnoException): string {
  const name = JSON.stringify(command);
  if (code === 'ENOENT') return `The program ${name} was not found. Check that it is installed and in PATH.`;
  return `${name} cannot be run: ${code === 'EACCES' ? 'it is not a program, or this user may not run it.' : message}`;
}

async function copyMasked(from: Readable | null, to: Terminal['stdout'], secrets: readonly string[]): Promise<void> {
  if (from === null) return;
  const masker = createMasker(secrets);
  // The reader of our output may have closed the pipe. The child keeps running, as it would with `| head`.
  let closed = false;
  to.on('error', () => (closed = true));
  const put = async (bytes: Buffer) => {
    if (closed || bytes.length === 0 || to.write(bytes)) return;
    await Promise.race([once(to, 'drain'), once(to, 'close')]).catch(() => undefined);
  };
  for await (const chunk of from as AsyncIterable<Uint8Array>) await put(masker.write(chunk));
  await put(masker.end());
}
