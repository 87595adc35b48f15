import { dropBlockKinds } from '../attachments/block-jobs.ts';
import type { Context } from '../context.ts';
import type { Background } from '../service-parts.ts';
import { runJobs, type JobHandler } from '../store/jobs/jobs.ts';

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
export async function runInBackground(
  context: Context,
  services: readonly Background[],
  signal: AbortSignal,
  firstMs = FIRST_MS,
): Promise<void> {
  const { store, clock, random, log } = context;
  const jobs = runJobs(store, handlersOf(context, [shared, ...services]), { clock, random, signal, log });
  const purging = repeat(firstMs, PURGE_MS, signal, async () => {
    for (const { purge } of services) {
      try {
        await purge?.(context);
      } catch (error) {
        log.error('expired rows were not removed', { error });
      }
    }
  });
  await Promise.all([jobs, purging]);
}

/** What the rooms that services share do by themselves. */
const shared: Background = {
  jobs: Object.fromEntries(
    dropBlockKinds.map((kind) => [
      kind,
      async (context) => (await import('../attachments/blocks.ts')).dropBlockHandler(context),
    ]),
  ),
};

function handlersOf(context: Context, services: readonly Background[]): Record<string, JobHandler> {
  const kinds = services.flatMap(({ jobs = {} }) => Object.entries(jobs));
  const names = new Set(kinds.map(([kind]) => kind));
  if (names.size < kinds.length) throw new Error('two services have jobs of the same kind');
  return Object.fromEntries(
    kinds.map(([kind, make]) => {
      let made: Promise<JobHandler> | undefined;
      const handle: JobHandler = async (payload, job) => await (await (made ??= make(context)))(payload, job);
      return [kind, handle];
    }),
  );
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
