import { transaction, type Context } from '../../service/context.ts';
import { eachStep, sweep } from '../../service/sweep.ts';
import { purgeUploads } from './sending/uploads.ts';
import { dropUnused } from './storage/contents.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Longer than a receipt can be on its way: the outbox keeps a message for 30 days and asks for 7 more. */
const OFFER_MS = 70 * DAY_MS;
/** Rows that one transaction removes. */
const BATCH = 200;

/** Deletes what nobody needs any more. */
export async function purgeMail(ctx: Context): Promise<void> {
  const forgotten = async () => {
    while ((await forgetArrivals(ctx)) === BATCH);
  };
  await eachStep([async () => await purgeUploads(ctx), async () => await forgetOffers(ctx), forgotten]);
}

/** Offers that nobody says anything of any more. Their blocks are kept for the other node until then. */
async function forgetOffers(ctx: Context): Promise<void> {
  await sweep(ctx, {
    what: 'forgetting an offer of mail',
    most: BATCH,
    async step(tx, { most, without, found }) {
      const rows = await tx.db
        .selectFrom('mail_offers')
        .select(['id', 'content_id'])
        .where('created_at', '<', tx.clock.now() - OFFER_MS)
        .where('id', 'not in', without)
        .orderBy('id')
        .limit(most)
        .execute();
      found(rows.map(({ id }) => id));
      for (const { id, content_id: contentId } of rows) {
        await tx.db.deleteFrom('mail_offers').where('id', '=', id).execute();
        await dropUnused(tx, contentId);
      }
    },
  });
}

/** What arrived is remembered for as long as it could come again. */
async function forgetArrivals(ctx: Context): Promise<number> {
  return await transaction(ctx, async (tx) => {
    const rows = await tx.db
      .selectFrom('mail_arrivals')
      .select(['node_id', 'offer_id'])
      .where('outcome', 'is not', null)
      .where('created_at', '<', tx.clock.now() - OFFER_MS)
      .limit(BATCH)
      .execute();
    for (const { node_id: nodeId, offer_id: offerId } of rows)
      await tx.db.deleteFrom('mail_arrivals').where('node_id', '=', nodeId).where('offer_id', '=', offerId).execute();
    return rows.length;
  });
}
