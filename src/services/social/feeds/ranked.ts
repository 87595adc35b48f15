import type { Context } from '../../../context.ts';
import { topWindows, type TopWindow } from '../../../contract/social/limits.ts';
import type { EngineName } from '../../../store/database.ts';
import { desc, type Position } from '../../../store/page.ts';
import { writtenQuery } from '../../../store/written-query.ts';
import type { Candidate } from './feed-page.ts';
import { isPublic } from './newest.ts';

/**
 * Feeds in the order of a score at the moment of the first page, newest first among equal ones.
 * The parameters of all queries are $1 the moment, $2 the oldest id, $3 and $4 score and id of the position, $5 whose feed, if it is anybody's, and the last one the limit.
 */

export type Ranking = 'hot' | 'top';

export const byScore = [desc<Candidate>('score', (row) => row.score ?? 0), desc<Candidate>('id', (row) => row.id)];

// x^1.5 is x times its root: both are exact in the same way on both engines. Casts: whole numbers would divide to whole numbers.
const hours = (post: string): string => `(cast($1 - ${post}.created_at as double precision) / 3600000 + 2)`;
const scores: Readonly<Record<Ranking, (post: string) => string>> = {
  hot: (post) => `cast(${post}.engagement as double precision) / (${hours(post)} * sqrt(${hours(post)}))`,
  top: (post) => `cast(${post}.engagement as double precision)`,
};

/** Also uses every parameter in the order of its number, as SQLite counts them. */
const behind = (post: string, ranking: Ranking): string =>
  `${post}.created_at <= $1 and ${post}.id > $2 and (${scores[ranking](post)}, ${post}.id) < ($3, $4)`;

/**
 * Among posts of the same engagement the newest has the greatest score. So the first posts of the whole order are among the first of each
 * engagement, and an index has those. Distinct engagements are few.
 */
function levels(engine: EngineName, ranking: Ranking): string {
  const most = (below: string) => `(select max(s.engagement) from social_posts s where ${isPublic('s')} ${below})`;
  const first = `select q.id from social_posts q where ${isPublic('q')} and q.engagement = levels.engagement
    and ${behind('q', ranking)} order by q.id desc limit $5`;
  const each =
    engine === 'sqljs'
      ? `levels cross join social_posts p on p.id in (${first})`
      : `levels cross join lateral (${first}) one join social_posts p on p.id = one.id`;
  return `with recursive levels (engagement) as (
      select ${most('')} union all
      select ${most('and s.engagement < levels.engagement')} from levels where levels.engagement is not null)
    select p.id, ${scores[ranking]('p')} as score from ${each} order by score desc, p.id desc limit $5`;
}

const scanned = (ranking: Ranking, of: string): string =>
  `select p.id, ${scores[ranking]('p')} as score from social_posts p
   where p.deleted_at is null and ${behind('p', ranking)} and ${of} order by score desc, p.id desc limit $6`;

const places = {
  author: 'p.author_id = $5',
  tag: 'exists (select 1 from social_post_tags t where t.tag = $5 and t.post_id = p.id)',
  list: 'p.author_id in (select f.member_id from social_list_members f where f.list_id = $5)',
  home: `(p.author_id = $5 or p.author_id in (
    select f.followee_id from social_follows f where f.follower_id = $5 and f.requested = 0))`,
} as const;

export type Place = { readonly of: 'public' } | { readonly of: keyof typeof places; readonly id: string };

const texts = new Map<string, ReturnType<typeof writtenQuery<Candidate>>>();

function written(engine: EngineName, ranking: Ranking, of: Place['of']): ReturnType<typeof writtenQuery<Candidate>> {
  const name = `${engine} ${ranking} ${of}`;
  const made =
    texts.get(name) ??
    writtenQuery<Candidate>(of === 'public' ? levels(engine, ranking) : scanned(ranking, places[of]));
  texts.set(name, made);
  return made;
}

/** Before every score and id. */
const START = { score: Number.MAX_VALUE, id: 'g' } as const;

export function readRanked(
  ctx: Context,
  ranking: Ranking,
  window: TopWindow,
  place: Place,
): (after: Position, most: number) => Promise<readonly Candidate[]> {
  return async ({ values, asOf }, most) => {
    const [score = START.score, id = START.id] = values;
    const length = ranking === 'top' ? topWindows[window] : undefined;
    const oldest = length === undefined ? '' : oldestId(asOf - length);
    const query = written(ctx.store.engine, ranking, place.of);
    const whose = place.of === 'public' ? [] : [place.id];
    return (await ctx.db.executeQuery(query(asOf, oldest, score, id, ...whose, most))).rows;
  };
}

/** The end of the ids of the millisecond before a moment. */
function oldestId(ms: number): string {
  return `${Math.max(0, ms - 1)
    .toString(16)
    .padStart(12, '0')}g`;
}
