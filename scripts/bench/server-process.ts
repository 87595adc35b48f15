import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { program } from './served-node.ts';

export interface ServerProcess extends AsyncDisposable {
  readonly port: number;
  readonly pid: number;
  /** from the start of the process to its saying where it listens */
  readonly readyMs: number;
}

/** NODE_EXTRA_CA_CERTS alone takes Node longer than everything else that it does to start. */
export function cleanEnvironment(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const { NODE_EXTRA_CA_CERTS: _, ...rest } = process.env;
  return { ...rest, ...more };
}

/** `conclave serve` of the built program. Its rate limits are counted, and far away. */
export async function startConclave(
  dataDir: string,
  more: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  const often = '900000000/1d';
  const env = cleanEnvironment({
    CONCLAVE_DATA_DIR: dataDir,
    CONCLAVE_PORT: '0',
    CONCLAVE_LIMITS_READ_PER_ACCOUNT: often,
    CONCLAVE_LIMITS_WRITE_PER_ACCOUNT: often,
    CONCLAVE_LIMITS_MAIL_SENDING_PER_ACCOUNT: often,
    CONCLAVE_LIMITS_SOCIAL_REACTION_PER_ACCOUNT: often,
    ...more,
  });
  return await ready([program, 'serve'], env, /https?:\/\/\S+:(\d+)/);
}

/** A bare h3 handler on listhen that answers everything with `body`. */
export async function startBare(body: string): Promise<ServerProcess> {
  const file = fileURLToPath(new URL('bare-server.ts', import.meta.url));
  return await ready(['--import', 'tsx', file], cleanEnvironment(), /^(\d+)$/m, body);
}

/** A bare node:http server that answers everything with a file. */
export async function startBareFile(path: string): Promise<ServerProcess> {
  const file = fileURLToPath(new URL('bare-files.ts', import.meta.url));
  return await ready(['--import', 'tsx', file, path], cleanEnvironment(), /^(\d+)$/m);
}

async function ready(
  line: readonly string[],
  env: NodeJS.ProcessEnv,
  announcement: RegExp,
  input = '',
): Promise<ServerProcess> {
  const started = performance.now();
  const child = spawn(process.execPath, line, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(input);
  const port = await new Promise<number>((resolve, reject) => {
    let said = '';
    // Goes on reading afterwards, so that the server never waits for its own words to be taken.
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const found = announcement.exec(said)?.[1];
      if (found !== undefined) resolve(Number(found));
    });
    child.once('exit', () => reject(new Error(`the server ended before it listened: ${said}`)));
  });
  const readyMs = performance.now() - started;
  return { port, readyMs, pid: child.pid ?? 0, [Symbol.asyncDispose]: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/** Resident memory in MiB. Linux alone says it without another program. */
export async function residentMiB(pid: number): Promise<number> {
  return await memoryMiB(pid, 'VmRSS');
}

/** Of that, what belongs to no file: pages of the program itself are the page cache's, and clean. */
export async function anonymousMiB(pid: number): Promise<number> {
  return await memoryMiB(pid, 'RssAnon');
}

/** The most that it ever was. */
export async function peakMiB(pid: number): Promise<number> {
  return await memoryMiB(pid, 'VmHWM');
}

async function memoryMiB(pid: number, field: string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
}
