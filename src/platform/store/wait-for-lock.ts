import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '../../base/problem.ts';
import { acquireLock, lockHolder, type LockHolder, type StoreLock } from './lock.ts';

/** How a server takes the store. */
export interface ServerStart {
  /** called once if the server has to wait; undefined: the holder does not say its name */
  readonly onWait?: ((holder: LockHolder | undefined) => void) | undefined;
  /** ends the waiting early */
  readonly signal?: AbortSignal | undefined;
  /** milliseconds */
  readonly patienceMs?: number | undefined;
}

/** A short command has the store for a moment, or for the seconds that hashing a password takes on a slow machine. */
const serverPatienceMs = 10_000;
const betweenTriesMs = 50;

/**
 * Takes the lock for a server. A command that has the store is waited for. A server is not, because it would not end.
 * @throws Problem conflict STORE_IN_USE, naming the holder
 */
export async function acquireServerLock(
  dataDir: string,
  command: string,
  now: (() => number) | undefined,
  { onWait, signal, patienceMs = serverPatienceMs }: ServerStart,
): Promise<StoreLock> {
  const until = performance.now() + patienceMs;
  for (let waiting = false; ; waiting = true) {
    try {
      return await acquireLock(dataDir, command, { now, isServer: true });
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'STORE_IN_USE') throw error;
      const holder = await lockHolder(dataDir);
      if (holder?.isServer === true || signal?.aborted === true || performance.now() > until) throw error;
      if (!waiting) onWait?.(holder);
      await sleep(betweenTriesMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
