import { transaction, type Context } from '../../../service/context.ts';
import { dropMedia } from './dropping.ts';

/** Rows that one transaction removes. */
const BATCH = 50;

/** Deletes uploads that nothing got in time, and what is reserved for those that never arrived. */
export async function purgeMedia(ctx: Context): Promise<void> {
  for (;;) {
    const done = await transaction(ctx, async (tx) => {
      const rows = await tx.db
        .selectFrom('social_media')
        .select(['id', 'owner_id', 'size'])
        .where('expires_at', '<=', tx.clock.now())
        .orderBy('expires_at')
        .limit(BATCH)
        .execute();
      await dropMedia(tx, rows);
      return rows.length;
    });
    if (done < BATCH) return;
  }
}
