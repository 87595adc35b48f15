import { clearLine, cursorTo, moveCursor } from 'node:readline';
import { PassThrough, Writable } from 'node:stream';
import { Errors, type Config } from '@oclif/core';
import type { ConclaveCommand } from '../../src/cli/kit/command.ts';
import type { Terminal } from '../../src/cli/kit/terminal.ts';
import { slowly } from '../support/real-time.ts';

type CommandClass = (new (argv: string[], config: Config) => ConclaveCommand) & { id: string };

export interface RunOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** what stands on standard input */
  readonly stdin?: string;
  /** somebody at a terminal, who answers what is asked */
  readonly person?: Person | Reader;
  /** the size of their terminal */
  readonly size?: { readonly columns: number; readonly rows: number };
  /** the person sends stdout to a file */
  readonly redirected?: boolean;
  /** somebody at the terminal that is behind our pipes, as it is when another program runs ours */
  readonly behind?: Person;
}

export interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** what was written on the terminal behind the pipes */
  readonly behind: string;
  /** stdout as JSON */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
  json(): any;
}

/** Answers by what a question contains; each is used once, in this order. `undefined` is Ctrl-C, a list is keys one by one. */
export type Person = readonly (readonly [question: string, answer: string | readonly string[] | undefined])[];

/** Answers by everything that stood on the terminal so far, where a question cannot be foreseen. `undefined` waits for more. */
export type Reader = (shown: string) => string | undefined;

export const keys = { down: '\u001b[B', enter: '\r', escape: '\u001b', interrupt: '\u0003' } as const;

/** Runs a command in this process, as the command line does, with streams and environment of its own. */
export async function runCommand(
  command: CommandClass,
  argv: readonly string[],
  options: RunOptions = {},
): Promise<Run> {
  const { env = {}, stdin, person, redirected = false, behind, size = { columns: 80, rows: 24 } } = options;
  const tty = person !== undefined;
  const output = { out: '', err: '', behind: '' };
  const input = Object.assign(new PassThrough(), { isTTY: tty });
  if (stdin !== undefined) input.end(stdin);
  const answer = person === undefined ? () => {} : answering(person, input);
  const shown = { NO_COLOR: '1', ...env };
  const terminal: Terminal = {
    stdin: input,
    stdout: Object.assign(
      collect((text) => (output.out += text)),
      { isTTY: tty && !redirected, columns: 80, rows: 1000 },
    ),
    stderr: Object.assign(
      collect((text) => {
        output.err += text;
        answer(text);
      }),
      // As on the process's own: a question that is over must not end it.
      { isTTY: tty, ...size, _isStdio: true },
      tty ? cursor : {},
    ),
    env: shown,
    behindPipes: async () => behind && terminalOf(behind, shown, (text) => (output.behind += text)),
  };
  const running = new command([...argv], config);
  running.terminal = terminal;
  let code = 0;
  try {
    // oxlint-disable-next-line no-underscore-dangle -- how oclif runs a command that it has made
    await (running as unknown as { _run(): Promise<unknown> })._run();
  } catch (error) {
    if (!(error instanceof Errors.ExitError)) throw error;
    code = error.oclif.exit ?? 0;
  }
  const { out, err, behind: said } = output;
  return { code, stdout: out, stderr: err, behind: said, json: () => JSON.parse(out) as unknown };
}

/** A terminal of 80 columns with somebody at it. */
function terminalOf(person: Person, env: NodeJS.ProcessEnv, take: (text: string) => void): Terminal & AsyncDisposable {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const answer = answering(person, stdin);
  const output = collect((text) => {
    take(text);
    answer(text);
  });
  const stderr = Object.assign(output, { isTTY: true, columns: 80, rows: 24, _isStdio: true }, cursor);
  return { stdin, stdout: stderr, stderr, env, [Symbol.asyncDispose]: async () => void stdin.destroy() };
}

/** What commands use of oclif's configuration; loading the real one would look for built commands. */
const config = {
  bin: 'conclave',
  commands: [],
  topics: [],
  version: '0.0.0-test',
  topicSeparator: ':',
  runHook: async () => ({ successes: [], failures: [] }),
  scopedEnvVar: () => undefined,
  scopedEnvVarKey: (name: string) => `CONCLAVE_${name}`,
  scopedEnvVarKeys: () => [],
} as unknown as Config;

/** What spinners move the cursor with, on streams that are terminals. */
const cursor = {
  cursorTo(this: Writable, x: number) {
    return cursorTo(this, x);
  },
  clearLine(this: Writable, direction: -1 | 0 | 1) {
    return clearLine(this, direction);
  },
  moveCursor(this: Writable, x: number, y: number) {
    return moveCursor(this, x, y);
  },
};

function collect(take: (text: string) => void): Writable {
  return new Writable({
    write(chunk: Buffer, _, done) {
      take(chunk.toString());
      done();
    },
  });
}

function answering(person: Person | Reader, input: PassThrough): (text: string) => void {
  if (typeof person === 'function') return reading(person, input);
  const left = [...person];
  let seen = '';
  return (text) => {
    seen += text;
    const [next] = left;
    if (next === undefined || !seen.includes(next[0])) return;
    left.shift();
    seen = '';
    const [, typed] = next;
    void typeKeys(input, typeof typed === 'object' ? typed : [typed === undefined ? keys.interrupt : `${typed}\r`]);
  };
}

function reading(reader: Reader, input: PassThrough): (text: string) => void {
  let shown = '';
  return (text) => {
    shown += text;
    const answer = reader(shown);
    if (answer !== undefined) void typeKeys(input, [`${answer}\r`]);
  };
}

/** After the question is drawn, and each key after what the one before has changed, as a person would. */
async function typeKeys(input: PassThrough, all: readonly string[]): Promise<void> {
  for (const key of all) {
    await slowly(20);
    input.write(key);
  }
}
