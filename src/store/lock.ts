import { randomBytes } from 'node:crypto';
import { readdir, rename, stat, unlink } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '../problem.ts';
import { socketPath } from './socket-path.ts';

/** The process that has a store open. */
export interface LockHolder {
  readonly pid: number;
  /** what it runs, as given to `acquireLock` */
  readonly command: string;
  /** milliseconds since 1970 */
  readonly startedAt: number;
}

export type StoreLock = AsyncDisposable;

interface Answer extends LockHolder {
  /** tells two holders apart whatever their process ids; smaller ones go first */
  readonly id: string;
  /** false while it only wants the lock */
  settled: boolean;
}

/** A socket of somebody else that is listened on. No answer: its process is too busy to give one, or isn't ours. */
interface Rival {
  readonly answer: Answer | undefined;
}

/** On Windows the pipe's whole name; elsewhere followed by the id of whoever listens. */
const lockName = 'store.lock';
const socketName = /^store\.lock\.([0-9a-f]{16})$/;
/** A socket on its way: nobody may take it for a dead one before it is listened on. */
const unbornName = /^store\.lock-new\.[0-9a-f]{16}$/;
const answerMs = 2_000;
/** Twenty that want the lock at once on a slow machine take a second to agree. */
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
  return new Problem(
    'conflict',
    'STORE_IN_USE',
    `The store is in use by ${who}. Stop that process, or ask it over control.sock in the data directory`,
  );
}

/** As far as dates go. */
const latestTime = 8.64e15;

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function parse(line: string): Answer | undefined {
  try {
    const { id, pid, command, startedAt, settled } = JSON.parse(line) as Record<keyof Answer, unknown>;
    // The statement of the process that holds the socket, for messages.
    if (!isCount(pid) || !isCount(startedAt) || startedAt > latestTime) return undefined;
    return { id: String(id), pid, command: String(command), startedAt, settled: settled === true };
  } catch {
    return undefined;
  }
}

/** Who listens on a socket: undefined where nobody does. A process that listens but is too busy to answer holds it all the same. */
async function ask(path: string): Promise<Rival | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    const line = await read(path);
    if (line === 'nobody') return undefined;
    // Hung up: its process let the socket go, or ended, while we waited in its queue. The next try finds nobody.
    if (line !== 'hung up' || attempt === 10) return { answer: parse(line) };
    await sleep(retryMs);
  }
}

/** What a socket says, all of it or what there was in time. */
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
  // The lock must not keep a command from ending; the system frees it then.
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

/** The others whose sockets are listened on. Sockets of dead processes are removed: their names never come back. */
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

/** Listens under a name that others don't look at, and gives the socket its lasting name when it answers. */
async function publish(server: Server, dataDir: string, id: string): Promise<void> {
  const unborn = `${lockName}-new.${id}`;
  using at = socketPath(dataDir, unborn);
  await listen(server, at.path);
  await rename(join(dataDir, unborn), join(dataDir, `${lockName}.${id}`));
}

/** @returns whether the lock is ours; false when somebody who goes first wants it too. @throws Problem when somebody has it */
async function prevail(dataDir: string, own: Answer, until: number): Promise<boolean> {
  for (;;) {
    const others = await rivals(dataDir, own.id);
    if (others.length === 0) return true;
    for (const { answer } of others) {
      if (answer === undefined || answer.settled) throw inUse(answer);
      if (answer.id < own.id) return false;
    }
    if (performance.now() > until) throw inUse(undefined);
    // Those who go after us see us, and give way.
    await sleep(retryMs);
  }
}

/** Until somebody has the lock, which is a Problem that names them, or nobody wants it any more. */
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

/** Files of processes that died while they acquired the lock. */
async function sweep(dataDir: string, now: number): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (!unbornName.test(name)) continue;
    const path = join(dataDir, name);
    const found = await stat(path).catch(() => undefined);
    if (found && found.mtimeMs < now - unbornMs) await removeIfThere(path);
  }
}

/**
 * Everybody who wants the lock first shows a socket under a name of their own, and only then looks for others. Of any two the later
 * one therefore sees the earlier, so that two never both find nobody; and no socket that is listened on is ever moved or removed by
 * anybody else, so that nothing depends on who is how slow.
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

/** On Windows the system frees a pipe with its process, and lets nobody else have its name until then. */
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
 * Makes this process the only one on the store of a data directory, until disposed or dead: the lock is a listening socket, which
 * the system closes with its process, and which says who holds it.
 * @param command what others are told, such as "conclave serve"
 * @throws Problem conflict STORE_IN_USE, naming the holder
 */
export async function acquireLock(dataDir: string, command: string, now: () => number = Date.now): Promise<StoreLock> {
  const answer: Answer = {
    id: randomBytes(8).toString('hex'),
    pid: process.pid,
    command,
    startedAt: now(),
    settled: false,
  };
  return await (process.platform === 'win32' ? lockByPipe : lockByPath)(dataDir, answer);
}

/** The process that has the store of a data directory open, if any. */
export async function lockHolder(dataDir: string): Promise<LockHolder | undefined> {
  const found = process.platform === 'win32' ? await pipeHolder(dataDir) : await rivals(dataDir);
  const answer = found.find((rival) => rival.answer?.settled === true)?.answer;
  if (answer === undefined) return undefined;
  const { pid, command, startedAt } = answer;
  return { pid, command, startedAt };
}

async function pipeHolder(dataDir: string): Promise<Rival[]> {
  using at = socketPath(dataDir, lockName);
  const rival = await ask(at.path);
  return rival === undefined ? [] : [rival];
}
