import { transaction, type Context } from './context.ts';
import { inTransaction, type JobHandler } from '../platform/store/jobs/jobs.ts';

/**
 * A job that a service plans for a certain time. It runs exactly once over all processes, because its effect and its end are in one
 * transaction. It does not run if it was cancelled or planned again before.
 */
export function scheduled(
  body: (tx: Context, payload: unknown) => Promise<unknown>,
): (ctx: Context) => Promise<JobHandler> {
  return async (ctx) =>
    inTransaction<Context>(
      async (work) => await transaction(ctx, work),
      async (tx, payload) => void (await body(tx, payload)),
    );
}
