import type { Context } from '../../../service/context.ts';
import { topWindows, type TopWindow } from '../../../contract/social/limits.ts';
import type { EngineName } from '../../../platform/store/database.ts';
import { desc, type Position, type SortValue } from '../../../platform/store/page.ts';
import { namedQuery } from '../../../platform/store/written-query.ts';
import type { SocialPostRow } from '../../../platform/store/tables/social.ts';
import type { Candidate } from './feed-page.ts';

/** Feeds in the order of a score at the moment of the first page, newest first among equal ones. */

export type Ranking = 'hot' | 'top';

export const byScore = [desc<Candidate>('score', (row) => row.score ?? 0), desc<Candidate>('id', (row) => row.id)];

/** Posts that are ranked, as SQL in which the alias is a post's. `:whose` and `:reader` are parameters of the caller. */
export interface RankedSet {
  /** a table, if the set has posts of each of its rows; `where` says which */
  readonly each?: (post: string) => string;
  /** what stands behind `from` */
  readonly rows: (post: string) => string;
  readonly where: (post: string) => string;
  /** the part of the conditions that makes a row of the id the only one */
  readonly key?: (post: string) => string;
  readonly id: (post: string) => string;
  readonly engagement: (post: string) => string;
  /** the same without the post itself, of which nothing but its id and number counts */
  readonly alone?: Pick<RankedSet, 'rows' | 'where'>;
}

// x^1.5 is x times its root: both are exact in the same way on both engines. Casts: whole numbers would divide to whole numbers.
const hours = (post: string): string => `(cast(:moment - ${post}.created_at as double precision) / 3600000 + 2)`;

const from = ({ rows, where }: RankedSet, post: string): string => `${rows(post)} where ${where(post)}`;

export function scoreOf(engagement: string, ranking: Ranking, post: string): string {
  const count = `cast(${engagement} as double precision)`;
  return ranking === 'top' ? count : `${count} / (${hours(post)} * sqrt(${hours(post)}))`;
}

/** The posts of a set that come behind a position, in the window of the feed. */
function behind(set: RankedSet, ranking: Ranking, post: string, id = set.id(post)): string {
  // The id says when it was written, too. Without its age, what an index holds of a post is often enough.
  const written = ranking === 'top' ? `${id} < :end` : `${post}.created_at <= :moment`;
  return `${from(scored(set, ranking), post)} and ${written} and ${id} > :oldest
    and (${scoreOf(set.engagement(post), ranking, post)}, ${id}) < (:score, :id)`;
}

/** The set with no more than a score needs: the age of a post is a part of how hot it is. */
function scored(set: RankedSet, ranking: Ranking): RankedSet {
  return ranking === 'top' ? { ...set, ...set.alone } : set;
}

export type Query<Row> = ReturnType<typeof namedQuery<Row>>;

const byNumber = ({ engagement, id }: RankedSet, post: string): string =>
  `order by ${engagement(post)} desc, ${id(post)} desc`;

const behindNumber = ({ engagement, id }: RankedSet, post: string): string =>
  `(${engagement(post)}, ${id(post)}) < (:number, :id)`;

/** The first posts by their numbers alone: the order of the index by engagement and id. */
export function walkQuery(set: RankedSet): Query<Candidate> {
  return namedQuery<Candidate>(walk(set, `${set.id('p')} < :end`));
}

/** The same in a window, which may leave few of the posts: it ends behind the first `:deep` ones of the set. */
export function nearQuery(set: RankedSet): Query<Candidate> {
  const [id, engagement] = [set.id('p'), set.engagement('p')];
  const numbers = scored(set, 'top');
  // The distinct numbers of many posts are few. Those that share the last one are left out, so that it ends there whatever their number.
  const end = `select ${set.engagement('s')} from ${from(numbers, 's')} and ${behindNumber(set, 's')}
    ${byNumber(set, 's')} limit 1 offset :deep`;
  return namedQuery<Candidate>(
    walk(numbers, `${id} < :end and ${id} > :oldest and ${engagement} > coalesce((${end}), -1)`),
  );
}

function walk(set: RankedSet, condition: string): string {
  return `
    select ${set.id('p')} as id, ${set.engagement('p')} as score from ${from(set, 'p')} and ${behindNumber(set, 'p')}
    and ${condition} ${byNumber(set, 'p')} limit :most`;
}

interface WindowQueries {
  readonly recent: Query<Candidate>;
  readonly older: Query<Candidate>;
}

/**
 * For a set with an index of each author's posts by id and one by engagement and id. PostgreSQL is made to look at each author. It would
 * look for the greatest numbers among the posts of all, since it takes those that many like for rarer than they are.
 */
