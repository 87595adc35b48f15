import type { Context } from '../../../service/context.ts';
import { desc, type Position } from '../../../platform/store/page.ts';
import type { EngineStatements } from '../../../platform/store/per-engine.ts';
import { namedQuery, writtenQuery } from '../../../platform/store/written-query.ts';
import { isFor, isForFollower } from '../seeing/posts.ts';
import type { Candidate } from './feed-page.ts';

/** Ids sort by the time of writing, so the newest first is the order of the ids alone. */
export const byNewest = [desc<Candidate>('id', (row) => row.id)];

/** Greater than every id, which is hex. */
const END = 'g';

export function idBehind({ values }: Position): string {
  return (values[0] as string | undefined) ?? END;
}

/** What the index of the public timeline holds. Queries repeat it, so that the engines use that index. */
export const isPublic = (post: string): string =>
  `${post}.deleted_at is null and ${post}.audience = 'public' and ${post}.kind in ('original', 'quote')`;

const newestPublic = writtenQuery<Candidate>(
  `select p.id from social_posts p where ${isPublic('p')} and p.id < $1 order by p.id desc limit $2`,
);
// In all of the others $1 is the reader.
const newestOf = writtenQuery<Candidate>(
  `select p.id from social_posts p where ${isFor('p')} and p.author_id = $2 and p.deleted_at is null and p.id < $3
   order by p.id desc limit $4`,
);
const newestTagged = writtenQuery<Candidate>(
  `select p.id from social_post_tags t cross join social_posts p where p.id = t.post_id and ${isFor('p')}
   and t.tag = $2 and t.post_id < $3 order by t.post_id desc limit $4`,
);

/** Of the latest posts of all a page of followed ones is looked for first: so many for each post of the page on SQLite, and in all. */
const LATEST = { sqljs: 50, postgres: 1_000 } as const;
/** Who follows more members than this, a few of a hundred in a large community, finds a page among the latest posts sooner than with each of those. */
export const MANY = 700;

/**
 * Posts of the members whom one follows. SQLite leaves the posts of an author as soon as the next one is too old for the page. PostgreSQL
 * would read all posts backwards for somebody who follows few members, unless it is made to look at each author. For somebody who follows
 * many it looks at the latest posts of all first, and at each author only if those are no page.
 */
const newestFollowed = {
  sqljs: writtenQuery<Candidate>(`
    select p.id from social_follows f cross join social_posts p on p.author_id = f.followee_id
    where f.follower_id = $1 and f.requested = 0 and p.deleted_at is null and ${isForFollower('p')} and p.id < $2
    order by p.id desc limit $3`),
  postgres: writtenQuery<Candidate>(`
    with latest as (
      select p.id from (select * from social_posts where deleted_at is null and id < $2 order by id desc limit ${LATEST.postgres}) p
      where (select 1 from social_follows where follower_id = $1 limit 1 offset $4) = 1
        and (select 1 from social_follows f where f.follower_id = $1 and f.followee_id = p.author_id and f.requested = 0 limit 1) = 1
        and ${isForFollower('p')} order by p.id desc limit $3),
    each as (
      select p.id from social_follows f cross join lateral (
        select q.id from social_posts q where q.author_id = f.followee_id and q.deleted_at is null and ${isForFollower('q')}
        and q.id < $2 order by q.id desc limit $3) p
      where f.follower_id = $1 and f.requested = 0 and (select count(*) from latest) < $3 order by p.id desc limit $3)
    select id from latest where (select count(*) from latest) >= $3 union all select id from each`),
} as const;

/** Many authors, as SQL in which `:whose` is who follows them, or their list, and `p` a post. */
export const authors = {
  home: {
    areMany: '(select 1 from social_follows where follower_id = :whose limit 1 offset :many) = 1',
    wrote:
      '(select 1 from social_follows f where f.follower_id = :whose and f.followee_id = p.author_id and f.requested = 0) = 1',
    isForReader: isForFollower('p', ':reader'),
  },
  list: {
    areMany: '(select 1 from social_list_members where list_id = :whose limit 1 offset :many) = 1',
    wrote: '(select 1 from social_list_members l where l.list_id = :whose and l.member_id = p.author_id) = 1',
    isForReader: isFor('p', ':reader'),
  },
} as const;
export type Authors = keyof typeof authors;

