import { Problem } from '../../../base/problem.ts';
import type { Db } from '../database.ts';
import type { Handles } from '../executor.ts';
import type { Connection } from './connection.ts';
import { runningTransaction, type RunningTransaction, type Signal } from './transaction-session.ts';

/**
 * A group accepts further transactions for this time from its beginning: several that write as much as a message does, since bringing them to
 * the disk takes as long as one of them. Nothing else runs meanwhile.
 */
const groupMs = 8;
/** A body that ran no statement between two ticks is waiting for something else. After two such ticks it is given up. */
const tickMs = 1000;

export interface GroupCommit {
  /**
   * Resolves when the commit that contains `body` is on disk.
   * @param patient whether `body` may wait for something else while all other transactions wait for it
   */
  submit<T>(body: (db: Db) => Promise<T>, patient?: boolean): Promise<T>;
  /** Uncommitted changes may exist now, so nobody else may read from the connection. */
  readonly busy: boolean;
  /** The newest group could not be committed. */
  readonly unwritable: boolean;
  /** Keeps the log as it is, even when the disk is full, until the returned function is called. */
  pauseCheckpoints(): () => void;
  /** Resolves when the running group is over. */
  idle(): Promise<void>;
  /** Refuses further transactions and resolves when all waiting transactions have been answered. */
  close(): Promise<void>;
}

interface Surroundings {
  /** Throws if the files of the store are not where they were opened. */
  readonly assertInPlace: () => void;
  /** Runs a commit. */
  readonly committing: (commit: () => void) => void;
}

interface Waiting {
  readonly body: (db: Db) => Promise<unknown>;
  readonly patient: boolean;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

interface Finished {
  readonly waiting: Waiting;
  readonly value: unknown;
  readonly signals: readonly Signal[];
}

function stuck(): Problem {
  return new Problem(
    'internal',
    'TRANSACTION_STUCK',
    'A transaction waited for something other than its own statements: a read through `db`, another transaction, or no database at all',
  );
}

/**
 * Transactions that come together share one commit. Their bodies run one after another, each in a savepoint. The commit follows when no
 * more transactions wait, or after `groupMs`, and callers are answered only then. The first body starts when the event loop has handled all
 * that it has already read (setImmediate). So requests that arrive together are in one group, and a single request waits for nothing.
 */
export function createGroupCommit(
  connection: Connection,
  handles: Handles,
  deliver: (signal: Signal) => void,
  { assertInPlace, committing }: Surroundings,
): GroupCommit {
  const begin = connection.command('begin immediate');
  const commit = connection.command('commit');
  const rollback = connection.command('rollback');
  const savepoint = connection.command('savepoint body');
  const release = connection.command('release body');
  const rollbackToSavepoint = connection.command('rollback to body');
  const checkpoint = connection.command('pragma wal_checkpoint(passive)');

  let queue: Waiting[] = [];
  let scheduled = false;
  let busy = false;
  let closed = false;
  let unwritable = false;
  let checkpointsPaused = false;
  const gate: (() => void)[] = [];
  const whenEmpty: (() => void)[] = [];
  /** grows with each statement and each body */
  let progress = 0;
  let giveUp: ((error: unknown) => void) | undefined;

  function countProgress(): void {
    progress += 1;
  }

  function runBody({ body, patient }: Waiting, { session }: RunningTransaction): Promise<unknown> {
    return new Promise((resolve, reject) => {
      giveUp = patient ? undefined : reject;
      body(handles.transaction(session)).then(resolve, reject);
    });
  }

  /** @returns the error with which SQLite gave up the whole group, if it did so */
  async function runOne(waiting: Waiting, finished: Finished[]): Promise<{ error: unknown } | undefined> {
    const running = runningTransaction(connection, countProgress);
    try {
      savepoint();
      const value = await runBody(waiting, running);
      if (running.failure) throw running.failure.error;
      release();
      finished.push({ waiting, value, signals: running.signals });
      return undefined;
    } catch (error) {
      waiting.reject(error);
      try {
        rollbackToSavepoint();
        release();
        connection.forgetIfChanged();
        return undefined;
      } catch {
        // A full or failing disk can make SQLite roll back the whole transaction, including its savepoints.
        return { error };
      }
    } finally {
      running.end();
      giveUp = undefined;
      countProgress();
    }
  }

  function watch(): { stop: () => void } {
    let seen = progress;
    let still = 0;
    const timer = setInterval(() => {
      still = progress === seen ? still + 1 : 0;
      seen = progress;
      if (still >= 2) giveUp?.(stuck());
    }, tickMs);
    return { stop: () => clearInterval(timer) };
  }

  async function runAll(finished: Finished[]): Promise<{ error: unknown } | undefined> {
    const until = performance.now() + groupMs;
    let next = 0;
    try {
      begin();
      while (next < queue.length) {
        const waiting = queue[next] as Waiting;
        next += 1;
        const broken = await runOne(waiting, finished);
        if (broken) return broken;
        if (performance.now() >= until) break;
      }
      assertInPlace();
      committing(commit);
      return undefined;
    } catch (error) {
      // Every caller must be answered: if even `begin` fails, the first one in the queue gets the error.
      if (next === 0) queue[next++]?.reject(error);
      return { error };
    } finally {
      queue = queue.slice(next);
    }
  }

  /** Leaves the connection outside of a transaction, and makes room in the log if possible. */
  function recover(error: unknown): void {
    try {
      rollback();
    } catch {
      // SQLite has rolled back by itself.
    }
    if (checkpointsPaused || !(error instanceof Problem) || error.code !== 'STORE_FULL') return;
    try {
      // Once its pages are in the database, the log is overwritten from its beginning and needs no more room.
      checkpoint();
    } catch {
      // The disk has no room for the checkpoint either. Reads still work, and the next transaction tries again.
    }
  }

  // One function for both: a build compiles ahead what is called, and whether a transaction waits at the end of a group is chance.
  function beginGroup(): void {
    void runGroup();
  }

  async function runGroup(): Promise<void> {
    busy = true;
    const watcher = watch();
    const finished: Finished[] = [];
    const failed = await runAll(finished);
    watcher.stop();
    if (failed) recover(failed.error);
    unwritable = failed !== undefined;
    connection.forgetIfChanged();
    busy = false;
    for (const { waiting, value, signals } of finished) {
      if (failed) {
        waiting.reject(failed.error);
        continue;
      }
      waiting.resolve(value as never);
      for (const signal of signals) deliver(signal);
    }
    for (const open of gate.splice(0)) open();
    if (queue.length > 0) setImmediate(beginGroup);
    else {
      scheduled = false;
      for (const done of whenEmpty.splice(0)) done();
    }
  }

  return {
    get busy() {
      return busy;
    },
    get unwritable() {
      return unwritable;
    },
    submit(body, patient = false) {
      return new Promise((resolve, reject) => {
        if (closed) throw new Problem('unavailable', 'STORE_CLOSED', 'The store is closed');
        queue.push({ body, patient, resolve, reject });
        if (scheduled) return;
        scheduled = true;
        setImmediate(beginGroup);
      });
    },
    pauseCheckpoints() {
      checkpointsPaused = true;
      return () => {
        checkpointsPaused = false;
      };
    },
    idle: () => new Promise((resolve) => gate.push(resolve)),
    close() {
      closed = true;
      return scheduled ? new Promise((resolve) => whenEmpty.push(resolve)) : Promise.resolve();
    },
  };
}
