import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { durable, startPostgres } from '../../test/support/postgres.ts';

/** The built program, as npm installs it. */
export const program = fileURLToPath(new URL('../../bin/run.js', import.meta.url));

/** The domain of the node whose e-mail is measured. */
export const domain = 'bench.example';

type Environment = Readonly<Record<string, string>>;

export interface ServerProcess extends AsyncDisposable {
  readonly port: number;
  readonly pid: number;
  /** from the start of the process to its saying where it listens */
  readonly readyMs: number;
  /** what it said until then */
  readonly said: string;
}

export interface Started extends AsyncDisposable {
  /** of a database; undefined for the embedded engine */
  readonly url: string | undefined;
  /** of a server that uses it */
  readonly env: Environment;
}

/** `postgres` starts a PostgreSQL of its own, which writes as durably as one that is installed. */
export async function startEngine(engine: string): Promise<Started> {
  if (engine === 'sqljs') return { url: undefined, env: {}, [Symbol.asyncDispose]: async () => {} };
  if (engine !== 'postgres') throw new Error(`--engine is sqljs or postgres, not ${engine}`);
  const server = await startPostgres(durable);
  return {
    url: server.url,
    env: { CONCLAVE_DATABASE: server.url },
    [Symbol.asyncDispose]: async () => await server[Symbol.asyncDispose](),
  };
}

/** NODE_EXTRA_CA_CERTS alone takes Node longer than everything else that it does to start. */
export function cleanEnvironment(more: Environment = {}): NodeJS.ProcessEnv {
  const { NODE_EXTRA_CA_CERTS: _, ...rest } = process.env;
  return { ...rest, ...more };
}

/** Runs the built program to its end. @returns what it printed */
export function conclave(words: readonly string[], env: Environment, input = ''): string {
  const line = [program, ...words];
  const { status, stdout, stderr } = spawnSync(process.execPath, line, { env: cleanEnvironment(env), input });
  if (status !== 0) throw new Error(`conclave ${words.join(' ')} ended with ${status}: ${stderr.toString()}`);
  return stdout.toString();
}

/** Makes a store with an administrator, unless there is one. @returns the settings of a server for it */
export function initStore(dataDir: string, more: Environment = {}): Record<string, string> {
  const env = { CONCLAVE_DATA_DIR: dataDir, CONCLAVE_MAIL_DOMAIN: domain, ...more };
  conclave(['init', '--generate-password', '--if-missing'], env);
  return env;
}

/** `conclave serve` of the built program. Its rate limits are counted, and far away. */
export async function startConclave(dataDir: string, more: Environment = {}): Promise<ServerProcess> {
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
  return await startServer([process.execPath, program, 'serve'], env);
}

/** A bare h3 handler on listhen that answers everything with `body`. */
export async function startBare(body: string): Promise<ServerProcess> {
  return await startBareOf(['body'], body);
}

/** A bare node:http server that answers everything with a file. */
export async function startBareFile(path: string): Promise<ServerProcess> {
  return await startBareOf(['file', path]);
}

async function startBareOf(words: readonly string[], input = ''): Promise<ServerProcess> {
  const file = fileURLToPath(new URL('bare.ts', import.meta.url));
  return await startServer([process.execPath, '--import', 'tsx', file, ...words], cleanEnvironment(), input);
}

/** Starts a server that says `http://…:PORT` as soon as it is ready. */
export async function startServer(
  [command, ...words]: readonly [string, ...string[]],
  env: NodeJS.ProcessEnv,
  input = '',
): Promise<ServerProcess> {
  const started = performance.now();
  const child = spawn(command, words, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(input);
  let said = '';
  const port = await new Promise<number>((resolve, reject) => {
    // Goes on reading afterwards, so that the server never waits for its own words to be taken.
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const found = /https?:\/\/\S+:(\d+)\s/.exec(said)?.[1];
      if (found !== undefined) resolve(Number(found));
    });
    child.once('exit', () => reject(new Error(`the server ended before it listened: ${said}`)));
  });
  const readyMs = performance.now() - started;
  return { port, readyMs, said, pid: child.pid ?? 0, [Symbol.asyncDispose]: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

const memoryFields = {
  resident: 'VmRSS',
  /** of that, what belongs to no file: pages of the program itself are the page cache's, and clean */
  anonymous: 'RssAnon',
  /** the most that was ever resident */
  most: 'VmHWM',
} as const;

/** Linux alone says it without another program. */
export async function memoryMiB(pid: number, kind: keyof typeof memoryFields): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${memoryFields[kind]}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
}

/** Of the administrator that `conclave init` made. */
export async function firstAdministrator(dataDir: string): Promise<{ username: string; password: string }> {
  const note = await readFile(join(dataDir, 'first-administrator.txt'), 'utf8');
  const [username = '', password = ''] = ['username', 'password'].map(
    (name) => new RegExp(`^${name}: (.*)$`, 'm').exec(note)?.[1],
  );
  return { username, password };
}

export interface SignedIn {
  readonly username: string;
  readonly headers: { readonly authorization: string };
  /** a request with a JSON body, or with bytes */
  readonly ask: (method: string, path: string, body?: object) => Promise<Response>;
  /** the same, whose answer is JSON in `data` */
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
  readonly data: (method: string, path: string, body?: object) => Promise<any>;
}

/** Signs the administrator of a store in. */
export async function signIn(port: number, dataDir: string): Promise<SignedIn> {
  const { username, password } = await firstAdministrator(dataDir);
  const asking = async (headers: Environment, method: string, path: string, body?: object): Promise<Response> => {
    const isRaw = body instanceof Uint8Array;
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { ...headers, 'content-type': isRaw ? 'application/octet-stream' : 'application/json' },
      ...(body !== undefined && { body: isRaw ? new Uint8Array(body) : JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${await answer.text()}`);
    return answer;
  };
  const login = await asking({}, 'POST', '/api/user/login', { username, password });
  const { data } = (await login.json()) as { data: { token: string } };
  const headers = { authorization: `Bearer ${data.token}` };
  const ask: SignedIn['ask'] = async (method, path, body) => await asking(headers, method, path, body);
  return {
    username,
    headers,
    ask,
    data: async (method, path, body) => ((await (await ask(method, path, body)).json()) as { data: unknown }).data,
  };
}
