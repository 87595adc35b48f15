import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../../base/log.ts';
import { Problem } from '../../../base/problem.ts';
import type { Database, Db } from '../database.ts';
import {
  claimJobs,
  excuseDeath,
  extendClaim,
  finishJob,
  jobsChannel,
  leaseMs,
  longestPauseMs,
  maximumAttempts,
  never,
  nextJobAt,
  putBack,
  releaseJob,
  retryDelay,
  tellOfJob,
  type ClaimedJob,
} from './job-rows.ts';
import { listen } from '../signals.ts';
import { writtenQuery } from '../written-query.ts';

/** The bytes are random, so no other process has the same claim. */
const claimBytes = 16;
/** How many jobs of one process run at once, unless it says otherwise. */
const usuallyAtOnce = 4;
/** A job that takes longer counts as failed: it may never end, and keeps the place of others. Archives and large mail take minutes. */
const usuallyLongestRunMs = 6 * 60 * 60 * 1000;
const shortestPauseMs = 25;
const pauseAfterFailureMs = 2_000;

export interface NewJob {
  /** an id of `recordId`, or one that names the subject of the job; a job whose id already exists is not added */
  readonly id: string;
  readonly kind: string;
  /** stored as JSON */
  readonly payload: unknown;
  /** milliseconds since 1970 */
  readonly runAt: number;
  readonly now: number;
}

const added = writtenQuery(`
  insert into jobs (id, kind, payload, run_at, attempts, claimed_until, claim, schedule, last_error, created_at)
  values ($1, $2, $3, $4, 0, null, null, null, null, $5) on conflict (id) do nothing returning id`);

/**
 * Adds a job. It runs at least once, after the transaction of `db` is committed and not before `runAt`.
 * @returns whether the job was added
 */
export async function enqueue(db: Db, { id, kind, payload, runAt, now }: NewJob): Promise<boolean> {
  const { rows } = await db.executeQuery(added(id, kind, JSON.stringify(payload), runAt, now));
  if (rows.length === 0) return false;
  await tellOfJob(db, kind, runAt - now);
  return true;
}

/** The arguments of a handler in addition to the payload. */
export interface RunningJob {
  readonly id: string;
  /** counts from 1 */
  readonly attempt: number;
  /** aborted when the process is asked to end, or when another process got the job */
  readonly signal: AbortSignal;
  /**
   * Marks the job as done in the transaction that does its work, so that the work is done exactly once.
   * @throws JobLost when the job was given to another process, replaced or cancelled
   */
  finish(this: void, db: Db): Promise<void>;
}

/**
 * Runs at least once for each job. If it throws, the job runs again later; so it does if the process is asked to end while it runs, unless it has
 * called `finish`: a handler may end where it is then. A run that takes too long is given up: its signal is aborted, and
 * `finish` throws from then on.
 */
export type JobHandler = (payload: unknown, job: RunningJob) => Promise<void>;

/** The process has lost its claim on the job, so the transaction of the job must be rolled back. */
class JobLost extends Error {}

/** What is wrong with a job before, or beside, what its handler says. */
class JobFailed extends Error {
  override readonly name = 'JobFailed';
}

/**
 * A handler that does its work and ends the job in one transaction. The work is done exactly once, even after a crash; it is not done if
 * the job was replaced or cancelled. When `body` runs, the job is already removed or set to its next time, so `body` may plan a job under
 * the same id.
 * @param transaction such as `(body) => transaction(ctx, body)`
 */
export function inTransaction<Tx extends { readonly db: Db }>(
  transaction: (body: (tx: Tx) => Promise<void>) => Promise<void>,
  body: (tx: Tx, payload: unknown, job: Omit<RunningJob, 'finish'>) => Promise<void>,
): JobHandler {
  return async (payload, job) =>
    await transaction(async (tx) => {
      await job.finish(tx.db);
      await body(tx, payload, job);
    });
}

export interface JobOptions {
  readonly clock: { now(): number };
  readonly random: (size: number) => Uint8Array;
  readonly signal: AbortSignal;
  readonly log: Log;
  /** how many run at once; 4 by default */
  readonly atOnce?: number;
  /** after so long a run is given up; 6 hours by default */
  readonly longestRunMs?: number;
}

