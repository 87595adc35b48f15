import type { Context } from '../../../service/context.ts';
import { sweep } from '../../../service/sweep.ts';
import { dropMedia } from './dropping.ts';

/** Rows that one transaction removes. */
const BATCH = 50;

/** Deletes uploads that nothing got in time, and what is reserved for those that never arrived. */
export async function purgeMedia(ctx: Context): Promise<void> {
  await sweep(ctx, {
    what: 'removing media',
    most: BATCH,
    async step(tx, { most, without, found }) {
      const rows = await tx.db
        .selectFrom('social_media')
        .select(['id', 'owner_id', 'size'])
        .where('expires_at', '<=', tx.clock.now())
        .where('id', 'not in', without)
        .orderBy('expires_at')
        .orderBy('id')
        .limit(most)
        .execute();
      found(rows.map(({ id }) => id));
      await dropMedia(tx, rows);
    },
  });
}
