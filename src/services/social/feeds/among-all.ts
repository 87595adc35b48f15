import type { Context } from '../../../service/context.ts';
import type { EngineName } from '../../../platform/store/database.ts';
import { namedQuery, onlyRow } from '../../../platform/store/written-query.ts';
import type { SocialPostRow } from '../../../platform/store/tables/social.ts';
import type { Candidate } from './feed-page.ts';
import { authors, isPublic, type Authors } from './newest.ts';
import {
  inOrder,
  leastEngagement,
  numberOf,
  oldestId,
  scoreOf,
  valuesOf,
  type Query,
  type RankedFeed,
  type Ranking,
  type Read,
} from './ranked.ts';

/**
 * Ranked posts of many members. To look at the posts of each of those is to read thousands of places of an index. So they are looked for
 * among the posts of all, of which a good part is theirs: among the newest, and by the two indexes of the numbers of likes, replies and
 * reposts.
 */

/** What the index of all other posts holds. Together with the public ones they are all that nobody deleted. */
const isOther = (post: string): string =>
  `${post}.deleted_at is null and (${post}.audience <> 'public' or ${post}.kind not in ('original', 'quote'))`;

const parts = { shown: isPublic, other: isOther } as const;

/** How far the posts of all are looked at before those of each author are. */
export interface Reach {
  /** how many of the newest ones, at first */
  readonly scanned: number;
  /** how many distinct numbers, from the greatest one down: at first, and where those have no page */
  readonly levels: readonly number[];
  /** how many posts that have those numbers */
  readonly deep: number;
}

const REACH: Reach = { scanned: 1_000, levels: [4, 32, 256, 2_048], deep: 2_000 };
/** So many times as many of the newest posts are looked at where that ends a search. */
const FURTHER = 4;

/** Posts of those authors behind a position. One's own are in one's home. */
function page(of: Authors, ranking: Ranking, from: string): string {
  const { wrote, isForReader } = authors[of];
  const isTheirs = of === 'home' ? `(p.author_id = :whose or ${wrote})` : wrote;
  const score = scoreOf('p.engagement', ranking, 'p');
  // PostgreSQL would find numbers that are not cast by the index of each author.
  return `select p.id, ${score} as score from ${from} where p.deleted_at is null and p.id < :end and p.id > :oldest
    and ${scoreOf('p.engagement', 'top', 'p')} >= :least and (${score}, p.id) < (:score, :id) and ${isTheirs}
    and ${isForReader}`;
}

const best = `order by score desc, p.id desc limit :most`;

interface Found {
  readonly id: string | null;
  readonly score: number | null;
  /** of the one row without an id, which says how far was looked */
  readonly posts: number | null;
  readonly levels: number | null;
}

/** SQL: the least id of a moment. */
const idOf = {
  sqljs: (ms: string) => `printf('%012x', ${ms})`,
  postgres: (ms: string) => `lpad(to_hex(${ms}), 12, '0')`,
} as const;

/** Of each number, from the greatest one down, the posts that are of the window, or new enough for a score of `:reach`. */
function levelQuery(engine: EngineName, of: Authors, ranking: Ranking, isIn: (post: string) => string): Query<Found> {
  const highest = (condition: string): string =>
    `(select max(s.engagement) from social_posts s where ${isIn('s')} and s.engagement >= :least and s.engagement ${condition})`;
  // See `momentOf`.
  const ms = `cast(:moment - (power(cast(levels.engagement as double precision) / :reach, 0.6666666666666667) - 2) * 3600000 - 1000 as bigint)`;
  const since = ranking === 'top' ? ':oldest' : idOf[engine](`case when ${ms} > 0 then ${ms} else 0 end`);
  const posts = `social_posts q where ${isIn('q')} and q.engagement = levels.engagement`;
  // PostgreSQL may take an index of the ids alone, and read it from end to end for each number, unless a condition names both.
  const each =
    engine === 'postgres'
      ? `one.id from levels cross join lateral (select q.id from ${posts} and (q.engagement, q.id) < (levels.engagement, :end)
          and (q.engagement, q.id) > (levels.engagement, ${since}) offset 0) one`
      : `q.id from levels cross join ${posts} and q.id < :end and q.id > ${since}`;
  return namedQuery<Found>(`
    with recursive levels (engagement, place) as (
      select ${highest('<= :number')}, 1 union all
      select ${highest('< levels.engagement')}, place + 1 from levels where levels.engagement is not null and place < :levels),
    found (id) as materialized (select ${each} limit :deep)
    select best.id, best.score, null as posts, null as levels
      from (${page(of, ranking, 'found cross join social_posts p')} and p.id = found.id ${best}) best
    union all select null, null, (select count(*) from found), (select count(engagement) from levels)`);
}

type Boundary = Pick<SocialPostRow, 'id' | 'created_at'>;

export const amongQueries = (engine: EngineName, of: Authors, ranking: Ranking) => ({
  areMany: namedQuery(`select 1 where ${authors[of].areMany}`),
  newest: namedQuery<Candidate>(`${page(of, ranking, 'social_posts p')} ${best}`),
  shown: levelQuery(engine, of, ranking, parts.shown),
  other: levelQuery(engine, of, ranking, parts.other),
});
type Queries = ReturnType<typeof amongQueries>;

const boundaryAt = namedQuery<Boundary>(`select p.id, p.created_at from social_posts p
  where p.id = (select id from social_posts where id < :end order by id desc limit 1 offset :scanned)`);
