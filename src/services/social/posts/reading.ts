import type { Actor } from '../../../actor.ts';
import type { Context } from '../../../context.ts';
import type { InputOf, ReplyOf } from '../../../contract/operation.ts';
import type { social } from '../../../contract/social.ts';
import { socialLimits } from '../../../contract/social/limits.ts';
import type { Post } from '../../../contract/social/post.ts';
import { writtenQuery } from '../../../store/written-query.ts';
import { filtersFor } from '../filters/applying.ts';
import { postRows, requireOriginal, requirePost, type SeenPost } from '../seeing/posts.ts';
import { shownPost, shownPosts } from './shown.ts';

export async function showPost(ctx: Context, actor: Actor, { id }: InputOf<typeof social.showPost>): Promise<Post> {
  const row = await requirePost(ctx, actor, id);
  // Whoever asks for one post gets it, with a warning at most.
  return await shownPost(ctx, actor.memberId, row, await filtersFor(ctx, actor.memberId, 'thread'));
}

interface Below {
  readonly id: string;
  readonly parent_id: string;
}

const repliesOf = writtenQuery<Below>(
  'select id, parent_id from social_posts where root_id = $1 and deleted_at is null order by id limit $2',
);

/** Replies that are looked at for one answer. A thread in which most are hidden is cut earlier. */
const LOOKED_AT = 4 * socialLimits.thread;

export async function showThread(
  ctx: Context,
  actor: Actor,
  { id }: InputOf<typeof social.showThread>,
): Promise<ReplyOf<typeof social.showThread>> {
  const asked = await requireOriginal(ctx, actor, id);
  const root = await topOf(ctx, actor, asked);
  const { rows: below } = await ctx.db.executeQuery(repliesOf(root.root_id ?? root.id, LOOKED_AT + 1));
  const seen = await postRows(
    ctx,
    actor.memberId,
    below.slice(0, LOOKED_AT).map((row) => row.id),
  );
  // Parents are older than their replies, so one walk in the order of time finds everything below the first post.
  const connected = new Set([root.id]);
  const filters = await filtersFor(ctx, actor.memberId, 'thread');
  const replies: SeenPost[] = [];
  for (const { id: replyId, parent_id: parentId } of below) {
    const row = seen.get(replyId);
    if (row === undefined || !connected.has(parentId)) continue;
    if (replyId !== asked.id && filters?.hides([row]) === true) continue;
    connected.add(replyId);
    replies.push(row);
  }
  const first = replies.slice(0, socialLimits.thread);
  return {
    rootPost: await shownPost(ctx, actor.memberId, root, filters),
    replies: await shownPosts(ctx, actor.memberId, first, filters),
    replyCount: first.length,
    participantCount: new Set([root, ...first].map((row) => row.author_id)).size,
    hasMore: replies.length > first.length || below.length > LOOKED_AT,
  };
}

/** The first post above one that the reader may see without a gap. */
async function topOf(ctx: Context, actor: Actor, asked: SeenPost): Promise<SeenPost> {
  let top = asked;
  while (top.parent_id !== null) {
    const parent = (await postRows(ctx, actor.memberId, [top.parent_id])).get(top.parent_id);
    if (parent === undefined) break;
    top = parent;
  }
  return top;
}
