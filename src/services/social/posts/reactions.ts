import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { InputOf } from '../../../contract/operation.ts';
import type { social } from '../../../contract/social.ts';
import { withdraw } from '../../../shared/notifications/withdraw.ts';
import { Problem } from '../../../base/problem.ts';
import { once } from '../../../service/repeats.ts';
import type { SocialPostRow } from '../../../platform/store/tables/social.ts';
import { insertRows, onlyRow, writtenQuery } from '../../../platform/store/written-query.ts';
import { countVote } from '../hubs/hub-posts.ts';
import { requireSelf } from '../people/found.ts';
import { requireReacted } from '../seeing/posts.ts';
import { countEngagement } from './counts.ts';
import { takeUntold, tellLater } from './like-notices.ts';

/**
 * Whether a like was there is told by what writes it. To read it first would make likes of neighbouring posts collide on PostgreSQL. What
 * belongs to the like is written at once, and is taken back with the transaction of one that was there.
 */
const put = writtenQuery(`
  insert into social_likes (post_id, member_id, created_at) values ($1, $2, $3) on conflict do nothing returning post_id`);

export async function like(ctx: Context, actor: Actor, { id }: InputOf<typeof social.like>): Promise<object> {
  return await transaction(ctx, async (tx) => {
    const [self, post] = await Promise.all([requireSelf(tx, actor), requireReacted(tx, actor, id)]);
    return await once(tx, async () => {
      const now = tx.clock.now();
      const row = { post_id: post.id, member_id: self.id, created_at: now, author_id: post.author_id };
      const [added] = await Promise.all([
        tx.db.executeQuery(put(post.id, self.id, now)),
        countEngagement(tx, post.id, 'like_count', 1),
        // Nobody is told of their own likes.
        post.author_id !== self.id && tellLater(tx, row),
      ]);
      if (added.rows.length === 0) throw new Problem('invalid', 'ALREADY_LIKED', 'You like this post already.');
      return {};
    });
  });
}

const takeBack = writtenQuery('delete from social_likes where post_id = $1 and member_id = $2 returning post_id');

export async function unlike(ctx: Context, actor: Actor, { id }: InputOf<typeof social.unlike>): Promise<object> {
  return await transaction(ctx, async (tx) => {
    const postId = await endLike(tx, actor, id);
    const [wasUntold] = await Promise.all([
      takeUntold(tx, { post_id: postId, member_id: actor.memberId }),
      countEngagement(tx, postId, 'like_count', -1),
    ]);
    if (!wasUntold) await withdraw(tx, { actorId: actor.memberId, type: 'like', targetId: postId });
    return {};
  });
}

/**
 * The like is the member's own, so it ends also where the post is hidden from them by now. Whether it is, is asked only without a like.
 * @returns id of the post
 * @throws Problem missing POST_NOT_FOUND, invalid NOT_LIKED
 */
async function endLike(tx: Context, actor: Actor, id: string): Promise<string> {
  const isTaken = async (postId: string): Promise<boolean> =>
    (await tx.db.executeQuery(takeBack(postId, actor.memberId))).rows.length > 0;
  if (await isTaken(id)) return id;
  const post = await requireReacted(tx, actor, id);
  if (post.id !== id && (await isTaken(post.id))) return post.id;
  throw new Problem('invalid', 'NOT_LIKED', 'You do not like this post.');
}

interface Votes {
  readonly upvoteCount: number;
  readonly downvoteCount: number;
  readonly score: number;
}

export async function upvote(ctx: Context, actor: Actor, { id }: InputOf<typeof social.upvote>): Promise<Votes> {
  return await setVote(ctx, actor, id, 1);
}

export async function downvote(ctx: Context, actor: Actor, { id }: InputOf<typeof social.downvote>): Promise<Votes> {
  return await setVote(ctx, actor, id, -1);
}

export async function unvote(ctx: Context, actor: Actor, { id }: InputOf<typeof social.unvote>): Promise<Votes> {
  return await setVote(ctx, actor, id, 0);
}

type CountedVotes = Pick<SocialPostRow, 'upvote_count' | 'downvote_count'>;

// `1.0 *` because whole numbers divide to whole numbers.
const counted = writtenQuery<CountedVotes>(`
  update social_posts set upvote_count = upvote_count + $1, downvote_count = downvote_count + $2,
    controversy = 1.0 * (upvote_count + $1 + downvote_count + $2) / (1 + abs(upvote_count + $1 - downvote_count - $2))
  where id = $3 returning upvote_count, downvote_count`);

/** Counts votes that are new, or no more, on a post and in its hubs. */
export async function changeVotes(
  tx: Context,
  post: Pick<SocialPostRow, 'id' | 'author_id' | 'audience'>,
  ups: number,
  downs: number,
): Promise<CountedVotes> {
  const now = onlyRow((await tx.db.executeQuery(counted(ups, downs, post.id))).rows);
  if (post.audience === 'hub') await countVote(tx, post, ups, downs);
  return now;
}

/** @param value 0: no vote */
async function setVote(ctx: Context, actor: Actor, id: string, value: 1 | 0 | -1): Promise<Votes> {
  return await transaction(ctx, async (tx) => {
    const self = await requireSelf(tx, actor);
    const post = await requireReacted(tx, actor, id);
    const before = post.vote ?? 0;
    if (before === value) return votesOf(post);
    if (before !== 0)
      await tx.db.deleteFrom('social_votes').where('post_id', '=', post.id).where('member_id', '=', self.id).execute();
    if (value !== 0) {
      const row = { post_id: post.id, member_id: self.id, created_at: tx.clock.now(), value };
      await insertRows(tx.db, 'social_votes', [row]);
    }
    const is = (vote: number, which: 1 | -1): number => (vote === which ? 1 : 0);
    const ups = is(value, 1) - is(before, 1);
    const downs = is(value, -1) - is(before, -1);
    return votesOf(await changeVotes(tx, post, ups, downs));
  });
}

function votesOf({ upvote_count: upvoteCount, downvote_count: downvoteCount }: CountedVotes): Votes {
  return { upvoteCount, downvoteCount, score: upvoteCount - downvoteCount };
}
