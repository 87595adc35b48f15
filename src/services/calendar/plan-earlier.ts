import type { Context } from '../../service/context.ts';
import { planJob } from '../../platform/store/jobs/plans.ts';
import { writtenQuery } from '../../platform/store/written-query.ts';

const planned = writtenQuery<{ run_at: number }>('select run_at from jobs where id = $1');

interface Earlier {
  readonly id: string;
  readonly kind: string;
  readonly payload: unknown;
  readonly runAt: number;
}

/** Plans a job for a moment, unless it is planned for an earlier one. One that may be running now runs again. */
export async function planEarlier({ db, clock }: Pick<Context, 'db' | 'clock'>, job: Earlier): Promise<void> {
  const now = clock.now();
  const [there] = (await db.executeQuery(planned(job.id))).rows;
  if (there !== undefined && there.run_at > now && there.run_at <= job.runAt) return;
  const runAt = there !== undefined && there.run_at <= now ? Math.min(now, job.runAt) : job.runAt;
  await planJob(db, { ...job, runAt, now });
}
