import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { InputOf, ReplyOf } from '../../../contract/operation.ts';
import type { social } from '../../../contract/social.ts';
import { socialLimits } from '../../../contract/social/limits.ts';
import type { Post } from '../../../contract/social/post.ts';
import { asc, pageOf } from '../../../platform/store/page.ts';
import { onlyRow, writtenQuery } from '../../../platform/store/written-query.ts';
import { filtersFor } from '../filters/applying.ts';
import { isFor, postRows, requireOriginal, requirePost, type SeenPost } from '../seeing/posts.ts';
import { shownPost, shownPosts } from './shown.ts';

export async function showPost(ctx: Context, actor: Actor, { id }: InputOf<typeof social.showPost>): Promise<Post> {
  const row = await requirePost(ctx, actor, id);
  // Whoever asks for one post gets it, with a warning at most.
  return await shownPost(ctx, actor.memberId, row, await filtersFor(ctx, actor.memberId, 'thread'));
}

interface Below {
  readonly id: string;
}

const repliesOf = writtenQuery<Below>(
  `select p.id from social_posts p where ${isFor('p')} and p.root_id = $2 and p.id > $3 and p.deleted_at is null
   order by p.id limit $4`,
);

/** The replies come in pages of candidates. One in which most are hidden has few of them. */
export async function showThread(
  ctx: Context,
  actor: Actor,
  { id, ...page }: InputOf<typeof social.showThread>,
): Promise<ReplyOf<typeof social.showThread>> {
  const { memberId } = actor;
  const asked = await requireOriginal(ctx, actor, id);
  const root = (await isFar(ctx, memberId, asked)) ? asked : await topOf(ctx, actor, asked);
  const listing = {
    list: 'social.thread',
    memberId,
    filter: { id: asked.id },
    by: [asc<Below>('id', (row) => row.id)],
  };
  const { rows: below, next } = await pageOf(ctx, listing, page, async ({ values: [last = root.id] }, most) => {
    return (await ctx.db.executeQuery(repliesOf(memberId, root.root_id ?? root.id, last, most))).rows;
  });
  const filters = await filtersFor(ctx, memberId, 'thread');
  const hides = (row: SeenPost): boolean => row.id !== asked.id && filters?.hides([row]) === true;
  const replies = await connectedTo(ctx, memberId, root, below, hides);
  return {
    rootPost: await shownPost(ctx, memberId, root, filters),
    replies: await shownPosts(ctx, memberId, replies, filters),
    replyCount: replies.length,
    participantCount: new Set([root, ...replies].map((row) => row.author_id)).size,
    ...next,
  };
}

const before = writtenQuery<{ count: number }>(
  `select count(*) as count from
    (select p.id from social_posts p where ${isFor('p')} and p.root_id = $2 and p.id < $3 and p.deleted_at is null limit $4) few`,
);

/** Whether a post would not be on the first page of its thread. */
async function isFar({ db }: Context, memberId: string, { root_id: rootId, id }: SeenPost): Promise<boolean> {
  if (rootId === null) return false;
  const { rows } = await db.executeQuery(before(memberId, rootId, id, socialLimits.thread));
  return onlyRow(rows).count >= socialLimits.thread;
}

/** Those of the replies that the reader may see, with everything between them and the first post. */
async function connectedTo(
  ctx: Context,
  memberId: string,
  root: SeenPost,
  below: readonly Below[],
  hides: (row: SeenPost) => boolean,
): Promise<SeenPost[]> {
  const ids = below.map((row) => row.id);
  const known = new Map<string, SeenPost | undefined>([[root.id, root]]);
  // Parents may be on earlier pages. A thread is not deep.
  for (let wanted = ids; wanted.length > 0;) {
    const seen = await postRows(ctx, memberId, wanted);
    for (const id of wanted) known.set(id, seen.get(id));
    const parents = [...seen.values()].flatMap(({ parent_id: id }) => (id === null || known.has(id) ? [] : [id]));
    wanted = [...new Set(parents)];
  }
  const isConnected = (id: string | null): boolean => {
    const row = id === null ? undefined : known.get(id);
    if (row === undefined || (row !== root && hides(row))) return false;
    return row === root || isConnected(row.parent_id);
  };
  return ids.flatMap((id) => (isConnected(id) ? [known.get(id) as SeenPost] : []));
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
