import { execa } from 'execa';
import type { Ready } from '../../src/node/listeners/serve.ts';
import { program } from './program.ts';

/** The program as a server, in a process of its own. It is killed at the end if it hasn't ended by then. */
export interface ServedProgram extends AsyncDisposable {
  readonly ready: Ready;
  readonly pid: number;
  /** its log so far, with whatever else it said on standard error */
  log(): string;
  /** asks it to stop @returns its exit code */
  stop(): Promise<number | undefined>;
  kill(): Promise<void>;
}

/** @param env all variables that it gets @throws Error with what it said, where it ended before it listened */
export async function serveProgram(env: NodeJS.ProcessEnv, ...words: readonly string[]): Promise<ServedProgram> {
  const options = { env, extendEnv: false, reject: false, stdin: 'ignore' } as const;
  const child = execa(...program('serve', '--port', '0', '--json', ...words), options);
  let log = '';
  child.stderr.on('data', (piece: Buffer) => (log += piece.toString()));
  const ended = async (signal: NodeJS.Signals): Promise<number | undefined> => {
    child.kill(signal);
    return (await child).exitCode;
  };
  return {
    ready: await readyOf(child.stdout, () => log),
    pid: child.pid ?? 0,
    log: () => log,
    stop: async () => await ended('SIGTERM'),
    kill: async () => void (await ended('SIGKILL')),
    [Symbol.asyncDispose]: async () => void (await ended('SIGKILL')),
  };
}

/** It says that as an indented object. */
async function readyOf(stdout: AsyncIterable<Buffer>, log: () => string): Promise<Ready> {
  let text = '';
  for await (const piece of stdout) {
    text += piece.toString();
    if (text.endsWith('\n}\n')) return JSON.parse(text) as Ready;
  }
  throw new Error(`the program ended before it listened: ${text}${log()}`);
}
