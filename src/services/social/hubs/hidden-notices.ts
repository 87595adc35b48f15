import { setImmediate as nextTurn } from 'node:timers/promises';
import { transaction, type Context } from '../../../service/context.ts';
import { planHidden } from '../../../shared/notifications/hidden.ts';
import type { JobHandler } from '../../../platform/store/jobs/jobs.ts';
import { planJob } from '../../../platform/store/jobs/plans.ts';
import type { SocialPostRow } from '../../../platform/store/tables/social.ts';
import { writtenList, writtenQuery } from '../../../platform/store/written-query.ts';

/** Posts of one transaction. A post that names many has as many notifications. */
const BATCH = 100;

/** A repost is told under what it reposts. What quotes a post is seen without it. */
const toldOf = writtenList<{ id: string }>(
  0,
  (ids) => `
    select n.recipient_id as id from notifications n
      where n.target_id in ${ids} and n.type in ('reply', 'mention', 'quote') and n.held = 0
    union select n.recipient_id from social_posts p join notifications n on n.target_id = p.subject_id and n.type = 'repost'
      where p.id in ${ids} and p.kind = 'repost' and n.held = 0
    order by 1`,
);

/** Has those told, after the commit, who lose sight of what their notifications of a post are about. Call it after it went out of the hub. */
export async function planHiddenPost(
  tx: Context,
  { id, kind, author_id: authorId }: Pick<SocialPostRow, 'id' | 'kind' | 'author_id'>,
): Promise<void> {
  // Of those who repost a post others can be left.
  const actorId = kind === 'repost' ? authorId : undefined;
  for (const { id: recipientId } of (await tx.db.executeQuery(toldOf([id]))).rows)
    await planHidden(tx, recipientId, actorId);
}

/** The same for all posts of a hub that ends. A job looks for them, however many they are. */
export async function planHiddenHub(tx: Context, hubId: string): Promise<void> {
  const now = tx.clock.now();
  const kind = 'social-hub-hidden';
  await planJob(tx.db, { id: `${kind}/${hubId}`, kind, payload: { hubId }, runAt: now, now });
}

const postsAfter = writtenQuery<{ id: string }>(`
  select post_id as id from social_post_hubs where hub_id = $1 and post_id > $2 order by post_id limit ${BATCH}`);

/** To tell something twice does no harm, so it can begin anew at any time. */
export function hubHiddenHandler(ctx: Context): JobHandler {
  return async (payload, { signal }) => {
    const { hubId } = payload as { readonly hubId: string };
    for (let after: string | undefined = ''; after !== undefined;) {
      signal.throwIfAborted();
      const ids: string[] = (await ctx.db.executeQuery(postsAfter(hubId, after))).rows.map(({ id }) => id);
      if (ids.length > 0)
        await transaction(ctx, async (tx) => {
          for (const { id } of (await tx.db.executeQuery(toldOf(ids))).rows) await planHidden(tx, id);
        });
      after = ids.length < BATCH ? undefined : ids.at(-1);
      await nextTurn();
    }
  };
}
