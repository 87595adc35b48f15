import { transaction, type Context } from '../../service/context.ts';
import { ONCE_MS } from './once.ts';

/** Rows for each transaction. Other writers wait for it, so it is small. */
const BATCH = 500;
/** Nobody sees what is for other channels than the list. It is needed until they are done with it. */
const HIDDEN_MS = 2 * 24 * 60 * 60 * 1000;

/** Forgets what was told once, when it may be told again, and what was for push messages and digests alone. */
export async function purgeNotifications(ctx: Context): Promise<void> {
  const now = ctx.clock.now();
  const told = now - ONCE_MS;
  await inBatches(ctx, async ({ db }) => {
    const rows = await db.selectFrom('notification_once').selectAll().where('at', '<=', told).limit(BATCH).execute();
    for (const { recipient_id: recipient, type, target_id: target, actor_id: actor } of rows)
      await db
        .deleteFrom('notification_once')
        .where('recipient_id', '=', recipient)
        .where('type', '=', type)
        .where('target_id', '=', target)
        .where('actor_id', '=', actor)
        .where('at', '<=', told)
        .execute();
    return rows.length;
  });
  const hidden = now - HIDDEN_MS - ctx.config.notifications.digestMs;
  await inBatches(ctx, async ({ db }) => {
    const gone = await db
      .deleteFrom('notifications')
      .where('id', 'in', (e) =>
        e.selectFrom('notifications').select('id').where('held', '=', 2).where('updated_at', '<=', hidden).limit(BATCH),
      )
      .returning('id')
      .execute();
    return gone.length;
  });
}

async function inBatches(ctx: Context, purge: (tx: Context) => Promise<number>): Promise<void> {
  while ((await transaction(ctx, purge)) === BATCH);
}
