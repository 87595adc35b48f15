import type { CompiledQuery } from 'kysely';
import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import { Problem } from '../../../base/problem.ts';
import { onlyRow, writtenList, writtenQuery } from '../../../platform/store/written-query.ts';
import type { SocialPostRow } from '../../../platform/store/tables/social.ts';
import { hubsKnownOf, inHubOf, openableBy } from './hubs.ts';
import { opened, type AltTexts, type Opening } from './sealed.ts';

/**
 * Who may see a post is decided here alone. Everything that shows posts, or tells of them, takes its rows through this filter: by id, in
 * threads, timelines and searches, as quotes and reposts, in notifications, exports, and as the way to their media.
 *
 * The filter is SQL text in which $1 is the reader, unless another one is named, so that it can be part of any written query.
 */
export function seen(post: string, reader = '$1', noBlockBetween: NoBlock = unblocked): string {
  const subject = `${post}_subject`;
  // Without an offset PostgreSQL may read all posts once, and look in them for the subjects of many posts at once.
  return `${seenItself(post, reader, noBlockBetween)} and (${post}.kind <> 'repost' or exists (
    select 1 from social_posts ${subject} where ${subject}.id = ${post}.subject_id and ${seenItself(subject, reader, noBlockBetween)} limit 1 offset 0))`;
}

/** SQL: whether no block parts a reader from a member, in either direction. */
type NoBlock = (reader: string, memberId: string) => string;

const unblocked: NoBlock = (reader, memberId) => `
    not exists (select 1 from member_blocks b where b.member_id = ${reader} and b.blocked_id = ${memberId})
    and not exists (select 1 from member_blocks b where b.member_id = ${memberId} and b.blocked_id = ${reader})`;

/** The same, for many rows and a reader who is the same for all: whether any block parts that reader from anybody is asked once. */
export const noBlock: NoBlock = (reader, memberId) => `
    ((not exists (select 1 from member_blocks o where o.member_id = ${reader})
      and not exists (select 1 from member_blocks o where o.blocked_id = ${reader}))
      or (${unblocked(reader, memberId)}))`;

/** The same, without tables of all blocks of the reader. */
const noBlockWithOne: NoBlock = (reader, memberId) => `
    (select 1 from member_blocks b where b.member_id = ${reader} and b.blocked_id = ${memberId} limit 1) is null
    and (select 1 from member_blocks b where b.member_id = ${memberId} and b.blocked_id = ${reader} limit 1) is null`;

/** Without what it reposts. */
function seenItself(post: string, reader: string, noBlockBetween: NoBlock): string {
  return seenOf(
    post,
    reader,
    `exists (select 1 from members m join social_profiles s on s.member_id = m.id
      where m.id = ${post}.author_id and ${written(post, reader, 'm', 's')})`,
    noBlockBetween,
  );
}

function seenOf(post: string, reader: string, isWritten: string, noBlockBetween: NoBlock): string {
  return `${post}.deleted_at is null
    and (${post}.sealed_in is null or ${openableBy(post, reader)})
    and ${isWritten} and ${noBlockBetween(reader, `${post}.author_id`)}`;
}

/**
 * Whether a post was written by its reader, or for its reader by somebody who is there. The posts of a member who is protected now are for
 * followers, whoever might see them when they were written.
 */
function written(post: string, reader: string, author: string, profile: string): string {
  return `${author}.status = 'active' and (${author}.id = ${reader} or ${reaches(post, reader, `${profile}.protected`)})`;
}

/**
 * SQL: whether a reader is among those for whom a post was written, and of a repost also what it is about. Statements that read candidates
 * have this too. Without it a page that is empty, and says that there is more, would tell how many posts are kept from its reader. Only
 * blocks and suspensions remain for the filter.
 */
export function isFor(post: string, reader = '$1'): string {
  return `(${isForItself(post, reader)} and ${subjectIsFor(post, reader)})`;
}

function isForItself(post: string, reader: string): string {
  return `(${post}.author_id = ${reader} or ((${post}.sealed_in is null or ${openableBy(post, reader)})
    and ${reaches(post, reader)}))`;
}

/** It is a value for the same reason as in hubs.ts, and nothing is looked for but the subjects of reposts. */
function subjectIsFor(post: string, reader: string): string {
  const subject = `${post}_subject`;
  return `(${post}.kind <> 'repost' or (select 1 from social_posts ${subject} where ${subject}.id = ${post}.subject_id
    and ${isForItself(subject, reader)} limit 1) = 1)`;
}

/**
 * The audience of a post, as it is now: the one place where it is decided. These are values for the same reason as in hubs.ts.
 * @param isProtected SQL: whether its author is protected, if a row says so that the statement has anyway
 */
function reaches(post: string, reader: string, isProtected = protectedOf(post)): string {
  return `case ${post}.audience when 'hub' then ${inHubOf(post, reader)}
    else (${post}.audience = 'public' and ${isProtected} = 0)
      or (select 1 from social_follows w where w.follower_id = ${reader} and w.followee_id = ${post}.author_id
        and w.requested = 0 limit 1) = 1 end`;
}

function protectedOf(post: string): string {
  return `(select a.protected from social_profiles a where a.member_id = ${post}.author_id)`;
}

/** The same for a post of a member whom the reader follows. */
export function isForFollower(post: string, reader = '$1'): string {
  return `((${post}.audience <> 'hub' or ${isForItself(post, reader)}) and ${subjectIsFor(post, reader)})`;
}

