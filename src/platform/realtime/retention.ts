import { transaction, type Context } from '../../service/context.ts';
import { purgeEvents, purgeTopics } from '../store/event-rows.ts';

/** Events are kept this long. After a longer absence a client reads all data again, which is faster. */
const KEPT_MS = 36 * 3_600_000;
/** A topic without events for this long begins anew, with higher numbers. */
const TOPIC_MS = 30 * 86_400_000;
/** Rows per transaction. Other transactions have to wait for it. */
const BATCH = 1_000;

/** Removes events that will not be sent again. Several processes may run it at once. */
export async function purgeRealtime(ctx: Context): Promise<{ events: number; topics: number }> {
  const now = ctx.clock.now();
  return {
    events: await inBatches(ctx, (tx) => purgeEvents(tx.db, now - KEPT_MS, BATCH)),
    topics: await inBatches(ctx, (tx) => purgeTopics(tx.db, now - TOPIC_MS, BATCH)),
  };
}

async function inBatches(ctx: Context, purge: (tx: Context) => Promise<number>): Promise<number> {
  let total = 0;
  for (;;) {
    const purged = await transaction(ctx, purge);
    total += purged;
    if (purged < BATCH) return total;
  }
}
