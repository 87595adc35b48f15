import type { Context } from '../../../service/context.ts';

/** After so long, what was done in a hub counts half. */
const HALF_LIFE_MS = 3 * 24 * 60 * 60 * 1000;

/**
 * The order of hubs by what is done there. Every deed counts 2^(t / half-life) of its moment t, so that old sums never need to be counted
 * anew. The value is the logarithm of the sum, because the sum itself is too large for a number.
 */
export function firstTrend(now: number): number {
  return now / HALF_LIFE_MS;
}

function trendAfter(trend: number, now: number): number {
  const deed = now / HALF_LIFE_MS;
  return Math.max(trend, deed) + Math.log2(1 + 2 ** -Math.abs(trend - deed));
}

/** Counts something that was done in a hub, in its transaction. @param posts that were written */
export async function countDeed(tx: Context, hubId: string, posts: 0 | 1 = 0): Promise<void> {
  const row = await tx.db.selectFrom('social_hubs').select('trend').where('id', '=', hubId).executeTakeFirst();
  if (row === undefined) return;
  await tx.db
    .updateTable('social_hubs')
    .set((e) => ({ trend: trendAfter(row.trend, tx.clock.now()), post_count: e('post_count', '+', posts) }))
    .where('id', '=', hubId)
    .execute();
}