function messageOf(error: unknown): string {
  if (error instanceof Problem) return `${error.code}: ${error.message}`;
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

/** A pause that ends early when the bell rings, even if it rang just before the pause began. */
function createBell(): { ring: () => void; wait: (ms: number) => Promise<void> } {
  let rung = false;
  let wake: (() => void) | undefined;
  return {
    ring() {
      rung = true;
      wake?.();
    },
    async wait(ms) {
      if (!rung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      rung = false;
      wake = undefined;
    },
  };
}

/** @param atStop what is to be done when a stop begins */
async function runJob(
  database: Database,
  job: ClaimedJob,
  handler: JobHandler,
  options: JobOptions,
  atStop: Set<() => void>,
): Promise<void> {
  const { clock, random, log } = options;
  const { id, kind, attempt, tries, deaths } = job;
  // What ended its process waits longer after each time, and for a time of its own: nothing else is judged by its end, and a machine that
  // restarts all the time finds it waiting.
  const held = leaseMs + (deaths > 0 ? retryDelay(deaths, random) : 0);
  const extend = async () => await extendClaim(database.db, job, clock.now() + held);
  const stopping = watchStop(database, job, options, atStop);
  const lost = new AbortController();
  const keeping = setInterval(() => {
    extend().then(
      (kept) => (kept ? undefined : lost.abort()),
      // The next try may reach the store again. If no try does, another process takes the job.
      (error: unknown) => log.warn('extending the claim on a job failed', { job: id, kind, error }),
    );
  }, leaseMs / 3).unref();
  const tooLong = deadline(options.longestRunMs ?? usuallyLongestRunMs);
  try {
    assertRunnable(job);
    if (deaths > 0 && !(await extend())) throw new JobLost(`the job ${id} is not of this process any more`);
    options.signal.throwIfAborted();
    let finished = false;
    const running = handler(job.payload, {
      id,
      attempt,
      signal: AbortSignal.any([options.signal, lost.signal]),
      async finish(db) {
        if (!(await finishJob(db, job, clock.now())))
          throw new JobLost(`the job ${id} is not of this process any more`);
        finished = true;
      },
    });
    await Promise.race([running, tooLong.passed]);
    if (finished) return;
    // Many end where they are when they are stopped. Nobody knows what is left.
    options.signal.throwIfAborted();
    await finishJob(database.db, job, clock.now());
  } catch (error) {
    if (error instanceof JobLost) {
      log.info('job replaced, cancelled or taken over by another process while it ran', { job: id, kind, attempt });
      return;
    }
    // Of a handler that still runs.
    lost.abort();
    if (options.signal.aborted) {
      await putBack(database.db, job);
      log.info('job cut off by the stop of this process; it will run again', { job: id, kind, attempt, error });
      return;
    }
    const now = clock.now();
    const times = { now, retryAt: now + retryDelay(tries, random) };
    const runAt = await releaseJob(database.db, job, messageOf(error), times);
    const fields = { job: id, kind, attempt, error };
    if (runAt === never) log.error('job gave up after the last attempt', fields);
    else log.warn('job failed; it will run again', { ...fields, again: new Date(runAt).toISOString() });
  } finally {
    tooLong.clear();
    clearInterval(keeping);
    await stopping.end();
  }
}

/** Notes when an orderly stop begins while a job runs: a service manager may kill the process before the job ends. */
function watchStop(
  { db }: Database,
  job: ClaimedJob,
  { signal, log }: JobOptions,
  atStop: Set<() => void>,
): { end(): Promise<void> } {
  let noted: Promise<void> | undefined;
  const note = () => {
    noted = excuseDeath(db, job).catch((error: unknown) =>
      log.warn('noting the stop of a job failed', { job: job.id, kind: job.kind, error }),
    );
  };
  if (signal.aborted) note();
  else atStop.add(note);
  return {
    async end() {
      atStop.delete(note);
      await noted;
    },
  };
}

/** @throws JobFailed for a job that must not run: it can't be read, or ended its process each time */
function assertRunnable({ unreadable, deaths }: ClaimedJob): void {
  if (unreadable !== undefined) throw new JobFailed(`the job can't be read: ${unreadable}`);
  if (deaths >= maximumAttempts) throw new JobFailed('its process ended each time while it ran');
}

function deadline(ms: number): { readonly passed: Promise<never>; clear: () => void } {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new JobFailed('it took too long')), ms).unref();
  });
  return { passed, clear: () => clearTimeout(timer) };
}

