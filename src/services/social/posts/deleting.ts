import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { InputOf } from '../../../contract/operation.ts';
import type { social } from '../../../contract/social.ts';
import { withdraw } from '../../../shared/notifications/withdraw.ts';
import { Problem } from '../../../base/problem.ts';
import type { SocialPostRow } from '../../../platform/store/tables/social.ts';
import { tellGone } from '../hubs/hidden.ts';
import { leaveHubs } from '../hubs/hub-posts.ts';
import { releaseMedia } from '../media/attaching.ts';
import { unindexPost } from '../search/index-post.ts';
import { requirePost } from '../seeing/posts.ts';
import { unsealed } from '../seeing/sealed.ts';
import { countPost } from './counts.ts';

export async function deletePost(ctx: Context, actor: Actor, { id }: InputOf<typeof social.deletePost>): Promise<null> {
  return await transaction(ctx, async (tx) => {
    // Also a repost of a post that is hidden from its author by now. Only the author learns that a deleted post was there.
    const own = await tx.db
      .selectFrom('social_posts')
      .selectAll()
      .where('id', '=', id)
      .where('author_id', '=', actor.memberId)
      .executeTakeFirst();
    if (own === undefined) {
      await requirePost(tx, actor, id);
      throw new Problem('forbidden', 'NOT_AUTHOR', 'Only the author of a post can delete it.');
    }
    if (own.deleted_at !== null) throw new Problem('invalid', 'POST_ALREADY_DELETED', 'This post is deleted already.');
    await erasePost(tx, own);
    return null;
  });
}

/**
 * Deletes a post with all that belongs to it. Its row stays without a text, because replies stand below it. Reposts of it are gone with
 * their rows: nothing stands below them.
 * @param told whether the members of its hubs hear of it
 * @param hidden `told` if nobody may see it any more, and those who have a notification of it were not told so
 */
export async function erasePost(
  tx: Context,
  row: SocialPostRow,
  { told = true, hidden = 'untold' }: { readonly told?: boolean; readonly hidden?: 'told' | 'untold' } = {},
): Promise<void> {
  const { db } = tx;
  const now = tx.clock.now();
  // While it is there: who may see it hears that their notification of it is gone.
  await withdraw(tx, { targetId: row.id }, { hidden });
  if (row.kind === 'repost' && row.subject_id !== null)
    await withdraw(tx, { actorId: row.author_id, type: 'repost', targetId: row.subject_id });
  await countPost(tx, row, -1);
  if (told) await tellGone(tx, row);
  await leaveHubs(tx, row);
  await db
    .updateTable('social_posts')
    .set((e) => ({
      content: '',
      warning: '',
      mentions: '{}',
      ...unsealed,
      like_count: 0,
      repost_count: 0,
      upvote_count: 0,
      downvote_count: 0,
      // Replies stay, and are counted until they go.
      engagement: e.ref('reply_count'),
      controversy: 0,
      deleted_at: now,
      updated_at: now,
    }))
    .where('id', '=', row.id)
    .execute();
  await db.deleteFrom('social_post_tags').where('post_id', '=', row.id).execute();
  await db.deleteFrom('social_bookmarks').where('post_id', '=', row.id).execute();
  await db.deleteFrom('social_likes').where('post_id', '=', row.id).execute();
  await db.deleteFrom('social_votes').where('post_id', '=', row.id).execute();
  await db.deleteFrom('social_posts').where('subject_id', '=', row.id).where('kind', '=', 'repost').execute();
  await releaseMedia(tx, [row.id]);
  await unindexPost(tx, row.id);
}
