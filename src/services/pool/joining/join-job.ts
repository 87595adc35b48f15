import type { Context } from '../../../service/context.ts';
import { enqueue, type JobHandler } from '../../../platform/store/jobs/jobs.ts';
import { attemptJoin } from './join-attempt.ts';
import { joinById } from './join-rows.ts';
import { joinJob } from './joining.ts';
import { wholeNumber } from '../../../base/whole-number.ts';

const LEAST_MS = 5_000;
const MOST_MS = 5 * 60_000;

/**
 * Continues a join request until it is decided. Each step is a job of its own, because waiting for a person is no failure. The back-off of
 * failed jobs would give up long before the end of the week.
 */
export function joinJobHandler(ctx: Context): JobHandler {
  return async (payload, job) => {
    const { joinId } = payload as { readonly joinId: string };
    await attemptJoin(ctx, joinId);
    const row = await joinById(ctx.db, joinId);
    if (row === undefined || (row.status !== 'asking' && row.status !== 'pending')) return;
    const step = (wholeNumber(job.id.split(':').at(-1)) ?? 0) + 1;
    const now = ctx.clock.now();
    await ctx.store.transaction(async (db) => {
      await enqueue(db, {
        id: `${joinJob}:${joinId}:${step}`,
        kind: joinJob,
        payload,
        runAt: now + pauseAfter(step, ctx.random),
        now,
      });
      await job.finish(db);
    });
  };
}

/** The pause doubles each time, plus up to a fifth at random, so that nodes that started together don't ask together. */
function pauseAfter(step: number, random: Context['random']): number {
  const pause = Math.min(MOST_MS, LEAST_MS * 2 ** Math.min(step - 1, 10));
  return Math.round(pause * (1 + (random(1)[0] ?? 0) / 1_280));
}
