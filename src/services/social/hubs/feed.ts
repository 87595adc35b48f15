import type { Actor } from '../../../actor.ts';
import type { Context } from '../../../context.ts';
import type { InputOf } from '../../../contract/operation.ts';
import type { hubPosts } from '../../../contract/social/hub-posts.ts';
import { topWindows } from '../../../contract/social/limits.ts';
import type { Post } from '../../../contract/social/post.ts';
import { banOf } from '../../../rooms/bans.ts';
import { roleIn } from '../../../rooms/membership.ts';
import type { Next, Position } from '../../../store/page.ts';
import type { EngineName } from '../../../store/database.ts';
import { writtenQuery } from '../../../store/written-query.ts';
import { feedPage, type Candidate, type Feed } from '../feeds/feed-page.ts';
import { byNewest, idBehind } from '../feeds/newest.ts';
import { byScore, oldestId, scoreOf, START, type Ranking } from '../feeds/ranked.ts';
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
  // Pages of hidden posts would tell others how many there are.
  if ((await roleIn(ctx, roomOf(hub.id), memberId)) === undefined) return { posts: [], hasMore: false };
  const filter = { hub: hub.id, sort, ...(sort === 'top' && { topWindow }) };
  const common = { list: 'social.hub-posts', memberId, withoutMuted: true, filter };
  const read = readers(ctx, hub.id, sort === 'top' ? topWindows[topWindow] : undefined)[sort];
  const feed: Feed = { ...common, by: sort === 'new' ? byNewest : byScore, read };
  return await feedPage(ctx, feed, { limit, cursor });
}

const newest = writtenQuery<Candidate>(`
  select h.post_id as id from social_post_hubs h
  where h.hub_id = $1 and h.listed = 1 and h.post_id < $2 order by h.post_id desc limit $3`);
const controversial = writtenQuery<Candidate>(`
  select h.post_id as id, h.controversy as score from social_post_hubs h
  where h.hub_id = $1 and h.listed = 1 and (h.controversy, h.post_id) < ($2, $3)
  order by h.controversy desc, h.post_id desc limit $4`);

/**
 * Among posts of the same engagement the newest has the greatest score, as in the public timeline. The parameters are $1 the hub, $2 the
 * moment, $3 the oldest id, $4 and $5 score and id of the position, $6 the limit.
 */
function ranked(engine: EngineName, ranking: Ranking): ReturnType<typeof writtenQuery<Candidate>> {
  const score = scoreOf(ranking, '$2');
  const most = (below: string) =>
    `(select max(s.engagement) from social_post_hubs s where s.hub_id = $1 and s.listed = 1 ${below})`;
  const first = `select h.post_id as id from social_post_hubs h join social_posts q on q.id = h.post_id
    where h.hub_id = $1 and h.listed = 1 and h.engagement = levels.engagement and q.created_at <= $2 and h.post_id > $3
      and (${score('q')}, h.post_id) < ($4, $5) order by h.post_id desc limit $6`;
  const each =
    engine === 'sqljs'
      ? `levels cross join social_posts p on p.id in (${first})`
      : `levels cross join lateral (${first}) one join social_posts p on p.id = one.id`;
  return writtenQuery<Candidate>(`
    with recursive levels (engagement) as (
      select ${most('')} union all
      select ${most('and s.engagement < levels.engagement')} from levels where levels.engagement is not null)
    select p.id, ${score('p')} as score from ${each} order by score desc, p.id desc limit $6`);
}

const rankedBy = {
  sqljs: { hot: ranked('sqljs', 'hot'), top: ranked('sqljs', 'top') },
  postgres: { hot: ranked('postgres', 'hot'), top: ranked('postgres', 'top') },
} as const;

type Reader = (after: Position, most: number) => Promise<readonly Candidate[]>;

function readers(
  { db, store }: Context,
  hubId: string,
  window: number | undefined,
): Readonly<Record<'new' | 'hot' | 'top' | 'controversial', Reader>> {
  const byRank =
    (ranking: Ranking): Reader =>
    async ({ values, asOf }, most) => {
      const [score = START.score, id = START.id] = values;
      const oldest = window === undefined ? '' : oldestId(asOf - window);
      return (await db.executeQuery(rankedBy[store.engine][ranking](hubId, asOf, oldest, score, id, most))).rows;
    };
  return {
    new: async (after, most) => (await db.executeQuery(newest(hubId, idBehind(after), most))).rows,
    hot: byRank('hot'),
    top: byRank('top'),
    controversial: async ({ values }, most) => {
      const [score = START.score, id = START.id] = values;
      return (await db.executeQuery(controversial(hubId, score, id, most))).rows;
    },
  };
}