/** What of that is among the latest posts, for SQLite, which stops at the end of the page; nothing where the authors are few. */
const latestOf = (of: Authors) =>
  namedQuery<Candidate>(`
  select p.id from social_posts p
  where p.id >= case when ${authors[of].areMany} then coalesce((
      select id from social_posts where deleted_at is null and id < :before order by id desc limit 1 offset :most * ${LATEST.sqljs}), '')
      else '${END}' end and p.id < :before and p.deleted_at is null and ${authors[of].wrote}
    and ${authors[of].isForReader} order by p.id desc limit :most`);

const latestFollowed = latestOf('home');
const latestListed = latestOf('list');

/** As `newestFollowed` for the members of a list. */
const newestListed = {
  sqljs: writtenQuery<Candidate>(`
    select p.id from social_list_members f cross join social_posts p on p.author_id = f.member_id
    where ${isFor('p')} and f.list_id = $2 and p.deleted_at is null and p.id < $3 order by p.id desc limit $4`),
  postgres: writtenQuery<Candidate>(`
    select p.id from social_list_members f cross join lateral (
      select q.id from social_posts q where ${isFor('q')} and q.author_id = f.member_id and q.deleted_at is null and q.id < $3
      order by q.id desc limit $4) p
    where f.list_id = $2 order by p.id desc limit $4`),
} as const;

const latestValues = { reader: '', whose: '', many: 0, before: '', most: 0 };

export const engineStatements: EngineStatements = {
  sqljs: () => [newestFollowed.sqljs(), newestListed.sqljs(), latestFollowed(latestValues), latestListed(latestValues)],
  postgres: () => [newestFollowed.postgres(), newestListed.postgres()],
};

type Read = (after: Position, most: number) => Promise<readonly Candidate[]>;

export function readPublic({ db }: Context): Read {
  return async (after, most) => (await db.executeQuery(newestPublic(idBehind(after), most))).rows;
}

export function readAuthor({ db }: Context, readerId: string, authorId: string): Read {
  return async (after, most) => (await db.executeQuery(newestOf(readerId, authorId, idBehind(after), most))).rows;
}

export function readTag({ db }: Context, readerId: string, tag: string): Read {
  return async (after, most) => (await db.executeQuery(newestTagged(readerId, tag, idBehind(after), most))).rows;
}

/** @param many of a list with more members than this, the latest posts of all are looked at first */
export function readList({ db, store: { engine } }: Context, reader: string, list: string, many: number = MANY): Read {
  const newest = newestListed[engine];
  return async (after, most) => {
    const before = idBehind(after);
    if (engine === 'sqljs') {
      const { rows } = await db.executeQuery(latestListed({ reader, whose: list, many, before, most }));
      if (rows.length >= most) return rows;
    }
    return (await db.executeQuery(newest(reader, list, before, most))).rows;
  };
}

/** @param many for who follows more members than this, the latest posts of all are looked at first */
export function readHome(ctx: Context, memberId: string, many = MANY): Read {
  const own = readAuthor(ctx, memberId, memberId);
  return async (after, most) => {
    const before = idBehind(after);
    const rows = [...(await readFollowed(ctx, memberId, { many, before, most })), ...(await own(after, most))];
    return rows.toSorted((one, other) => (one.id < other.id ? 1 : -1)).slice(0, most);
  };
}

interface Wanted {
  readonly many: number;
  readonly before: string;
  readonly most: number;
}

async function readFollowed({ db, store: { engine } }: Context, memberId: string, { many, before, most }: Wanted) {
  if (engine === 'postgres') return (await db.executeQuery(newestFollowed.postgres(memberId, before, most, many))).rows;
  const { rows } = await db.executeQuery(latestFollowed({ reader: memberId, whose: memberId, many, before, most }));
  return rows.length >= most ? rows : (await db.executeQuery(newestFollowed.sqljs(memberId, before, most))).rows;
}
