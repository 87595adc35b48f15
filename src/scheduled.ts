import { transaction, type Context } from './context.ts';
import { inTransaction, type JobHandler } from './store/jobs/jobs.ts';

/**
 * What is due at a moment, as a service names it among its jobs: exactly once over all processes, for its effect and its end are one
 * transaction. It is not carried out at all once it was cancelled or planned anew.
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