/** A post as one reader sees it. */
export interface SeenPost extends SocialPostRow, AltTexts {
  readonly username: string;
  readonly display_name: string;
  /** 1 if the reader likes it */
  readonly liked: number;
  readonly reposted: number;
  readonly bookmarked: number;
  /** ids of its hubs that the reader knows of, with commas between them */
  readonly known_hubs: string | null;
  /** of the reader */
  readonly vote: number | null;
}

const voteColumn = '(select v.value from social_votes v where v.post_id = p.id and v.member_id = $1) as vote';

const columns = `p.*, a.username, n.display_name,
  case when p.audience = 'hub' then ${hubsKnownOf('p')} end as known_hubs,
  case when exists (select 1 from social_likes l where l.post_id = p.id and l.member_id = $1) then 1 else 0 end as liked,
  case when exists (select 1 from social_posts r where r.author_id = $1 and r.subject_id = p.id and r.kind = 'repost'
    and r.deleted_at is null) then 1 else 0 end as reposted,
  case when exists (select 1 from social_bookmarks k where k.member_id = $1 and k.post_id = p.id) then 1 else 0 end as bookmarked,
  ${voteColumn}`;

const authored = `from social_posts p join members a on a.id = p.author_id
    join social_profiles n on n.member_id = p.author_id`;

const listed = writtenList<SeenPost>(1, (ids) => `select ${columns} ${authored} where ${seen('p')} and p.id in ${ids}`);

/** Both engines allow more parameters. */
const IDS_AT_ONCE = 500;

/** Those of the posts that the reader may see, by id. */
export async function postRows(ctx: Opening, readerId: string, ids: Iterable<string>): Promise<Map<string, SeenPost>> {
  const wanted = [...new Set(ids)];
  const found = new Map<string, SeenPost>();
  for (let from = 0; from < wanted.length; from += IDS_AT_ONCE) {
    const { rows } = await ctx.db.executeQuery(listed(wanted.slice(from, from + IDS_AT_ONCE), readerId));
    for (const row of await opened(ctx, rows)) found.set(row.id, row);
  }
  return found;
}

/**
 * The filter for one post, $2, without what it reposts. It takes PostgreSQL longer to get ready for all that a statement may ask than to
 * ask it. So this one has one row of its author, and no more statements are needed but for a repost.
 */
const one = `${authored} where p.id = $2 and ${seenOf('p', '$1', written('p', '$1', 'a', 'n'), noBlockWithOne)}`;

/** What to react to a post takes. */
const ofReaction = ['id', 'kind', 'author_id', 'subject_id', 'audience', 'upvote_count', 'downvote_count'] as const;
export type ReactedPost = Pick<SeenPost, (typeof ofReaction)[number] | 'vote'>;

const whole = writtenQuery<SeenPost>(`select ${columns} ${one}`);
const reacted = writtenQuery<ReactedPost>(
  `select ${ofReaction.map((column) => `p.${column}`).join(', ')}, ${voteColumn} ${one}`,
);

/** Whether a member may see a post. */
export async function maySee(ctx: Pick<Context, 'db'>, readerId: string, postId: string): Promise<boolean> {
  return (await seenRow(ctx, reacted, readerId, postId)) !== undefined;
}

/** @throws Problem missing POST_NOT_FOUND */
export async function requirePost(ctx: Opening, { memberId }: Pick<Actor, 'memberId'>, id: string): Promise<SeenPost> {
  return await openedOne(ctx, known(await seenRow(ctx, whole, memberId, id)));
}

/**
 * What a member means who likes, answers, quotes or reports a post: of a repost the post itself.
 * @throws Problem missing POST_NOT_FOUND
 */
export async function requireOriginal(ctx: Opening, actor: Pick<Actor, 'memberId'>, id: string): Promise<SeenPost> {
  return await openedOne(ctx, await originalRow(ctx, whole, actor.memberId, id));
}

/** The same for who likes it or votes: nothing of it is opened. @throws Problem missing POST_NOT_FOUND */
export async function requireReacted(
  ctx: Pick<Context, 'db'>,
  actor: Pick<Actor, 'memberId'>,
  id: string,
): Promise<ReactedPost> {
  return await originalRow(ctx, reacted, actor.memberId, id);
}

type OfOne<Row> = (readerId: string, id: string | null) => CompiledQuery<Row>;
type Linked = Pick<SeenPost, 'kind' | 'subject_id'>;

/** A post and, of a repost, what it is about, both of which the reader has to see. */
async function seenRow<Row extends Linked>(
  ctx: Pick<Context, 'db'>,
  statement: OfOne<Row>,
  readerId: string,
  id: string,
): Promise<Row | undefined> {
  const row = await oneRow(ctx, statement, readerId, id);
  if (row?.kind !== 'repost') return row;
  return (await oneRow(ctx, reacted, readerId, row.subject_id)) && row;
}

async function originalRow<Row extends Linked>(
  ctx: Pick<Context, 'db'>,
  statement: OfOne<Row>,
  readerId: string,
  id: string,
): Promise<Row> {
  const row = known(await oneRow(ctx, statement, readerId, id));
  return row.kind === 'repost' ? known(await oneRow(ctx, statement, readerId, row.subject_id)) : row;
}

async function oneRow<Row>(
  { db }: Pick<Context, 'db'>,
  statement: OfOne<Row>,
  readerId: string,
  id: string | null,
): Promise<Row | undefined> {
  return (await db.executeQuery(statement(readerId, id))).rows[0];
}

function known<Row>(row: Row | undefined): Row {
  if (row === undefined) throw unknownPost();
  return row;
}

async function openedOne(ctx: Opening, row: SeenPost): Promise<SeenPost> {
  return onlyRow(await opened(ctx, [row]));
}

export function unknownPost(): Problem {
  return new Problem('missing', 'POST_NOT_FOUND', 'There is no such post.');
}