const greatestNumber = namedQuery<{ readonly number: number | null }>(`select max(number) as number from (
  ${Object.values(parts)
    .map((isIn) => `select max(s.engagement) as number from social_posts s where ${isIn('s')}`)
    .join(' union all ')}) of_parts`);

type Page = readonly Candidate[] | undefined;
type Values = ReturnType<typeof valuesOf> & Readonly<Record<'most' | 'least' | 'deep', number>>;

/** @param otherwise looks at the posts of each author: where those are few, or where the posts of all have no page */
export function readAmongAll(ctx: Context, queries: Queries, feed: RankedFeed, otherwise: Read, reach = REACH): Read {
  const look = feed.ranking === 'hot' ? hottest : greatest;
  return async (after, most) => {
    const values = { ...valuesOf(feed, after), most, least: 0, deep: reach.deep };
    const { rows } = await ctx.db.executeQuery(queries.areMany(values));
    const found = rows.length === 0 ? undefined : await look(ctx, queries, values, reach);
    return found ?? (await otherwise(after, most));
  };
}

/** The newest posts set a score. The greatest number that a post has says how old one with that score can be. */
async function hottest(ctx: Context, queries: Queries, values: Values, { scanned, levels }: Reach): Promise<Page> {
  const near = await boundary(ctx, values, scanned);
  const recent = await newest(ctx, queries, { ...values, oldest: near?.id ?? '' });
  if (near === undefined) return recent;
  const score = recent[values.most - 1]?.score ?? 0;
  if (score === 0) return undefined;
  const least = leastEngagement('hot', score, values.moment - near.created_at);
  const older = { ...values, end: justBehind(near.id), least };
  const [{ number } = { number: null }] = (await ctx.db.executeQuery(greatestNumber({}))).rows;
  const oldest = oldestId(momentOf(number ?? 0, score, values.moment));
  if (await isReached(ctx, oldest, values, scanned))
    return firstOf(values, recent, await newest(ctx, queries, { ...older, oldest }));
  // Likes that come meanwhile may have made a greater number.
  const all = { ...older, number: Number.MAX_SAFE_INTEGER, reach: score, levels: levels.at(-1) ?? 0 };
  const [shown, other] = [await byLevels(ctx, queries.shown, all), await byLevels(ctx, queries.other, all)];
  return shown?.isAll && other?.isAll ? firstOf(values, recent, shown.rows, other.rows) : undefined;
}

/** Those of a short window are all looked at. In a long one few posts have numbers that are great enough. */
async function greatest(ctx: Context, queries: Queries, values: Values, { scanned, levels }: Reach): Promise<Page> {
  if (await isReached(ctx, values.oldest, values, scanned)) {
    const near = (await boundary(ctx, values, scanned))?.id;
    if (near === undefined || near <= values.oldest) return await newest(ctx, queries, values);
    const recent = await newest(ctx, queries, { ...values, oldest: near });
    const least = recent[values.most - 1]?.score ?? 0;
    return firstOf(values, recent, await newest(ctx, queries, { ...values, end: justBehind(near), least }));
  }
  const number = numberOf(values.score);
  for (const count of levels) {
    const shown = await byLevels(ctx, queries.shown, { ...values, number, levels: count });
    if (shown === undefined) return undefined;
    if (shown.rows.length < values.most && !shown.isAll) continue;
    const least = shown.rows[values.most - 1]?.score ?? 0;
    const other = await byLevels(ctx, queries.other, { ...values, number, least, levels: levels.at(-1) ?? 0 });
    return other?.isAll ? firstOf(values, shown.rows, other.rows) : undefined;
  }
  return undefined;
}

/** The moment since which a post with a number can have a score, and a second before, for what is rounded. */
const momentOf = (number: number, score: number, moment: number): number =>
  Math.floor(moment - ((number / score) ** (2 / 3) - 2) * 3_600_000) - 1_000;

/** An end that an id itself is before. */
const justBehind = (id: string): string => `${id}g`;

async function boundary({ db }: Context, values: Values, scanned: number): Promise<Boundary | undefined> {
  return (await db.executeQuery(boundaryAt({ ...values, scanned }))).rows[0];
}

/** Whether there are few enough posts from an id on to look at all of them. */
async function isReached(ctx: Context, oldest: string, values: Values, scanned: number): Promise<boolean> {
  const far = await boundary(ctx, values, scanned * FURTHER);
  return far === undefined || far.id <= oldest;
}

async function newest({ db }: Context, queries: Queries, values: Values): Promise<readonly Candidate[]> {
  return (await db.executeQuery(queries.newest(values))).rows;
}

interface ByLevels {
  readonly rows: readonly Candidate[];
  /** whether there are no more numbers */
  readonly isAll: boolean;
}

/** @returns nothing if more posts have those numbers than are looked at */
async function byLevels(
  { db }: Context,
  query: Query<Found>,
  values: Values & Readonly<Record<'levels' | 'number', number>>,
): Promise<ByLevels | undefined> {
  const { rows } = await db.executeQuery(query(values));
  const { posts, levels } = onlyRow(rows.filter(({ id }) => id === null));
  if ((posts ?? 0) >= values.deep) return undefined;
  const found = rows.flatMap(({ id, score }) => (id === null ? [] : [{ id, score: score ?? 0 }]));
  return { rows: found.toSorted(inOrder), isAll: (levels ?? 0) < values.levels };
}

function firstOf({ most }: Values, ...found: readonly (readonly Candidate[])[]): readonly Candidate[] {
  return found.flat().toSorted(inOrder).slice(0, most);
}
