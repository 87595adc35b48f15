import type { Context } from '../../../service/context.ts';
import { socialEvents } from '../../../contract/social/events.ts';
import { publish } from '../../../platform/realtime/publish.ts';
import type { SocialPostRow } from '../../../platform/store/tables/social.ts';
import { insertRows, writtenQuery } from '../../../platform/store/written-query.ts';
import { topicOfHub } from './changes.ts';
import { inBlock } from './hidden.ts';
import { countDeed } from './trend.ts';

/** What hubs know of the posts in them. It changes in the transactions that change the posts. */

/** Puts a new post into its hubs, and tells their members that it is there. */
export async function enterHubs(tx: Context, post: SocialPostRow, hubIds: readonly string[]): Promise<void> {
  if (hubIds.length === 0) return;
  const listed = post.kind === 'reply' ? 0 : 1;
  await insertRows(
    tx.db,
    'social_post_hubs',
    hubIds.map((hubId) => ({ hub_id: hubId, post_id: post.id, listed, engagement: 0, controversy: 0 })),
  );
  if (post.kind === 'repost') return;
  const told = { _id: post.id, hubIds: [...hubIds], createdAt: new Date(post.created_at).toISOString() };
  for (const hubId of hubIds) {
    await countDeed(tx, hubId, 1);
    await score(tx, hubId, post.author_id, { posts: 1 });
    // Whoever is in one of the hubs alone does not learn of the others.
    const data = { post: { ...told, hubIds: [hubId] } };
    const withheldFrom = await inBlock(tx, hubId, post.author_id);
    await publish(tx, topicOfHub(hubId), socialEvents.hubPost, data, { withheldFrom });
  }
}

const rank = writtenQuery(`
  update social_post_hubs set engagement = (select p.engagement from social_posts p where p.id = $1),
    controversy = (select p.controversy from social_posts p where p.id = $1)
  where post_id = $1`);

/** Takes over from its row by what a post is ranked. */
export async function rankInHubs(tx: Context, postId: string): Promise<void> {
  await tx.db.executeQuery(rank(postId));
}

/** Counts a vote, or no more, for the author in all hubs of the post. */
export async function countVote(
  tx: Context,
  post: Pick<SocialPostRow, 'id' | 'author_id'>,
  upvotes: number,
  downvotes: number,
): Promise<void> {
  await rankInHubs(tx, post.id);
  if (upvotes === 0 && downvotes === 0) return;
  for (const hubId of await hubsWith(tx, post.id))
    await score(tx, hubId, post.author_id, { upvotes, score: upvotes - downvotes });
}

/** Takes a post out of one of its hubs, or of all of them. @returns the hubs that it was in */
export async function leaveHubs(tx: Context, post: SocialPostRow, hubId?: string): Promise<string[]> {
  if (post.audience !== 'hub') return [];
  let gone = tx.db.deleteFrom('social_post_hubs').where('post_id', '=', post.id);
  if (hubId !== undefined) gone = gone.where('hub_id', '=', hubId);
  const left = (await gone.returning('hub_id').execute()).map((row) => row.hub_id).toSorted();
  if (post.kind === 'repost') return left;
  for (const id of left) {
    await tx.db
      .updateTable('social_hubs')
      .set((e) => ({ post_count: e('post_count', '-', 1) }))
      .where('id', '=', id)
      .execute();
    const total = post.upvote_count - post.downvote_count;
    await score(tx, id, post.author_id, { posts: -1, upvotes: -post.upvote_count, score: -total });
  }
  return left;
}

async function hubsWith(tx: Context, postId: string): Promise<string[]> {
  const rows = await tx.db
    .selectFrom('social_post_hubs')
    .select('hub_id')
    .where('post_id', '=', postId)
    .orderBy('hub_id')
    .execute();
  return rows.map((row) => row.hub_id);
}

interface Change {
  readonly posts?: number;
  readonly upvotes?: number;
  readonly score?: number;
}

const add = writtenQuery(`
  insert into social_hub_scores (hub_id, member_id, post_count, upvotes, score, last_active_at)
  values ($1, $2, $3, $4, $5, $6)
  on conflict (hub_id, member_id) do update set post_count = social_hub_scores.post_count + excluded.post_count,
    upvotes = social_hub_scores.upvotes + excluded.upvotes, score = social_hub_scores.score + excluded.score,
    last_active_at = case when excluded.post_count > 0 then excluded.last_active_at
      else social_hub_scores.last_active_at end`);

async function score(tx: Context, hubId: string, memberId: string, change: Change): Promise<void> {
  const { posts = 0, upvotes = 0, score: points = 0 } = change;
  await tx.db.executeQuery(add(hubId, memberId, posts, upvotes, points, tx.clock.now()));
}
