import { purgeExpired } from '../services/accounts/purge.ts';
import type { Context } from '../context.ts';
import { dropBlockJobs } from '../services/passvault/entries/block-drops.ts';
import { poolJobs, purgePool } from '../services/pool/chores.ts';
import { runJobs } from '../store/jobs/jobs.ts';

/** Expired rows are refused from the moment on when they expire; how long they lie around is a matter of space alone. */
const PURGE_MS = 600_000;
/** Not while the first requests come. */
const FIRST_MS = 5_000;

/**
 * What a server does by itself: the jobs that wait in the store, and clearing away. Resolves when the signal aborts and nothing runs any
 * more.
 *
 * @param firstMs how long after the start it clears away for the first time
 */
export async function runChores(context: Context, signal: AbortSignal, firstMs = FIRST_MS): Promise<void> {
  const { store, clock, random, log } = context;
  const jobs = runJobs(store, { ...poolJobs(context), ...dropBlockJobs(context) }, { clock, random, signal, log });
  const purging = repeat(firstMs, PURGE_MS, signal, async () => {
    try {
      await purgeExpired(context);
      await purgePool(context);
    } catch (error) {
      log.error('expired rows were not removed', { error });
    }
  });
  await Promise.all([jobs, purging]);
}

async function repeat(firstMs: number, everyMs: number, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  for (let wait = firstMs; ; wait = everyMs) {
    await pause(wait, signal);
    if (signal.aborted) return;
    await work();
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  // A listener that comes after the abort is never called.
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done, { once: true });
  });
}
