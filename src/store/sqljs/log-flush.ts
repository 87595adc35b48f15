import { constants } from 'node:fs';
import type { Disk } from './disk.ts';

/** Flushes of the log in a thread beside the event loop: one at a time, each of everything that was committed before it began. */
export interface LogFlush {
  /**
   * Resolves when all that was committed is on the disk; undefined if it is there already. Rejected for good when a flush has failed: the
   * disk may have dropped what it did not keep, and nobody can tell what.
   */
  readonly pending: Promise<void> | undefined;
  /** Begins a flush of the log, or one more after the one that runs. */
  begin(): void;
  /** A flush of the log in the event loop failed. Those that run, and those that follow, may have been told nothing of it. */
  fail(error: unknown): void;
  close(): void;
}

/** @throws the error of the disk if the log can't be opened once more */
export function createLogFlush(path: string, disk: Disk): LogFlush {
  // A descriptor of its own, since the system tells an error of a flush to each open file once.
  const fd = disk.openSync(path, constants.O_RDWR);
  let failure: { readonly error: unknown } | undefined;
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  async function flush(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      disk.fdatasync(fd, (error) => (error === null ? resolve() : reject(error)));
    });
    if (failure !== undefined) throw failure.error;
  }

  /** Remembers a flush as long as it runs, or has failed. */
  function start(): Promise<void> {
    const one = flush();
    running = one;
    void forget(one);
    return one;
  }

  async function forget(one: Promise<void>): Promise<void> {
    try {
      await one;
      if (running === one) running = undefined;
    } catch (error) {
      failure ??= { error };
    }
  }

  async function startAfter(one: Promise<void>): Promise<void> {
    await one;
    next = undefined;
    await start();
  }

  return {
    get pending() {
      return next ?? running;
    },
    begin() {
      if (running === undefined) void start();
      else if (next === undefined) {
        next = startAfter(running);
        // Whoever waits for it hears it.
        next.catch(() => {});
      }
    },
    fail(error) {
      failure ??= { error };
    },
    close: () => disk.closeSync(fd),
  };
}