export function windowQueries(engine: EngineName, set: RankedSet, ranking: Ranking): WindowQueries {
  const id = set.id('p');
  // No engine takes the index by id for a text that is put together.
  const unindexed = `${id} || ''`;
  const row = `select ${id} as id, ${scoreOf(set.engagement('p'), ranking, 'p')} as score`;
  const each = set.each === undefined ? '' : `${set.each('p')} cross join `;
  const best = (posts: string): Query<Candidate> => {
    const rows =
      engine === 'postgres' && each !== ''
        ? `select one.id, one.score from ${each} lateral (${row} from ${posts} offset 0) one`
        : `${row} from ${each}${posts}`;
    return namedQuery(`${rows} order by score desc, id desc limit :most`);
  };
  return {
    recent: best(behind(set, ranking, 'p')),
    older: best(`${behind(set, ranking, 'p', unindexed)} and ${unindexed} <= :boundary
      and ${set.engagement('p')} >= :least`),
  };
}

type Boundary = Pick<SocialPostRow, 'id' | 'created_at'>;

interface LevelQueries {
  readonly boundary: Query<Boundary>;
  readonly recent: Query<Candidate>;
  readonly older: Query<Candidate>;
}

/** For a large set with an index by id and one by engagement and id. */
export function levelQueries(engine: EngineName, set: RankedSet, ranking: Ranking): LevelQueries {
  const { id, engagement, key } = set;
  const { rows } = scored(set, ranking);
  const numbers = scored(set, 'top');
  const most = (below: string) =>
    `(select max(${engagement('s')}) from ${from(numbers, 's')} and ${engagement('s')} >= :least ${below})`;
  const first = `select ${id('q')} as id from ${behind(set, ranking, 'q')} and ${engagement('q')} = levels.engagement
    and ${id('q')} <= :boundary order by ${id('q')} desc limit :most`;
  // The conditions stand where the ids are found. Of a second copy of them SQLite would make an index of all posts, for each page.
  const row = `${rows('p')} where ${key === undefined ? '' : `${key('p')} and `}${id('p')}`;
  const each =
    engine === 'sqljs'
      ? `levels cross join ${row} in (${first})`
      : `levels cross join lateral (${first}) one cross join ${row} = one.id`;
  return {
    boundary: namedQuery(`
      select p.id, p.created_at from (select ${id('s')} as id from ${from(numbers, 's')} and ${id('s')} > :oldest
        order by ${id('s')} desc limit 1 offset :scanned) b join social_posts p on p.id = b.id`),
    recent: namedQuery(`
      select ${id('p')} as id, ${scoreOf(set.engagement('p'), ranking, 'p')} as score from ${behind(set, ranking, 'p')}
      order by score desc, id desc limit :most`),
    older: namedQuery(`
      with recursive levels (engagement) as (
        select ${most('')} union all
        select ${most(`and ${engagement('s')} < levels.engagement`)} from levels where levels.engagement is not null)
      select ${id('p')} as id, ${scoreOf(set.engagement('p'), ranking, 'p')} as score from ${each} order by score desc, id desc limit :most`),
  };
}

/**
 * What is liked sinks fast, so of the hot order fewer posts set a high score: a few hundred where they are of several days, as in a hub or
 * under a tag. Where so many come within hours, older ones are hardly less hot, and more must be looked at.
 */
const SCANNED = { hot: [300, 700], top: [1_500] } as const;
/** Posts of a set that are looked at in the order of their numbers. In a window that is a large part of the set, a page is among them. */
const NEAR = 3_000;
const SEVERAL_DAYS_MS = 36 * 60 * 60 * 1000;

export interface RankedFeed {
  readonly ranking: Ranking;
  readonly window: TopWindow;
  /** of the set's parameters */
  readonly whose?: string;
  readonly reader: string;
  readonly many: number;
}

export type Read = (after: Position, most: number) => Promise<readonly Candidate[]>;

/** A score that is a number of likes, replies and reposts. Parameters that are compared with whole numbers are whole numbers. */
export function numberOf(score: SortValue | null): number {
  return typeof score === 'number' && Number.isSafeInteger(score) ? score : Number.MAX_SAFE_INTEGER;
}

export function readWalk({ db }: Context, query: Query<Candidate>, feed: RankedFeed, deep = NEAR): Read {
  return async (after, most) => {
    const values = valuesOf(feed, after);
    const number = numberOf(values.score);
    return (await db.executeQuery(query({ ...values, number, most, deep }))).rows;
  };
}

