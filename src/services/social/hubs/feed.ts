import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { InputOf } from '../../../contract/operation.ts';
import type { hubPosts } from '../../../contract/social/hub-posts.ts';
import type { Post } from '../../../contract/social/post.ts';
import { banOf } from '../../../shared/groups/bans.ts';
import { roleIn } from '../../../shared/groups/membership.ts';
import { readCursor, type Next, type Position } from '../../../platform/store/page.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { feedPage, type Candidate, type Feed } from '../feeds/feed-page.ts';
import { byNewest, idBehind } from '../feeds/newest.ts';
import { byScore, START } from '../feeds/ranked.ts';
import { readRanked } from '../feeds/ranked-feeds.ts';
import { requireHub, roomOf } from './access.ts';
import { banned } from './problems.ts';

/** The posts of a hub, of which the filter of all feeds leaves those that the reader may see. */
export async function hubFeed(
  ctx: Context,
  { memberId }: Actor,
  { hubId, sort, topWindow, limit, cursor }: InputOf<typeof hubPosts.hubFeed>,
): Promise<{ posts: Post[] } & Next> {
  const hub = await requireHub(ctx, hubId);
  const ban = await banOf(ctx, roomOf(hub.id), memberId);
  if (ban !== undefined) throw banned(ban);
  const filter = { hub: hub.id, sort, ...(sort === 'top' && { topWindow }) };
  const common = { list: 'social.hub-posts', memberId, withoutMuted: true, filter, context: 'hub' } as const;
  const read =
    sort === 'hot' || sort === 'top'
      ? readRanked(ctx, sort, topWindow, { of: 'hub', id: hub.id }, memberId)
      : readers(ctx, hub.id)[sort];
  const feed: Feed = { ...common, by: sort === 'new' ? byNewest : byScore, read };
  // Pages of hidden posts would tell others how many there are.
  if ((await roleIn(ctx, roomOf(hub.id), memberId)) === undefined) {
    if (cursor !== undefined) readCursor(ctx, feed, cursor);
    return { posts: [], hasMore: false };
  }
  return await feedPage(ctx, feed, { limit, cursor });
}

export const newestOfHub = writtenQuery<Candidate>(`
  select h.post_id as id from social_post_hubs h
  where h.hub_id = $1 and h.listed = 1 and h.post_id < $2 order by h.post_id desc limit $3`);
const controversial = writtenQuery<Candidate>(`
  select h.post_id as id, h.controversy as score from social_post_hubs h
  where h.hub_id = $1 and h.listed = 1 and (h.controversy, h.post_id) < ($2, $3)
  order by h.controversy desc, h.post_id desc limit $4`);

type Reader = (after: Position, most: number) => Promise<readonly Candidate[]>;

function readers({ db }: Context, hubId: string): Readonly<Record<'new' | 'controversial', Reader>> {
  return {
    new: async (after, most) => (await db.executeQuery(newestOfHub(hubId, idBehind(after), most))).rows,
    controversial: async ({ values }, most) => {
      const [score = START.score, id = START.id] = values;
      return (await db.executeQuery(controversial(hubId, score, id, most))).rows;
    },
  };
}
