import type { Context } from '../../../service/context.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import type { SocialPostRow } from '../../../platform/store/tables/social.ts';
import { rankInHubs } from '../hubs/hub-posts.ts';

/** Counters of posts. Each changes only together with the rows that it counts, in one transaction. */

type Counter = 'like_count' | 'repost_count' | 'reply_count';

const engaging = (counter: Counter) =>
  writtenQuery<Pick<SocialPostRow, 'audience' | 'engagement'> & { readonly tagged: number }>(`
    update social_posts set ${counter} = ${counter} + $1, engagement = engagement + $2 where id = $3
    returning audience, engagement,
      case when exists (select 1 from social_post_tags t where t.post_id = $3) then 1 else 0 end as tagged`);
const engagements = {
  like_count: engaging('like_count'),
  repost_count: engaging('repost_count'),
  reply_count: engaging('reply_count'),
} as const;
const tags = writtenQuery('update social_post_tags set engagement = $1 where post_id = $2');
const quotes = writtenQuery('update social_posts set quote_count = quote_count + $1 where id = $2');

export async function countEngagement(tx: Context, postId: string, counter: Counter, by: 1 | -1): Promise<void> {
  const { rows } = await tx.db.executeQuery(engagements[counter](by, by, postId));
  const [row] = rows;
  if (row === undefined) return;
  if (row.tagged === 1) await tx.db.executeQuery(tags(row.engagement, postId));
  if (row.audience === 'hub') await rankInHubs(tx, postId);
}

/**
 * Whether the counters of the post that a new one is about count it. They count only what all readers of that post could see, but for
 * blocks, because a number must not tell of posts that are hidden.
 */
export async function isCounted(
  tx: Context,
  post: Pick<SocialPostRow, 'audience' | 'author_id'> & { readonly hubIds: readonly string[] },
  about: Pick<SocialPostRow, 'id' | 'audience' | 'author_id'>,
): Promise<boolean> {
  if (post.audience === 'public') return true;
  if (post.audience === 'hub') return about.audience === 'hub' && (await isInAllHubs(tx, post.hubIds, about.id));
  return about.audience === 'followers' && about.author_id === post.author_id;
}

const hubs = writtenQuery<{ hub_id: string }>(`
  select i.hub_id from social_post_hubs i join social_hubs h on h.id = i.hub_id
  where i.post_id = $1 and h.deleted_at is null`);

/** All hubs that a post is in, whoever knows of them. In a deleted one it has no readers. */
async function hubsWith({ db }: Context, postId: string): Promise<string[]> {
  return (await db.executeQuery(hubs(postId))).rows.map((row) => row.hub_id);
}

async function isInAllHubs(tx: Context, hubIds: readonly string[], aboutId: string): Promise<boolean> {
  return (await hubsWith(tx, aboutId)).every((id) => hubIds.includes(id));
}

/** After a post was taken out of a hub: readers of the post that it is about, who do not see it any more, do not count it either. */
export async function countInFewerHubs(tx: Context, post: SocialPostRow): Promise<void> {
  const aboutId = post.parent_id ?? post.subject_id;
  if (post.counted === 0 || aboutId === null) return;
  const left = await hubsWith(tx, post.id);
  if (left.length > 0 && (await isInAllHubs(tx, left, aboutId))) return;
  await countPost(tx, post, -1);
  await tx.db.updateTable('social_posts').set({ counted: 0 }).where('id', '=', post.id).execute();
}

/** Counts a reply, repost or quote where it belongs, or no more. */
export async function countPost(tx: Context, post: SocialPostRow, by: 1 | -1): Promise<void> {
  if (post.counted === 1) {
    if (post.kind === 'reply' && post.parent_id !== null) await countEngagement(tx, post.parent_id, 'reply_count', by);
    if (post.kind === 'repost' && post.subject_id !== null)
      await countEngagement(tx, post.subject_id, 'repost_count', by);
    if (post.kind === 'quote' && post.subject_id !== null) await tx.db.executeQuery(quotes(by, post.subject_id));
  }
  // The number on a profile tells nothing of posts in hubs.
  if (post.kind === 'repost' || post.audience === 'hub') return;
  await tx.db
    .updateTable('social_profiles')
    .set((e) => ({ post_count: e('post_count', '+', by) }))
    .where('member_id', '=', post.author_id)
    .execute();
}
