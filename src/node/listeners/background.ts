import { setTimeout as sleep } from 'node:timers/promises';
import { dropBlockKinds } from '../../shared/attachments/block-jobs.ts';
import type { Context } from '../../service/context.ts';
import { anyWaiting } from '../../platform/ledger/any-waiting.ts';
import type { Background } from '../../service/service-parts.ts';
import { runJobs, type JobHandler } from '../../platform/store/jobs/jobs.ts';
import { repeatJob } from '../../platform/store/jobs/plans.ts';
import { eraseRoomKeysKind } from '../../shared/group-keys/erase-kind.ts';
import { searchMergeKind } from '../../platform/store/search/merge-kind.ts';

/** Expired rows are refused at once. Deleting them only saves space, so it can be rare. */
const PURGE_MS = 600_000;
const RETRY_MS = 2_000;
const ADOPT_MS = 1_000;
/** They wait for most of their time. */
const DISTANT_AT_ONCE = 16;

/** The part of a service that works in the background. */
type Working = Background & { readonly name?: string };

/**
 * Runs the server's background work: the jobs in the store, including the repeated purge jobs. Resolves when the signal has aborted and no
 * job runs any more.
 */
export async function runInBackground(
  context: Context,
  services: readonly Working[],
  signal: AbortSignal,
): Promise<void> {
  const { store, clock, random, log } = context;
  const purges = purgesOf(services);
  const near = [shared, { jobs: purges }, ...services].map(({ jobs }: Background) => jobs);
  const distant = services.map(({ distantJobs }) => distantJobs);
  await Promise.all([
    runJobs(store, handlersOf(context, near), { clock, random, signal, log }),
    runJobs(store, handlersOf(context, distant), { clock, random, signal, log, atOnce: DISTANT_AT_ONCE }),
    planPurges(context, Object.keys(purges), signal),
    adoptEntries(context, signal),
    ...services.map(async ({ watch }) => await watch?.(context, signal)),
  ]);
}

/** The kinds of all jobs that a server runs. */
export function jobKinds(services: readonly Working[]): string[] {
  const all = [shared, { jobs: purgesOf(services) }, ...services];
  return all.flatMap(({ jobs = {}, distantJobs = {} }: Background) => Object.keys({ ...jobs, ...distantJobs }));
}

/** Each service that purges has its own kind of job, so a failing purge does not stop the others. */
function purgesOf(services: readonly Working[]): NonNullable<Background['jobs']> {
  return Object.fromEntries(
    services.flatMap(({ name, purge }) => {
      if (purge === undefined) return [];
      if (name === undefined) throw new Error('what clears away is a service with a name');
      return [[`purge-${name}`, async (context: Context) => async () => void (await purge(context))] as const];
    }),
  );
}

/** Every process plans the jobs at its start. When a job is due, the first process that takes it runs it for all. */
async function planPurges(context: Context, kinds: readonly string[], signal: AbortSignal): Promise<void> {
  const { store, clock, log } = context;
  const schedule = { everyMs: PURGE_MS };
  while (!signal.aborted) {
    try {
      await store.transaction(async (db) => {
        for (const kind of kinds) await repeatJob(db, { id: kind, kind, payload: null, schedule, now: clock.now() });
      });
      return;
    } catch (error) {
      log.error('planning the purge jobs failed: the store does not answer', { error });
      await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

/**
 * Gives entries of the ledger their places when the process that recorded them died. Processes that live do this for their own entries. On
 * the embedded engine there is no other process.
 */
async function adoptEntries(context: Context, signal: AbortSignal): Promise<void> {
  if (context.store.engine === 'sqljs') return;
  while (!signal.aborted) {
    await sleep(ADOPT_MS, undefined, { signal }).catch(() => undefined);
    // When the store does not answer, the jobs say so.
    if (signal.aborted || !(await anyWaiting(context.db).catch(() => false))) continue;
    const { integrateWaiting } = await import('../../platform/ledger/sequencer.ts');
    context.ledger.soon(async () => await integrateWaiting(context));
  }
}

/** Background work of the store and of the shared rooms. */
const shared: Background = {
  jobs: {
    ...Object.fromEntries(
      dropBlockKinds.map((kind) => [
        kind,
        async (context: Context) => (await import('../../shared/attachments/blocks.ts')).dropBlockHandler(context),
      ]),
    ),
    [eraseRoomKeysKind]: async ({ store }) =>
      (await import('../../shared/group-keys/erase.ts')).eraseRoomKeysHandler(store),
    [searchMergeKind]: async ({ store }) =>
      (await import('../../platform/store/search/merge.ts')).searchMergeHandler(store),
  },
};

function handlersOf(context: Context, jobs: readonly Background['jobs'][]): Record<string, JobHandler> {
  const kinds = jobs.flatMap((own = {}) => Object.entries(own));
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
