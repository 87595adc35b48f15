import type { Context } from '../../../context.ts';
import { utf8 } from '../../../crypto/bytes.ts';
import { writtenQuery, onlyRow } from '../../../store/written-query.ts';
import { ownUrl } from '../address.ts';
import { personRows, shownPerson } from '../people/found.ts';
import { privacyOf } from '../people/profiles.ts';
import { shownPosts } from '../posts/shown.ts';
import { postRows } from '../seeing/posts.ts';
import type { ArchiveFile } from './archive-file.ts';
import { mediaOf } from './media.ts';

/** Posts of one file, and rows of one query. */
const BATCH = 200;

const count = writtenQuery<{ things: number }>(`
  select (select count(*) from social_posts where author_id = $1 and deleted_at is null)
    + (select count(*) from social_bookmarks where member_id = $1) as things`);

/** The things that take time: posts and bookmarks. */
export async function thingsOf({ db }: Context, memberId: string): Promise<number> {
  return onlyRow((await db.executeQuery(count(memberId))).rows).things;
}

/** All that a member has, a part at a time. Of others there is what the member may see now. */
export async function* filesOfArchive(ctx: Context, memberId: string): AsyncGenerator<ArchiveFile> {
  const self = (await personRows(ctx, [memberId])).get(memberId);
  if (self === undefined) return;
  const { id, username } = self;
  const about = { format: 'conclave social archive 1', node: ownUrl(ctx), memberId: id, username };
  yield json('about.json', { ...about, createdAt: iso(ctx.clock.now()) });
  yield json('profile.json', {
    ...shownPerson(self),
    bio: self.bio,
    location: self.location,
    websiteUrl: self.website,
    approveFollowersMode: self.approve_mode,
    privacySettings: privacyOf(self),
    createdAt: iso(self.created_at),
  });
  yield* posts(ctx, memberId, 'posts', ownPosts);
  yield* posts(ctx, memberId, 'bookmarks', bookmarked);
  yield* reactions(ctx, memberId);
  yield* people(ctx, memberId);
  yield* lists(ctx, memberId);
  yield json(
    'filters.json',
    (await ctx.db.executeQuery(ownFilters(memberId))).rows.map(
      ({ phrase, wholeWord, action, contexts, expiresAt, createdAt }) => ({
        phrase,
        wholeWord: wholeWord === 1,
        action,
        contexts: JSON.parse(contexts) as unknown,
        expiresAt: expiresAt === null ? null : iso(expiresAt),
        createdAt: iso(createdAt),
      }),
    ),
  );
  const reports = (await ctx.db.executeQuery(ownReports(memberId))).rows;
  yield json(
    'reports.json',
    reports.map(({ postId, reason, status, createdAt }) => ({ postId, reason, status, createdAt: iso(createdAt) })),
  );
  yield* mediaOf(ctx, memberId);
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

function json(name: string, value: unknown, things = 0): ArchiveFile {
  const bytes = utf8(`${JSON.stringify(value, undefined, 1)}\n`);
  return { name, size: bytes.length, content: [bytes], things };
}

interface Keyed {
  readonly key: string;
  readonly id: string;
}

const ownPosts = writtenQuery<Keyed>(`
  select id as key, id from social_posts where author_id = $1 and deleted_at is null and id > $2 order by id limit $3`);
const bookmarked = writtenQuery<Keyed>(`
  select id as key, post_id as id from social_bookmarks where member_id = $1 and id > $2 order by id limit $3`);

type Read = ReturnType<typeof writtenQuery<Keyed>>;

async function* posts(ctx: Context, memberId: string, folder: string, read: Read): AsyncGenerator<ArchiveFile> {
  let after = '';
  for (let number = 1; ; number += 1) {
    const { rows } = await ctx.db.executeQuery(read(memberId, after, BATCH));
    if (rows.length === 0) return;
    const seen = await postRows(
      ctx,
      memberId,
      rows.map(({ id }) => id),
    );
    const shown = await shownPosts(
      ctx,
      memberId,
      rows.flatMap(({ id }) => seen.get(id) ?? []),
    );
    yield json(`${folder}/${String(number).padStart(6, '0')}.json`, shown, rows.length);
    after = rows.at(-1)?.key ?? '';
  }
}

interface Reaction {
  readonly post_id: string;
  readonly created_at: number;
  readonly value: number;
}

const liked = writtenQuery<Reaction>(`
  select post_id, created_at, 1 as value from social_likes where member_id = $1 and post_id > $2 order by post_id limit $3`);
const voted = writtenQuery<Reaction>(`
  select post_id, created_at, value from social_votes where member_id = $1 and post_id > $2 order by post_id limit $3`);

/** Likes and votes name posts by their id. One of a post that the member may no longer see is left out. */
async function* reactions(ctx: Context, memberId: string): AsyncGenerator<ArchiveFile> {
  for (const [name, read] of [
    ['likes.json', liked],
    ['votes.json', voted],
  ] as const) {
    const found: object[] = [];
    for (let after = ''; ;) {
      const { rows } = await ctx.db.executeQuery(read(memberId, after, BATCH));
      const seen = await postRows(
        ctx,
        memberId,
        rows.map((row) => row.post_id),
      );
      for (const { post_id: postId, created_at: createdAt, value } of rows)
        if (seen.has(postId))
          found.push({ postId, createdAt: iso(createdAt), ...(name === 'votes.json' && { value }) });
      if (rows.length < BATCH) break;
      after = rows.at(-1)?.post_id ?? '';
    }
    yield json(name, found);
  }
}

interface Related {
  readonly _id: string;
  readonly username: string;
  readonly since: number;
  readonly until: number | null;
  readonly requested: number;
}

/** Without members who blocked this one, but for those whom this one blocked or muted. */
const related = (
  table: string,
  mine: string,
  other: string,
  more: { until?: string; requested?: string; hidden?: true },
) =>
  writtenQuery<Related>(`
    select m.id as "_id", m.username, t.created_at as since, ${more.until ?? 'null'} as until, ${more.requested ?? '0'} as requested
    from ${table} t join members m on m.id = t.${other}
    where t.${mine} = $1 and m.status = 'active' ${
      more.hidden === true
        ? ''
        : `and not exists (
      select 1 from member_blocks b where b.member_id = m.id and b.blocked_id = $1)`
    } order by m.username_key`);

const relations = {
  follows: related('social_follows', 'follower_id', 'followee_id', { requested: 't.requested' }),
  followers: related('social_follows', 'followee_id', 'follower_id', { requested: 't.requested' }),
  blocks: related('member_blocks', 'member_id', 'blocked_id', { hidden: true }),
  mutes: related('member_mutes', 'member_id', 'muted_id', { hidden: true, until: 't.ends_at' }),
} as const;

async function* people(ctx: Context, memberId: string): AsyncGenerator<ArchiveFile> {
  const now = ctx.clock.now();
  for (const [name, read] of Object.entries(relations)) {
    const { rows } = await ctx.db.executeQuery(read(memberId));
    const shown = rows
      .filter(({ until }) => until === null || until > now)
      .map(({ _id, username, since, until, requested }) => ({
        _id,
        username,
        since: iso(since),
        until: until === null ? null : iso(until),
        requested: requested === 1,
      }));
    yield json(`${name}.json`, shown);
  }
}

const ownLists = writtenQuery<{ id: string; kind: string; name: string }>(
  'select id, kind, name from social_lists where owner_id = $1 order by name_key, id',
);
const listed = writtenQuery<{ _id: string; username: string }>(`
  select m.id as "_id", m.username from social_list_members l join members m on m.id = l.member_id
  where l.list_id = $1 and m.status = 'active' order by m.username_key`);

async function* lists(ctx: Context, memberId: string): AsyncGenerator<ArchiveFile> {
  const { rows } = await ctx.db.executeQuery(ownLists(memberId));
  for (const kind of ['list', 'category']) {
    const shown: object[] = [];
    for (const { id, name } of rows.filter((row) => row.kind === kind))
      shown.push({ name, members: (await ctx.db.executeQuery(listed(id))).rows });
    yield json(kind === 'list' ? 'lists.json' : 'categories.json', shown);
  }
}

interface OwnFilter {
  readonly phrase: string;
  readonly wholeWord: number;
  readonly action: string;
  readonly contexts: string;
  readonly expiresAt: number | null;
  readonly createdAt: number;
}

const ownFilters = writtenQuery<OwnFilter>(`
  select phrase, whole_word as "wholeWord", action, contexts, expires_at as "expiresAt", created_at as "createdAt"
  from social_filters where member_id = $1 order by id`);
interface OwnReport {
  readonly postId: string;
  readonly reason: string;
  readonly status: string;
  readonly createdAt: number;
}

const ownReports = writtenQuery<OwnReport>(`
  select post_id as "postId", reason, status, created_at as "createdAt" from social_reports where reporter_id = $1 order by id`);
