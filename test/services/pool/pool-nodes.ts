import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import type { Links } from '../../support/links.ts';

const conclave = fileURLToPath(new URL('../../../bin/run.js', import.meta.url));

export interface Said {
  // oxlint-disable-next-line typescript/no-explicit-any -- whatever the command answers; the test says what it expects of it
  readonly json: any;
  readonly exitCode: number | undefined;
  readonly stderr: string;
}

/** A node of a pool in a process of its own, with its store on disk, and the commands of its operator. */
export interface PoolNode {
  readonly name: string;
  /** where other nodes reach it */
  readonly address: string;
  start(): Promise<void>;
  kill(): Promise<void>;
  /** `conclave <words> --json`, as its operator */
  run(...words: string[]): Promise<Said>;
  /** a line for its process, and the line that it answers */
  ask(line: string): Promise<Record<string, unknown>>;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

export async function poolNode(
  name: string,
  place: { readonly folder: string; readonly program: string; readonly links: Links },
): Promise<PoolNode> {
  const dataDir = join(place.folder, name);
  await mkdir(dataDir, { mode: 0o700 });
  const listen = await freePort();
  const address = `127.0.0.1:${await place.links.open(name, listen)}`;
  const env = {
    ...process.env,
    NODE_EXTRA_CA_CERTS: '',
    CONCLAVE_DATA_DIR: dataDir,
    CONCLAVE_PORT: '0',
    CONCLAVE_NETWORK_ENABLED: 'on',
    CONCLAVE_NETWORK_LISTEN: `127.0.0.1:${listen}`,
    CONCLAVE_NETWORK_ANNOUNCE: address,
    CONCLAVE_RATE_LIMITS: 'off',
    XDG_CONFIG_HOME: join(dataDir, 'config'),
  };
  let child: ChildProcess | undefined;
  let answers: AsyncIterator<string> | undefined;

  async function answer(): Promise<Record<string, unknown>> {
    const next = await answers?.next();
    if (next === undefined || next.done === true) {
      const log = await readFile(join(place.folder, `${name}.log`), 'utf8').catch(() => '');
      throw new Error(`node ${name} ended: ${log.slice(-2000)}`);
    }
    return JSON.parse(next.value) as Record<string, unknown>;
  }

  const run: PoolNode['run'] = async (...words) => {
    const done = await execa(process.execPath, [conclave, ...words, '--json'], { env, reject: false, input: '' });
    return {
      json: done.stdout === '' ? undefined : JSON.parse(done.stdout),
      exitCode: done.exitCode,
      stderr: done.stderr,
    };
  };

  const made = await run('init', '--generate-password');
  if (made.exitCode !== 0) throw new Error(`init of ${name}: ${made.stderr}`);

  return {
    name,
    address,
    async start() {
      const started = spawn(process.execPath, [place.program], { env, stdio: ['pipe', 'pipe', 'pipe'] });
      child = started;
      started.stderr.on('data', (chunk: Buffer) => void appendFile(join(place.folder, `${name}.log`), chunk));
      answers = createInterface({ input: started.stdout })[Symbol.asyncIterator]();
      place.links.know(name, started.pid ?? 0);
      await answer();
    },
    async kill() {
      if (child === undefined) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      child = undefined;
      await ended;
    },
    run,
    async ask(line) {
      child?.stdin?.write(`${line}\n`);
      return await answer();
    },
  };
}
