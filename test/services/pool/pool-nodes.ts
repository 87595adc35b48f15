import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text as textOf } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import { execa } from 'execa';
import { openClient } from '../../../src/client/client.ts';
import { socketTransport } from '../../../src/client/http-transport.ts';
import { perform } from '../../../src/client/perform.ts';
import { controlSocketPath } from '../../../src/config/paths.ts';
import { pool } from '../../../src/contract/pool.ts';
import type { ReplyOf } from '../../../src/contract/operation.ts';
import { makeHome } from '../../support/prepared-home.ts';
import { program as theProgram, programOnNode, quoted } from '../../support/program.ts';
import { shiftedClock } from '../../support/shifted-clock.ts';
import type { Wires } from '../../support/wires.ts';

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

export type PoolStatus = ReplyOf<(typeof pool)['status']>;

/** util-linux has it; elsewhere a program of that name takes other arguments. */
const versionOfScript = await execa('script', ['--version'], { reject: false });
export const hasTerminal = versionOfScript.exitCode === 0 && versionOfScript.stdout.includes('util-linux');

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
  /** the same with further variables */
  runWith(variables: Readonly<Record<string, string>>, ...words: string[]): Promise<Said>;
  /** `conclave <words>` on a terminal of 80 columns, as its operator */
  show(...words: string[]): Promise<Shown>;
  /** what `conclave pool status --json` answers, for tests that wait: it costs less than a command */
  status(): Promise<PoolStatus>;
  /** a line for its process, and the line that it answers; for a program of the test */
  ask(line: string): Promise<Record<string, unknown>>;
  /** Makes the clock of its machine wrong by some milliseconds, for commands now and for the node from its next start on. */
  shiftClock(byMs: number): void;
  /** Copies its data folder, while it does not run. */
  backUp(to: string): Promise<void>;
  /**
   * Puts the copy of a data folder in the place of its own, while it does not run.
   * @param kept names of files that stay as they are
   */
  restore(from: string, ...kept: string[]): Promise<void>;
  /** a page of its server: health, metrics */
  page(path: `/${string}`): Promise<{ readonly status: number; readonly text: string }>;
  /** everything that it has logged */
  log(): Promise<string>;
}

interface NodePlace {
  readonly folder: string;
  /** a program of the test that serves; without it, `conclave serve` does */
  readonly program?: string;
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
    CONCLAVE_MAIL_DOMAIN: `${name}.example`,
    XDG_CONFIG_HOME: join(dataDir, 'config'),
  };
  let child: ChildProcess | undefined;
  let answers: AsyncIterator<string> | undefined;
  let clock: string[] = [];
  const conclave = (...words: string[]) => (clock.length > 0 ? programOnNode(clock, ...words) : theProgram(...words));

  const log = async (): Promise<string> => await readFile(logFile, 'utf8').catch(() => '');

  async function answer(): Promise<Record<string, unknown>> {
    const next = await answers?.next();
    if (next === undefined || next.done === true) throw new Error(`node ${name} ended: ${(await log()).slice(-2000)}`);
    // The command writes what it says on several lines.
    if (next.value === '{') return await rest();
    return JSON.parse(next.value) as Record<string, unknown>;
  }

  async function rest(): Promise<Record<string, unknown>> {
    let text = '{';
    while (!text.endsWith('\n}')) {
      const next = await answers?.next();
      if (next === undefined || next.done === true) throw new Error(`node ${name} ended: ${text}`);
      text += `\n${next.value}`;
    }
    return JSON.parse(text) as Record<string, unknown>;
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

  const run: PoolNode['run'] = async (...words) => await runWith({}, ...words);
  const runWith: PoolNode['runWith'] = async (variables, ...words) => {
    const options = { env: { ...env, ...variables }, reject: false, input: '' } as const;
    const done = await execa(...conclave(...words, '--json'), options);
    return {
      json: done.stdout === '' ? undefined : JSON.parse(done.stdout),
      exitCode: done.exitCode,
      stderr: done.stderr,
    };
  };

  if (copyOf === undefined) {
    await mkdir(dataDir, { mode: 0o700 });
    await makeHome(dataDir);
  } else {
    await cp(copyOf, dataDir, { recursive: true, filter: isKept });
  }

  return {
    name,
    address,
    async start() {
      const [served, line] =
        program === undefined ? conclave('serve', '--json') : [process.execPath, [...clock, program]];
      const [command = '', ...words] = [...prefix, served, ...line];
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
    runWith,
    async show(...words) {
      if (!hasTerminal) throw new Error('there is no terminal: script of util-linux is missing');
      const line = `stty rows 200 cols 80; exec ${conclave(...words)
        .flat()
        .map(quoted)
        .join(' ')}`;
      const shown = await execa('script', ['-qec', line, '/dev/null'], {
        env: { ...env, TERM: 'xterm', PAGER: 'cat', NO_COLOR: '1', CI: '' },
        reject: false,
        stdin: 'ignore',
      });
      return { lines: linesOf(shown.stdout), exitCode: shown.exitCode };
    },
    async status() {
      // The clock of this process signs the token, and the node would find it from another time.
      if (clock.length > 0) return (await run('pool', 'status')).json as PoolStatus;
      const userAgent = 'a test';
      await using client = await openClient({ env, userAgent, command: userAgent, dataDir });
      return await perform(client, pool.status, {});
    },
    async ask(line) {
      child?.stdin?.write(`${line}\n`);
      return await answer();
    },
    shiftClock: (byMs) => void (clock = shiftedClock(byMs)),
    backUp: async (to) => await cp(dataDir, to, { recursive: true, filter: isKept }),
    async restore(from, ...kept) {
      const staying = await Promise.all(kept.map(async (file) => [file, await readFile(join(dataDir, file))] as const));
      await rm(dataDir, { recursive: true });
      await cp(from, dataDir, { recursive: true, filter: isKept });
      for (const [file, content] of staying) await writeFile(join(dataDir, file), content);
    },
    async page(path) {
      await using transport = socketTransport(controlSocketPath(dataDir));
      const { status, body } = await transport.send({ method: 'GET', path, headers: {} });
      return { status, text: await textOf(body) };
    },
    log,
  };
}

/** What stands on a terminal in the end: a carriage return, or going to the first column, begins a line anew. */
function linesOf(text: string): string[] {
  const atStart = text.replaceAll('\u001b[1G', '\r').replaceAll('\r\n', '\n');
  const lines = stripVTControlCharacters(atStart).split('\n');
  return lines.map((line) => line.slice(line.lastIndexOf('\r') + 1)).filter((line) => line !== '');
}
