import { services } from '../../../src/node/services.ts';
import type { Context } from '../../../src/service/context.ts';
import { runJobs, type JobHandler } from '../../../src/platform/store/jobs/jobs.ts';
import type { QuorumScene } from './scene.ts';
import { until } from '../../support/real-time.ts';

/** Runs the jobs of a service that are due by the clock of the house, as a server does, until each has ended. */
export async function runDueJobs({ house: { ctx } }: Pick<QuorumScene, 'house'>, service = 'quorum'): Promise<void> {
  const found = services.find(({ name }) => name === service);
  const jobs = { ...found?.jobs, ...found?.distantJobs };
  const handlers = Object.fromEntries(
    await Promise.all(Object.entries(jobs).map(async ([kind, handler]) => [kind, await handler(ctx)] as const)),
  );
  await runDueHandlers(ctx, handlers);
}

/** The same with handlers that a test made. */
export async function runDueHandlers(ctx: Context, handlers: Readonly<Record<string, JobHandler>>): Promise<void> {
  const { store, clock, random, log } = ctx;
  const abort = new AbortController();
  const running = runJobs(store, handlers, { clock, random, signal: abort.signal, log });
  const due = async () =>
    await ctx.db
      .selectFrom('jobs')
      .select('id')
      .where('kind', 'in', Object.keys(handlers))
      .where('run_at', '<=', clock.now())
      // What is claimed for its last try has not ended: it would be cut off.
      .where((job) => job.or([job('attempts', '<', 3), job('claimed_until', 'is not', null)]))
      .executeTakeFirst();
  await until(async () => (await due()) === undefined);
  abort.abort();
  await running;
}
