import { randomBytes } from 'node:crypto';
import { readdir, rename, stat, unlink } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '../../base/problem.ts';
import { socketPath } from './socket-path.ts';

/** The process that has a store open. */
export interface LockHolder {
  readonly pid: number;
  /** the command that it runs, as given to `acquireLock` */
  readonly command: string;
  /** milliseconds since 1970 */
  readonly startedAt: number;
  /** whether it keeps the store until somebody stops it */
  readonly isServer: boolean;
}

export type StoreLock = AsyncDisposable;

export interface LockOptions {
  /** milliseconds since 1970 */
  readonly now?: (() => number) | undefined;
  /** see `LockHolder` */
  readonly isServer?: boolean;
}

interface Answer extends LockHolder {
  /** tells two holders apart even if their process ids are equal; the smaller id goes first */
  readonly id: string;
  /** false while the process only wants the lock */
  settled: boolean;
}

/** A socket on which another process listens. It has no answer if that process is too busy, or isn't a process of ours. */
interface Rival {
  readonly answer: Answer | undefined;
}

/** On Windows the whole name of the pipe; elsewhere the id of the listening process follows. */
const lockName = 'store.lock';
const socketName = /^store\.lock\.([0-9a-f]{16})$/;
/** A socket that is not listened on yet. Its name keeps others from taking it for a dead one. */
const unbornName = /^store\.lock-new\.[0-9a-f]{16}$/;
const answerMs = 2_000;
/** On a slow machine, twenty processes that want the lock at once take a second to agree. */
const patienceMs = 15_000;
const retryMs = 25;
/** A socket gets its lasting name within milliseconds. */
const unbornMs = 60_000;

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

function inUse(holder: LockHolder | undefined): Problem {
  const who = holder
    ? `${holder.command} (process ${holder.pid}, since ${new Date(holder.startedAt).toISOString()})`
    : 'another process, which does not say its name';
  const todo = holder?.isServer
    ? 'Stop that process, or ask it over control.sock in the data directory'
    : 'Try again when that process has ended, or stop it';
  return new Problem('conflict', 'STORE_IN_USE', `The store is in use by ${who}. ${todo}.`);
}

/** The largest time that a Date can hold. */
const latestTime = 8.64e15;

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function parse(line: string): Answer | undefined {
  try {
    const { id, pid, command, startedAt, isServer, settled } = JSON.parse(line) as Record<keyof Answer, unknown>;
    // These are claims of the process that holds the socket. They are only used in messages.
    if (!isCount(pid) || !isCount(startedAt) || startedAt > latestTime) return undefined;
    return {
      id: String(id),
      pid,
      command: String(command),
      startedAt,
      isServer: isServer === true,
      settled: settled === true,
    };
  } catch {
    return undefined;
  }
}

/** Asks who listens on a socket; undefined when nobody does. A process that listens but is too busy to answer still holds the socket. */
async function ask(path: string): Promise<Rival | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    const line = await read(path);
    if (line === 'nobody') return undefined;
    // The connection was closed: its process let the socket go, or ended, while we waited in its queue. The next try finds nobody.
    if (line !== 'hung up' || attempt === 10) return { answer: parse(line) };
    await sleep(retryMs);
  }
}

/** Returns the whole text that a socket sends, or the part that came in time. */
function read(path: string): Promise<string> {
  return new Promise((resolve) => {
    let line = '';
    const socket = connect(path);
    const done = (what: string): void => {
      socket.destroy();
      resolve(what);
    };
    socket.setEncoding('utf8').setTimeout(answerMs, () => done(line));
    socket.on('data', (text: string) => (line += text));
    socket.on('end', () => done(line === '' ? 'hung up' : line));
    socket.on('error', (error) => {
      const code = codeOf(error);
      if (code === 'ENOENT' || code === 'ECONNREFUSED' || code === 'ENOTSOCK') done('nobody');
      else done(code === 'ECONNRESET' || code === 'EPIPE' ? 'hung up' : line);
    });
  });
}

function answering(answer: Answer): Server {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.write(`${JSON.stringify(answer)}\n`);
    socket.destroySoon();
  });
  // The lock must not keep a command from ending. The system frees the lock when the process ends.
  return server.unref();
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => void server.close(() => resolve()));
}

