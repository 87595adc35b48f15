import type { Context } from '../../../context.ts';
import type { EngineName } from '../../../store/database.ts';
import { isFor, isForFollower } from '../seeing/posts.ts';
import { isPublic } from './newest.ts';
import {
  levelQueries,
  readLevels,
  readScanned,
  scannedQuery,
  type RankedFeed,
  type RankedSet,
  type Ranking,
} from './ranked.ts';
import type { Feed } from './feed-page.ts';

/** What of all posts each timeline ranks. */
const those = (condition: (post: string) => string): RankedSet => ({
  rows: (post) => `social_posts ${post}`,
  where: condition,
  id: (post) => `${post}.id`,
  engagement: (post) => `${post}.engagement`,
});

const sets = {
  author: those((post) => `${post}.deleted_at is null and ${post}.author_id = :whose and ${isFor(post, ':reader')}`),
  tag: those(
    (post) => `${post}.deleted_at is null and ${isFor(post, ':reader')}
      and exists (select 1 from social_post_tags t where t.tag = :whose and t.post_id = ${post}.id)`,
  ),
  list: those(
    (post) => `${post}.deleted_at is null and ${isFor(post, ':reader')}
      and ${post}.author_id in (select f.member_id from social_list_members f where f.list_id = :whose)`,
  ),
  home: those(
    (
      post,
    ) => `${post}.deleted_at is null and ${isForFollower(post, ':reader')} and (${post}.author_id = :whose or ${post}.author_id in (
      select f.followee_id from social_follows f where f.follower_id = :whose and f.requested = 0))`,
  ),
  hub: {
    rows: (post) => `social_post_hubs h_${post} join social_posts ${post} on ${post}.id = h_${post}.post_id`,
    where: (post) => `h_${post}.hub_id = :whose and h_${post}.listed = 1`,
    key: (post) => `h_${post}.hub_id = :whose`,
    id: (post) => `h_${post}.post_id`,
    engagement: (post) => `h_${post}.engagement`,
  },
} as const satisfies Readonly<Record<string, RankedSet>>;

const publicSet = those(isPublic);

export type Place = { readonly of: 'public' } | { readonly of: keyof typeof sets; readonly id: string };

const made = new Map<string, unknown>();

function once<T>(name: string, make: () => T): T {
  const known = made.get(name) ?? make();
  made.set(name, known);
  return known as T;
}

/**
 * @param readerId for whom the posts must be, where that is not decided by the place
 * @param scanned how many of the newest posts are all looked at, in a large set
 */
export function readRanked(
  ctx: Context,
  ranking: Ranking,
  window: RankedFeed['window'],
  place: Place,
  readerId: string,
  scanned?: number,
): Feed['read'] {
  const { engine }: { engine: EngineName } = ctx.store;
  const feed = { ranking, window, reader: readerId, ...(place.of !== 'public' && { whose: place.id }) };
  if (place.of === 'public' || place.of === 'hub') {
    const set = place.of === 'public' ? publicSet : sets.hub;
    const queries = once(`${engine} ${ranking} ${place.of}`, () => levelQueries(engine, set, ranking));
    return readLevels(ctx, queries, feed, scanned);
  }
  return readScanned(
    ctx,
    once(`${ranking} ${place.of}`, () => scannedQuery(sets[place.of], ranking)),
    feed,
  );
}
