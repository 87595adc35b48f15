import { setImmediate as nextTurn } from 'node:timers/promises';
import { transaction, type Context } from '../../../service/context.ts';
import type { JobHandler } from '../../../platform/store/jobs/jobs.ts';
import { erasePost } from './deleting.ts';

/** Posts of one transaction. Each takes many statements. */
const BATCH = 10;

/** Erases what was sealed in an encrypted hub that was deleted, a little in each transaction. Nobody could read it, or find it to delete it. */
export function hubErasingHandler(ctx: Context): JobHandler {
  return async (payload, { signal }) => {
    const { hubId } = payload as { hubId: string };
    do {
      signal.throwIfAborted();
      await nextTurn();
    } while (await transaction(ctx, async (tx) => await eraseSome(tx, hubId)));
  };
}

/** @returns whether some may be left */
async function eraseSome(tx: Context, hubId: string): Promise<boolean> {
  const rows = await tx.db
    .selectFrom('social_posts')
    .selectAll()
    .where('sealed_in', '=', hubId)
    .orderBy('id', 'desc')
    .limit(BATCH)
    .execute();
  for (const row of rows) {
    // Whoever has a notification of it may not have been told yet that the end of the hub hid it.
    await erasePost(tx, row, { told: false, hidden: 'told' });
    await tx.db.deleteFrom('social_posts').where('id', '=', row.id).execute();
  }
  return rows.length === BATCH;
}