/**
 * The kinds that may take another place. None takes all of them, unless there is no other: a kind whose runs don't end would stop the rest.
 */
function createPlaces(kinds: readonly string[], atOnce: number) {
  const running = new Map<string, number>();
  const most = kinds.length > 1 ? Math.max(1, atOnce - 1) : atOnce;
  return {
    take: (kind: string): void => void running.set(kind, (running.get(kind) ?? 0) + 1),
    leave: (kind: string): void => void running.set(kind, (running.get(kind) ?? 1) - 1),
    open: (): { readonly kinds: readonly string[]; readonly most: number } => {
      const those = kinds.filter((kind) => (running.get(kind) ?? 0) < most);
      return { kinds: those, most: Math.min(...those.map((kind) => most - (running.get(kind) ?? 0)), atOnce) };
    },
  };
}

/**
 * Runs the jobs of the given kinds as they become due. Several processes may do this at once.
 * Resolves when `signal` has aborted and the running jobs have ended.
 */
export async function runJobs(
  database: Database,
  handlers: Readonly<Record<string, JobHandler>>,
  options: JobOptions,
): Promise<void> {
  const { clock, random, signal, log, atOnce = usuallyAtOnce } = options;
  const newClaim = (): string => Buffer.from(random(claimBytes)).toString('hex');
  const kinds = Object.keys(handlers);
  const running = new Set<Promise<void>>();
  const places = createPlaces(kinds, atOnce);
  const bell = createBell();
  // Node warns of a signal to which more than ten listen, and so many jobs may run.
  const atStop = new Set<() => void>([bell.ring]);
  signal.addEventListener('abort', () => [...atStop].forEach((stop) => stop()), { once: true });

  async function runOne(job: ClaimedJob): Promise<void> {
    try {
      await runJob(database, job, handlers[job.kind] as JobHandler, options, atStop);
    } catch (error) {
      log.error('storing the result of a job failed; it will run again', { job: job.id, kind: job.kind, error });
    }
  }

  /** Starts the due jobs. @returns how long to wait for more, in milliseconds */
  async function startDue(): Promise<number> {
    const free = atOnce - running.size;
    const open = places.open();
    if (free === 0 || open.kinds.length === 0) return longestPauseMs;
    const jobs = await claimJobs(database, open.kinds, clock.now(), Math.min(free, open.most), newClaim());
    for (const job of jobs) {
      places.take(job.kind);
      const ended = runOne(job).finally(() => {
        running.delete(ended);
        places.leave(job.kind);
        bell.ring();
      });
      running.add(ended);
    }
    if (running.size === atOnce) return longestPauseMs;
    const next = await nextJobAt(database.db, places.open().kinds);
    if (next === undefined) return longestPauseMs;
    // A due job that we didn't get is just being claimed by another process.
    const shortest = jobs.length > 0 ? 0 : shortestPauseMs;
    return Math.max(shortest, Math.min(next - clock.now(), longestPauseMs));
  }

  async function runUntilAborted(): Promise<void> {
    const hear = (kind: string): void => {
      if (kinds.includes(kind)) bell.ring();
    };
    const listening = await listen(database, jobsChannel, hear, bell.ring);
    try {
      while (!signal.aborted) await bell.wait(await startDue());
    } finally {
      await listening[Symbol.asyncDispose]();
    }
  }

  while (!signal.aborted) {
    try {
      await runUntilAborted();
    } catch (error) {
      log.error('jobs are waiting: the store does not answer', { error });
      await sleep(pauseAfterFailureMs, undefined, { signal }).catch(() => {});
    }
  }
  await Promise.all(running);
}
