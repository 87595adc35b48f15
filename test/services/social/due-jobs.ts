import { services } from '../../../src/node/services.ts';
import { runJobs } from '../../../src/platform/store/jobs/jobs.ts';
import type { SocialScene } from './scene.ts';
import { until } from '../../support/real-time.ts';

/** Runs the jobs of the social network that are due by the clock of the house, as a server does, until none is left. */
export async function runSocialJobs({ house: { ctx } }: Pick<SocialScene, 'house'>): Promise<void> {
  const jobs = services.find(({ name }) => name === 'social')?.jobs ?? {};
  const handlers = Object.fromEntries(
    await Promise.all(Object.entries(jobs).map(async ([kind, handler]) => [kind, await handler(ctx)] as const)),
  );
  const { store, clock, random, log } = ctx;
  const abort = new AbortController();
  const running = runJobs(store, handlers, { clock, random, signal: abort.signal, log });
  const due = async () =>
    await ctx.db
      .selectFrom('jobs')
      .select('id')
      .where('kind', 'in', Object.keys(handlers))
      .where('run_at', '<=', clock.now())
      .where('attempts', '<', 3)
      .executeTakeFirst();
  await until(async () => (await due()) === undefined);
  abort.abort();
  await running;
}
