import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, cp, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { execa } from 'execa';
import { shiftedClock } from '../../support/shifted-clock.ts';
import type { Wires } from '../../support/wires.ts';

const conclave = fileURLToPath(new URL('../../../bin/run.js', import.meta.url));

export interface Said {
  // oxlint-disable-next-line typescript/no-explicit-any -- whatever the command answers; the test says what it expects of it
  readonly json: any;
  readonly exitCode: number | undefined;
  readonly stderr: string;
}

/** What a command shows on a terminal. */
interface Shown {
  readonly lines: readonly string[];
  readonly exitCode: number | undefined;
}

/** util-linux has it; elsewhere a program of that name takes other arguments. */
const versionOfScript = await execa('script', ['--version'], { reject: false });
const hasTerminal = versionOfScript.exitCode === 0 && versionOfScript.stdout.includes('util-linux');

/** A node of a pool in a process of its own, with its store on disk, and the commands of its operator. */
export interface PoolNode {
  readonly name: string;
  /** where other nodes reach it */
  readonly address: string;
  start(): Promise<void>;
  kill(): Promise<void>;
  /** asks it to stop, and waits until it has */
  stop(): Promise<void>;
  /** `conclave <words> --json`, as its operator */
  run(...words: string[]): Promise<Said>;
  /** `conclave <words>` on a terminal of 80 columns, as its operator */
  show(...words: string[]): Promise<Shown>;
  /** a line for its process, and the line that it answers */
  ask(line: string): Promise<Record<string, unknown>>;
  /** Makes the clock of its machine wrong by some milliseconds, for commands now and for the node from its next start on. */
  shiftClock(byMs: number): void;
  /** Copies its data folder, while it does not run. */
  backUp(to: string): Promise<void>;
  /** Puts the copy of a data folder in the place of its own, while it does not run. */
  restore(from: string): Promise<void>;
  /** everything that it has logged */
  log(): Promise<string>;
}

interface NodePlace {
  readonly folder: string;
  readonly program: string;
  readonly wires: Wires;
  /** a data folder to begin with, of which this node is a copy; otherwise it begins as a node of its own */
  readonly copyOf?: string;
}

/** Sockets belong to a process that runs. */
const isKept = (path: string): boolean => !/(?:control\.sock|store\.lock\S*)$/.test(path);

export async function poolNode(name: string, { folder, program, wires, copyOf }: NodePlace): Promise<PoolNode> {
  const dataDir = join(folder, name);
  const logFile = join(folder, `${name}.log`);
  const { listen, address, prefix } = await wires.place(name);
  const env = {
    ...process.env,
    NODE_EXTRA_CA_CERTS: '',
    CONCLAVE_DATA_DIR: dataDir,
    CONCLAVE_PORT: '0',
    CONCLAVE_NETWORK_ENABLED: 'on',
    CONCLAVE_NETWORK_LISTEN: listen,
    CONCLAVE_NETWORK_ANNOUNCE: address,
    CONCLAVE_RATE_LIMITS: 'off',
    XDG_CONFIG_HOME: join(dataDir, 'config'),
  };
  let child: ChildProcess | undefined;
  let answers: AsyncIterator<string> | undefined;
  let clock: string[] = [];

  const log = async (): Promise<string> => await readFile(logFile, 'utf8').catch(() => '');

  async function answer(): Promise<Record<string, unknown>> {
    const next = await answers?.next();
    if (next === undefined || next.done === true) throw new Error(`node ${name} ended: ${(await log()).slice(-2000)}`);
    return JSON.parse(next.value) as Record<string, unknown>;
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    const running = child;
    child = undefined;
    // A process that ended by itself says so only once.
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
    const ended = once(running, 'exit');
    running.kill(signal);
    await ended;
  }

  const run: PoolNode['run'] = async (...words) => {
    const line = [...clock, '--', conclave, ...words, '--json'];
    const done = await execa(process.execPath, line, { env, reject: false, input: '' });
    return {
      json: done.stdout === '' ? undefined : JSON.parse(done.stdout),
      exitCode: done.exitCode,
      stderr: done.stderr,
    };
  };

  if (copyOf === undefined) {
    await mkdir(dataDir, { mode: 0o700 });
    const made = await run('init', '--generate-password');
    if (made.exitCode !== 0) throw new Error(`init of ${name}: ${made.stderr}`);
  } else {
    await cp(copyOf, dataDir, { recursive: true, filter: isKept });
  }

  return {
    name,
    address,
    async start() {
      const [command, ...words] = [...prefix, process.execPath, ...clock, program];
      const started = spawn(command, words, { env, stdio: ['pipe', 'pipe', 'pipe'] });
      child = started;
      started.stderr.on('data', (chunk: Buffer) => void appendFile(logFile, chunk));
      answers = createInterface({ input: started.stdout })[Symbol.asyncIterator]();
      wires.know(name, started.pid ?? 0);
      await answer();
    },
    kill: async () => await end('SIGKILL'),
    stop: async () => await end('SIGTERM'),
    run,
    async show(...words) {
      if (!hasTerminal) throw new Error('there is no terminal: script of util-linux is missing');
      const command = [process.execPath, ...clock, '--', conclave, ...words].map(quoted).join(' ');
      const line = `stty rows 200 cols 80; exec ${command}`;
      const shown = await execa('script', ['-qec', line, '/dev/null'], {
        env: { ...env, TERM: 'xterm', PAGER: 'cat', NO_COLOR: '1', CI: '' },
        reject: false,
        stdin: 'ignore',
      });
      return { lines: linesOf(shown.stdout), exitCode: shown.exitCode };
    },
    async ask(line) {
      child?.stdin?.write(`${line}\n`);
      return await answer();
    },
    shiftClock: (byMs) => void (clock = shiftedClock(byMs)),
    backUp: async (to) => await cp(dataDir, to, { recursive: true, filter: isKept }),
    async restore(from) {
      await rm(dataDir, { recursive: true });
      await cp(from, dataDir, { recursive: true, filter: isKept });
    },
    log,
  };
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** What stands on a terminal in the end: a carriage return begins a line anew. */
function linesOf(text: string): string[] {
  const lines = stripVTControlCharacters(text).replaceAll('\r\n', '\n').split('\n');
  return lines.map((line) => line.slice(line.lastIndexOf('\r') + 1)).filter((line) => line !== '');
}