const DAY_MS = 86_400_000;
const WINDOWS_MS = [4 * DAY_MS, 32 * DAY_MS, 256 * DAY_MS] as const;

/** Posts that a window must have. It is more than a page, so the windows are the same for pages of all sizes. */
const ENOUGH = 64;

/**
 * The first posts of the whole order, without looking at all: a page of posts of the last days sets a score, and for its age an older post
 * needs a number of likes, replies and reposts to reach it. Where the last days have no such page, the window grows: few posts are in it.
 */
export function readWindows({ db }: Context, queries: WindowQueries, feed: RankedFeed): Read {
  return async (after, most) => {
    const values = valuesOf(feed, after);
    for (const window of WINDOWS_MS) {
      const boundary = oldestId(after.asOf - window);
      if (boundary <= values.oldest) break;
      const enough = Math.max(most, ENOUGH);
      const { rows: recent } = await db.executeQuery(queries.recent({ ...values, oldest: boundary, most: enough }));
      if ((recent[enough - 1]?.score ?? 0) === 0) continue;
      const least = leastEngagement(feed.ranking, recent[most - 1]?.score ?? 0, window);
      const older = await db.executeQuery(queries.older({ ...values, boundary, least, most }));
      return [...recent, ...older.rows].toSorted(inOrder).slice(0, most);
    }
    return (await db.executeQuery(queries.recent({ ...values, most }))).rows;
  };
}

/**
 * What a post of an age needs for a score, or one less, because of rounding. What nobody likes has no score.
 * @param age milliseconds, at least
 */
export function leastEngagement(ranking: Ranking, score: number, age: number): number {
  const inHours = Math.max(0, age) / 3_600_000 + 2;
  const needed = Math.floor(ranking === 'top' ? score : score * inHours * Math.sqrt(inHours)) - 1;
  return score > 0 ? Math.max(1, needed) : needed;
}

/**
 * The first posts of the whole order, without looking at all: the best of the newest posts set a score that an older post must reach. For
 * its age that takes a number of likes, replies and reposts. Among posts with the same number the newest has the greatest score, and the
 * distinct numbers above that one are few.
 * @param near finds a page among the first posts by their numbers, where one is; it is asked in a set that is larger than what is looked at
 * @param scanned how many of the newest posts are all looked at: the first number that reaches back for days, or the last
 */
export function readLevels(
  { db }: Context,
  queries: LevelQueries,
  feed: RankedFeed,
  near?: Read,
  scanned: readonly number[] = SCANNED[feed.ranking],
): Read {
  return async (after, most) => {
    const values = valuesOf(feed, after);
    let boundary: Boundary | undefined;
    for (const count of scanned) {
      [boundary] = (await db.executeQuery(queries.boundary({ ...values, scanned: count }))).rows;
      if (boundary === undefined || boundary.created_at <= after.asOf - SEVERAL_DAYS_MS) break;
    }
    if (boundary !== undefined && near !== undefined) {
      const first = await near(after, most);
      if (first.length >= most) return first;
    }
    // One bound in place of two: SQLite looks from the first one on, whatever the second says.
    const recent = await db.executeQuery(queries.recent({ ...values, oldest: boundary?.id ?? values.oldest, most }));
    if (boundary === undefined) return recent.rows;
    const score = recent.rows[most - 1]?.score ?? 0;
    const least = leastEngagement(feed.ranking, score, after.asOf - boundary.created_at);
    const older = await db.executeQuery(queries.older({ ...values, boundary: boundary.id, least, most }));
    return [...recent.rows, ...older.rows].toSorted(inOrder).slice(0, most);
  };
}

export function inOrder(one: Candidate, other: Candidate): number {
  return (other.score ?? 0) - (one.score ?? 0) || (one.id < other.id ? 1 : -1);
}

/** Before every score and id. */
export const START = { score: Number.MAX_VALUE, id: 'g' } as const;

export function valuesOf({ ranking, window, whose, reader, many }: RankedFeed, { values, asOf }: Position) {
  const [score = START.score, id = START.id] = values;
  const length = ranking === 'top' ? topWindows[window] : undefined;
  const oldest = length === undefined ? '' : oldestId(asOf - length);
  return { moment: asOf, end: oldestId(asOf + 1), oldest, score, id, whose, reader, many };
}

/** The end of the ids of the millisecond before a moment. Ids begin with the moment at which a post was written. */
export function oldestId(ms: number): string {
  return `${Math.max(0, ms - 1)
    .toString(16)
    .padStart(12, '0')}g`;
}
