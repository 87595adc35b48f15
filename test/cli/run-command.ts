import { clearLine, cursorTo, moveCursor } from 'node:readline';
import { PassThrough, Writable } from 'node:stream';
import { Errors, type Config } from '@oclif/core';
import type { ConclaveCommand } from '../../src/cli/command.ts';
import type { Terminal } from '../../src/cli/terminal.ts';

type CommandClass = (new (argv: string[], config: Config) => ConclaveCommand) & { id: string };

export interface RunOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** what stands on standard input */
  readonly stdin?: string;
  /** somebody at a terminal, who answers what is asked */
  readonly person?: Person;
}

export interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** stdout as JSON */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
  json(): any;
}

/** Answers by what a question contains; each is used once, in this order. `undefined` is Ctrl-C. */
export type Person = readonly (readonly [question: string, answer: string | undefined])[];

/** Runs a command in this process, as the command line does, with streams and environment of its own. */
export async function runCommand(
  command: CommandClass,
  argv: readonly string[],
  options: RunOptions = {},
): Promise<Run> {
  const { env = {}, stdin, person } = options;
  const tty = person !== undefined;
  const output = { out: '', err: '' };
  const input = Object.assign(new PassThrough(), { isTTY: tty });
  if (stdin !== undefined) input.end(stdin);
  const answer = person === undefined ? () => {} : answering(person, input);
  const terminal: Terminal = {
    stdin: input,
    stdout: Object.assign(
      collect((text) => (output.out += text)),
      { isTTY: tty, columns: 80, rows: 1000 },
    ),
    stderr: Object.assign(
      collect((text) => {
        output.err += text;
        answer(text);
      }),
      // As on the process's own: a question that is over must not end it.
      { isTTY: tty, columns: 80, rows: 24, _isStdio: true },
      tty ? cursor : {},
    ),
    env: { NO_COLOR: '1', ...env },
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
  return { code, stdout: output.out, stderr: output.err, json: () => JSON.parse(output.out) as unknown };
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

function answering(person: Person, input: PassThrough): (text: string) => void {
  const left = [...person];
  let seen = '';
  return (text) => {
    seen += text;
    const [next] = left;
    if (next === undefined || !seen.includes(next[0])) return;
    left.shift();
    seen = '';
    const [, typed] = next;
    // After the question is drawn, as a person would.
    setTimeout(() => input.write(typed === undefined ? '\u0003' : `${typed}\r`), 20);
  };
}
