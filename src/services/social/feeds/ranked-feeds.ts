import type { Context } from '../../../service/context.ts';
import type { EngineName } from '../../../platform/store/database.ts';
import type { EngineStatements, EngineStatement } from '../../../platform/store/per-engine.ts';
import { isFor, isForFollower } from '../seeing/posts.ts';
import { amongQueries, readAmongAll, type Reach } from './among-all.ts';
import { isPublic, MANY } from './newest.ts';
import {
  levelQueries,
  nearQuery,
  readLevels,
  readWalk,
  readWindows,
  walkQuery,
  windowQueries,
  type Query,
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

/** The posts of some members. @param members SQL: a table with their ids in the column `member_id` */
const written = (
  members: (post: string) => string,
  isReaders: (post: string, reader: string) => string,
): RankedSet => ({
  ...those(
    (post) =>
      `${post}.author_id = a_${post}.member_id and ${post}.deleted_at is null and ${isReaders(post, ':reader')}`,
  ),
  each: members,
});

const byAuthors = {
  author: those((post) => `${post}.author_id = :whose and ${post}.deleted_at is null and ${isFor(post, ':reader')}`),
  list: written((post) => `(select member_id from social_list_members where list_id = :whose) a_${post}`, isFor),
  home: written(
    (post) => `(select followee_id as member_id from social_follows where follower_id = :whose and requested = 0
      union all select cast(:whose as text)) a_${post}`,
    isForFollower,
  ),
} as const;

const byLevels = {
  public: those(isPublic),
  tag: {
    rows: (post) => `social_post_tags t_${post} join social_posts ${post} on ${post}.id = t_${post}.post_id`,
    where: (post) => `t_${post}.tag = :whose and ${isFor(post, ':reader')}`,
    key: (post) => `t_${post}.tag = :whose`,
    id: (post) => `t_${post}.post_id`,
    engagement: (post) => `t_${post}.engagement`,
  },
  hub: {
    rows: (post) => `social_post_hubs h_${post} join social_posts ${post} on ${post}.id = h_${post}.post_id`,
    where: (post) => `h_${post}.hub_id = :whose and h_${post}.listed = 1`,
    key: (post) => `h_${post}.hub_id = :whose`,
    id: (post) => `h_${post}.post_id`,
    engagement: (post) => `h_${post}.engagement`,
    alone: {
      rows: (post) => `social_post_hubs h_${post}`,
      where: (post) => `h_${post}.hub_id = :whose and h_${post}.listed = 1`,
    },
  },
} as const satisfies Readonly<Record<string, RankedSet>>;

export type Place =
  | { readonly of: 'public' }
  | { readonly of: Exclude<keyof typeof byLevels, 'public'> | keyof typeof byAuthors; readonly id: string };

const isByAuthors = (of: Place['of']): of is keyof typeof byAuthors => of in byAuthors;

/** Sets of one index, which has the order of their numbers. */
const isWalked = (of: Place['of']): of is keyof typeof byLevels | 'author' => of in byLevels || of === 'author';

const made = new Map<string, unknown>();

function once<T>(name: string, make: () => T): T {
  const known = made.get(name) ?? make();
  made.set(name, known);
  return known as T;
}

function queriesIn<Name extends string>(queries: Readonly<Record<Name, Query<unknown>>>): Query<unknown>[] {
  return Object.values(queries);
}

function statementsOf(engine: EngineName): EngineStatement[] {
  const all = (['hot', 'top'] as const).flatMap((ranking) =>
    [
      Object.values(byAuthors).flatMap((set) => queriesIn(windowQueries(engine, set, ranking))),
      (['home', 'list'] as const).flatMap((of) => queriesIn(amongQueries(engine, of, ranking))),
      Object.values(byLevels).flatMap((set) => queriesIn(levelQueries(engine, set, ranking))),
    ].flat(),
  );
  return all.map((query) => query({}));
}

export const engineStatements: EngineStatements = {
  sqljs: () => statementsOf('sqljs'),
  postgres: () => statementsOf('postgres'),
};

/** Sizes that tests choose, of which each leads to the same order. */
export interface Sizes {
  /** how many of the newest posts are all looked at, in a large set */
  readonly scanned?: number;
  /** how many of the first posts by their numbers are looked at */
  readonly near?: number;
  /** who follows more members than this, or has so many in a list, finds a page among the posts of all */
  readonly many?: number;
  /** how far those are looked at */
  readonly reach?: Reach;
}

/** @param readerId for whom the posts must be, where that is not decided by the place */
export function readRanked(
  ctx: Context,
  ranking: Ranking,
  window: RankedFeed['window'],
  place: Place,
  readerId: string,
  { scanned, near, many = MANY, reach }: Sizes = {},
): Feed['read'] {
  const { engine }: { engine: EngineName } = ctx.store;
  const feed = { ranking, window, reader: readerId, many, ...(place.of !== 'public' && { whose: place.id }) };
  if (ranking === 'top' && window === 'all' && isWalked(place.of)) {
    const { of } = place;
    const query = once(`all ${of}`, () => walkQuery(of === 'author' ? byAuthors.author : byLevels[of]));
    return readWalk(ctx, query, feed);
  }
  if (isByAuthors(place.of)) {
    const { of } = place;
    const queries = once(`${engine} ${ranking} ${of}`, () => windowQueries(engine, byAuthors[of], ranking));
    const read = readWindows(ctx, queries, feed);
    if (of === 'author') return read;
    const among = once(`among ${engine} ${ranking} ${of}`, () => amongQueries(engine, of, ranking));
    return readAmongAll(ctx, among, feed, read, reach);
  }
  const { of } = place;
  const queries = once(`${engine} ${ranking} ${of}`, () => levelQueries(engine, byLevels[of], ranking));
  const numbered =
    ranking === 'top'
      ? readWalk(
          ctx,
          once(`near ${of}`, () => nearQuery(byLevels[of])),
          feed,
          near,
        )
      : undefined;
  return readLevels(ctx, queries, feed, numbered, scanned === undefined ? undefined : [scanned]);
}
