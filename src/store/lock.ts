import { randomBytes } from 'node:crypto';
import { link, readdir, rename, stat, unlink } from 'node:fs/promises';
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
  /** tells two holders apart whatever their process ids */
  readonly id: string;
  /** false until rivals for the socket of a dead process can no longer take it away */
  settled: boolean;
}

type Found = { state: 'held'; answer: Answer | undefined } | { state: 'dead' | 'absent' };

const lockName = 'store.lock';
const answerMs = 2_000;
const patienceMs = 3_000;
const retryMs = 25;
/** How long a winner waits for rivals that took its socket for the dead one that it replaced. */
const settleMs = 100;
/** A process that takes the lock needs its own socket's name for milliseconds. */
const leftoverMs = 10_000;

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

function parse(line: string): Answer | undefined {
  try {
    const { id, pid, command, startedAt, settled } = JSON.parse(line) as Record<keyof Answer, unknown>;
    return {
      id: String(id),
      pid: Number(pid),
      command: String(command),
      startedAt: Number(startedAt),
      settled: settled === true,
    };
  } catch {
    return undefined;
  }
}

/** Who listens on a socket. A process that listens but is too busy to answer holds it all the same. */
function ask(path: string): Promise<Found> {
  return new Promise((resolve) => {
    let line = '';
    const socket = connect(path);
    const held = (): void => {
      socket.destroy();
      resolve({ state: 'held', answer: parse(line) });
    };
    socket.setEncoding('utf8').setTimeout(answerMs, held);
    socket.on('data', (text: string) => (line += text));
    socket.on('end', held);
    socket.on('error', (error) => {
      const code = codeOf(error);
      if (code === 'ENOENT') resolve({ state: 'absent' });
      else if (code === 'ECONNREFUSED' || code === 'ENOTSOCK') resolve({ state: 'dead' });
      else held();
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

/**
 * Puts `server`'s socket at `public` unless a living one is there. Renaming takes a dead socket away from exactly one of those
 * who found it dead, and linking fails where somebody was faster: neither ever replaces a socket.
 */
async function publish(
  server: Server,
  at: { public: string; own: string; old: string },
): Promise<{ replaced: boolean }> {
  let replaced = false;
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const found = await ask(at.public);
    if (found.state === 'held') throw inUse(await settledHolder(at.public));
    if (found.state === 'dead') {
      await removeDead(at);
      replaced = true;
    }
    if (!server.listening) await listen(server, at.own);
    try {
      await link(at.own, at.public);
      await removeIfThere(at.own);
      return { replaced };
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }
  throw inUse(undefined);
}

async function removeDead(at: { public: string; old: string }): Promise<void> {
  try {
    await rename(at.public, at.old);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  const taken = await ask(at.old);
  if (taken.state === 'held') {
    // Between our look and the renaming somebody else had replaced the dead one. Theirs goes back.
    await link(at.old, at.public).catch(() => {});
    await removeIfThere(at.old);
    throw inUse(await settledHolder(at.public));
  }
  await removeIfThere(at.old);
}

/** Of several that race for a dead socket, the one that keeps it: only that one is worth naming. */
async function settledHolder(path: string): Promise<LockHolder | undefined> {
  for (const until = performance.now() + patienceMs; performance.now() < until; await sleep(retryMs)) {
    const found = await ask(path);
    if (found.state === 'held' && found.answer?.settled === true) return found.answer;
  }
  return undefined;
}

/** Whether the socket that others find is still ours, once rivals have had time to notice their mistake and put it back. */
async function isStillOurs(path: string, id: string): Promise<boolean> {
  for (const until = performance.now() + 5 * settleMs; ;) {
    await sleep(settleMs);
    const found = await ask(path);
    if (found.state === 'held') return found.answer?.id === id;
    if (performance.now() > until) return false;
  }
}

/** What processes that died while they took the lock have left. */
async function sweep(dataDir: string, now: number): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (!name.startsWith(`${lockName}-`)) continue;
    const path = join(dataDir, name);
    const found = await stat(path).catch(() => undefined);
    if (found && found.mtimeMs < now - leftoverMs) await removeIfThere(path);
  }
}

async function lockByPath(dataDir: string, answer: Answer): Promise<StoreLock> {
  using at = socketPath(dataDir, lockName);
  const own = socketPath(dataDir, `${lockName}-${answer.id}`);
  const server = answering(answer);
  const release = async (): Promise<void> => {
    using current = socketPath(dataDir, lockName);
    const found = await ask(current.path);
    if (found.state === 'held' && found.answer?.id === answer.id) await removeIfThere(join(dataDir, lockName));
    await close(server);
    own[Symbol.dispose]();
  };
  try {
    const { replaced } = await publish(server, { public: at.path, own: own.path, old: `${own.path}-old` });
    if (replaced && !(await isStillOurs(at.path, answer.id))) throw inUse(await settledHolder(at.path));
    answer.settled = true;
    await sweep(dataDir, Date.now());
  } catch (error) {
    if (server.listening) await close(server);
    own[Symbol.dispose]();
    throw error;
  }
  return { [Symbol.asyncDispose]: release };
}

/** On Linux a name without a file, which the kernel gives to one process of a network namespace and takes back when it ends. */
async function lockByName(dataDir: string): Promise<StoreLock> {
  const { dev, ino } = await stat(dataDir);
  const until = performance.now() + patienceMs;
  for (;;) {
    // Everybody on the machine can connect to such a name, so it says nothing.
    const server = createServer((socket) => socket.destroy()).unref();
    try {
      await listen(server, `\0conclave-${dev}-${ino}`);
      return { [Symbol.asyncDispose]: () => close(server) };
    } catch (error) {
      if (codeOf(error) !== 'EADDRINUSE') throw error;
    }
    // Taken by one that has the store open, or is about to, or is just leaving.
    const holder = await lockHolder(dataDir);
    if (holder) throw inUse(holder);
    if (performance.now() > until) throw inUse(undefined);
    await sleep(retryMs);
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
    const found = await ask(at.path);
    throw inUse(found.state === 'held' ? found.answer : undefined);
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
  if (process.platform === 'win32') return await lockByPipe(dataDir, answer);
  if (process.platform !== 'linux') return await lockByPath(dataDir, answer);
  const name = await lockByName(dataDir);
  try {
    const path = await lockByPath(dataDir, answer);
    return {
      async [Symbol.asyncDispose]() {
        await path[Symbol.asyncDispose]();
        await name[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await name[Symbol.asyncDispose]();
    throw error;
  }
}

/** Who has the store of a data directory open now, if anybody. */
export async function lockHolder(dataDir: string): Promise<LockHolder | undefined> {
  using at = socketPath(dataDir, lockName);
  const found = await ask(at.path);
  if (found.state !== 'held' || found.answer?.settled !== true) return undefined;
  const { pid, command, startedAt } = found.answer;
  return { pid, command, startedAt };
}