async function removeIfThere(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

/** The other sockets that are listened on. Sockets of dead processes are removed: their names are never used again. */
async function rivals(dataDir: string, ownId?: string): Promise<Rival[]> {
  const living: Rival[] = [];
  for (const name of await readdir(dataDir)) {
    const id = socketName.exec(name)?.[1];
    if (id === undefined || id === ownId) continue;
    using at = socketPath(dataDir, name);
    const rival = await ask(at.path);
    if (rival === undefined) await removeIfThere(join(dataDir, name));
    else living.push(rival);
  }
  return living;
}

/** Listens under a name that others ignore, and gives the socket its lasting name once it answers. */
async function publish(server: Server, dataDir: string, id: string): Promise<void> {
  const unborn = `${lockName}-new.${id}`;
  using at = socketPath(dataDir, unborn);
  await listen(server, at.path);
  await rename(join(dataDir, unborn), join(dataDir, `${lockName}.${id}`));
}

/** @returns whether the lock is ours; false when a process that goes first wants it too. @throws Problem when a process has it */
async function prevail(dataDir: string, own: Answer, until: number): Promise<boolean> {
  for (;;) {
    const others = await rivals(dataDir, own.id);
    if (others.length === 0) return true;
    for (const { answer } of others) {
      if (answer === undefined || answer.settled) throw inUse(answer);
      if (answer.id < own.id) return false;
    }
    if (performance.now() > until) throw inUse(undefined);
    // Processes that go after us see our socket and give way.
    await sleep(retryMs);
  }
}

/** Waits until no process wants the lock any more. @throws Problem naming the holder when a process has it */
async function giveWay(dataDir: string, until: number): Promise<void> {
  for (;;) {
    const others = await rivals(dataDir);
    const holder = others.find(({ answer }) => answer === undefined || answer.settled);
    if (holder) throw inUse(holder.answer);
    if (others.length === 0) return;
    if (performance.now() > until) throw inUse(undefined);
    await sleep(retryMs);
  }
}

/** Removes files of processes that died while they acquired the lock. */
async function sweep(dataDir: string, now: number): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (!unbornName.test(name)) continue;
    const path = join(dataDir, name);
    const found = await stat(path).catch(() => undefined);
    if (found && found.mtimeMs < now - unbornMs) await removeIfThere(path);
  }
}

/**
 * A process that wants the lock first publishes a socket under a name of its own, and only then looks for others. So of any two processes
 * the later one sees the earlier one, and it never happens that both find nobody. A process never moves or removes a socket that another
 * one listens on. So slow processes do no harm.
 */
async function lockByPath(dataDir: string, answer: Answer): Promise<StoreLock> {
  const path = join(dataDir, `${lockName}.${answer.id}`);
  const until = performance.now() + patienceMs;
  for (;;) {
    const server = answering(answer);
    const release = async (): Promise<void> => {
      await removeIfThere(path);
      if (server.listening) await close(server);
    };
    try {
      await publish(server, dataDir, answer.id);
      if (await prevail(dataDir, answer, until)) {
        answer.settled = true;
        await sweep(dataDir, Date.now());
        return { [Symbol.asyncDispose]: release };
      }
    } catch (error) {
      await release();
      throw error;
    }
    await release();
    await giveWay(dataDir, until);
  }
}

/** On Windows the system frees a pipe when its process ends. Until then no other process can use its name. */
async function lockByPipe(dataDir: string, answer: Answer): Promise<StoreLock> {
  using at = socketPath(dataDir, lockName);
  const server = answering(answer);
  try {
    await listen(server, at.path);
  } catch (error) {
    if (codeOf(error) !== 'EADDRINUSE' && codeOf(error) !== 'EACCES') throw error;
    throw inUse((await ask(at.path))?.answer);
  }
  answer.settled = true;
  return { [Symbol.asyncDispose]: () => close(server) };
}

/**
 * Makes this process the only one on the store of a data directory, until the lock is disposed or the process ends. The lock is a listening
 * socket: it tells who holds it, and the system closes it with the process.
 * @param command shown to other processes that want the store, such as "conclave serve"
 * @throws Problem conflict STORE_IN_USE, naming the holder
 */
export async function acquireLock(
  dataDir: string,
  command: string,
  { now = Date.now, isServer = false }: LockOptions = {},
): Promise<StoreLock> {
  const answer: Answer = {
    id: randomBytes(8).toString('hex'),
    pid: process.pid,
    command,
    startedAt: now(),
    isServer,
    settled: false,
  };
  return await (process.platform === 'win32' ? lockByPipe : lockByPath)(dataDir, answer);
}

/** The process that has the store of a data directory open, if any. */
export async function lockHolder(dataDir: string): Promise<LockHolder | undefined> {
  const found = process.platform === 'win32' ? await pipeHolder(dataDir) : await rivals(dataDir);
  const answer = found.find((rival) => rival.answer?.settled === true)?.answer;
  if (answer === undefined) return undefined;
  const { pid, command, startedAt, isServer } = answer;
  return { pid, command, startedAt, isServer };
}

async function pipeHolder(dataDir: string): Promise<Rival[]> {
  using at = socketPath(dataDir, lockName);
  const rival = await ask(at.path);
  return rival === undefined ? [] : [rival];
}
