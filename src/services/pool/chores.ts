import type { Context } from '../../context.ts';
import type { JobHandler } from '../../store/jobs/jobs.ts';

/** What a server does for the pool by itself; loaded when there is something to do. */
export function poolJobs(ctx: Context): Record<string, JobHandler> {
  return {
    'pool-join': async (payload, job) =>
      await (await import('./joining/join-job.ts')).joinJobHandler(ctx)(payload, job),
  };
}

export async function purgePool(ctx: Context): Promise<void> {
  await (await import('./joining/queue.ts')).purgeRequests(ctx);
}
