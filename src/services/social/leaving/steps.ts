import type { Context } from '../../../service/context.ts';
import { withdraw } from '../../../shared/notifications/withdraw.ts';
import { eraseWrapsOf } from '../../../shared/group-keys/erase.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { wholeNumber } from '../../../base/whole-number.ts';
import { dropArchive } from '../archive/archives.ts';
import { hubKind } from '../hubs/access.ts';
import { dropMedia } from '../media/dropping.ts';
import { socialTypes } from '../notices.ts';
import { endFollow, lockProfiles } from '../people/follows.ts';
import { countEngagement } from '../posts/counts.ts';
import { erasePost } from '../posts/deleting.ts';
import { changeVotes } from '../posts/reactions.ts';
import { sealedTraces, withoutMember } from './sealed-traces.ts';

/**
 * Erases a batch of one kind of thing of a member.
 * @param after '' at the beginning, and then what the last batch returned
 * @returns undefined at the end
 */
export type Step = (tx: Context, memberId: string, after: string) => Promise<string | undefined>;

/** Rows of one transaction. Other writers wait for it. */
const BATCH = 50;
/** Each takes many statements. */
const POSTS = 10;
/** Rows that one look at all posts reads. */
const WINDOW = 2_000;

/** Members of hubs hear of so many posts that go. The latest are in what a client shows. */
const MOST_TOLD = 100;

const again = (count: number, batch = BATCH): string | undefined => (count < batch ? undefined : 'more');

/** @param done how many are gone */
async function posts(tx: Context, memberId: string, done: string): Promise<string | undefined> {
  const before = wholeNumber(done) ?? 0;
  const rows = await tx.db
    .selectFrom('social_posts')
    .selectAll()
    .where('author_id', '=', memberId)
    .where('deleted_at', 'is', null)
    .orderBy('id', 'desc')
    .limit(POSTS)
    .execute();
  for (const row of rows) {
    // Others of the batch may be reposts of this one, which go with it.
    const there = await tx.db.selectFrom('social_posts').select('id').where('id', '=', row.id).executeTakeFirst();
    if (there === undefined) continue;
    await erasePost(tx, row, { told: before < MOST_TOLD });
    await tx.db.deleteFrom('social_posts').where('id', '=', row.id).execute();
  }
  return rows.length < POSTS ? undefined : String(before + POSTS);
}

async function likes(tx: Context, memberId: string): Promise<string | undefined> {
  const rows = await tx.db
    .selectFrom('social_likes')
    .select('post_id')
    .where('member_id', '=', memberId)
    .limit(BATCH)
    .execute();
  for (const { post_id: postId } of rows) {
    await tx.db.deleteFrom('social_likes').where('post_id', '=', postId).where('member_id', '=', memberId).execute();
    await countEngagement(tx, postId, 'like_count', -1);
  }
  return again(rows.length);
}

async function votes(tx: Context, memberId: string): Promise<string | undefined> {
  const rows = await tx.db
    .selectFrom('social_votes as v')
    .innerJoin('social_posts as p', 'p.id', 'v.post_id')
    .select(['p.id', 'p.author_id', 'p.audience', 'v.value'])
    .where('v.member_id', '=', memberId)
    .limit(BATCH)
    .execute();
  for (const { value, ...post } of rows) {
    await tx.db.deleteFrom('social_votes').where('post_id', '=', post.id).where('member_id', '=', memberId).execute();
    await changeVotes(tx, post, value === 1 ? -1 : 0, value === -1 ? -1 : 0);
  }
  return again(rows.length);
}

async function follows(tx: Context, memberId: string): Promise<string | undefined> {
  const rows = await tx.db
    .selectFrom('social_follows')
    .select(['follower_id', 'followee_id'])
    .where((e) => e.or([e('follower_id', '=', memberId), e('followee_id', '=', memberId)]))
    .limit(BATCH)
    .execute();
  await lockProfiles(
    tx,
    rows.flatMap((row) => [row.follower_id, row.followee_id]),
  );
  for (const row of rows) await endFollow(tx, row.follower_id, row.followee_id);
  return again(rows.length);
}

/** Deletes rows of one member from a table by the name of the column that has the member. */
const rowsOf =
  (text: string): Step =>
  async ({ db }, memberId) => {
    const { rows } = await db.executeQuery(writtenQuery(text)(memberId, BATCH));
    return again(rows.length);
  };

const small = (table: string, column: string): Step =>
  rowsOf(`delete from ${table} where id in (select id from ${table} where ${column} = $1 limit $2) returning 1 as one`);

const listed = rowsOf(`
  delete from social_list_members where member_id = $1 and list_id in (
    select list_id from social_list_members where member_id = $1 limit $2) returning 1 as one`);

/** The members of a list go before it, a few at a time. */
async function lists(tx: Context, memberId: string): Promise<string | undefined> {
  const list = await tx.db
    .selectFrom('social_lists')
    .select('id')
    .where('owner_id', '=', memberId)
    .limit(1)
    .executeTakeFirst();
  if (list === undefined) return undefined;
  const gone = await rowsOf(`
    delete from social_list_members where list_id = $1 and member_id in (
      select member_id from social_list_members where list_id = $1 limit $2) returning 1 as one`)(tx, list.id, '');
  if (gone === undefined) await tx.db.deleteFrom('social_lists').where('id', '=', list.id).execute();
  return 'more';
}

async function archive(tx: Context, memberId: string): Promise<string | undefined> {
  const rows = await tx.db.selectFrom('social_archives').select('id').where('member_id', '=', memberId).execute();
  for (const { id } of rows) await dropArchive(tx, id);
  return undefined;
}

/** Places on leaderboards. */
const scores = rowsOf(`
  delete from social_hub_scores where member_id = $1 and hub_id in (
    select hub_id from social_hub_scores where member_id = $1 limit $2) returning 1 as one`);

/** What moderators did about the member goes with the member. What the member did as a moderator stays, and nobody is named for it. */
const subjectOf = rowsOf(`
  delete from room_log where id in (
    select id from room_log where subject_id = $1 and kind = '${hubKind}' limit $2) returning 1 as one`);

async function moderated(tx: Context, memberId: string): Promise<string | undefined> {
  await tx.db
    .updateTable('room_log')
    .set({ actor_id: '' })
    .where('actor_id', '=', memberId)
    .where('kind', '=', hubKind)
    .execute();
  return undefined;
}

/** Hubs that are deleted have nothing but their row. */
const deletedHubs = rowsOf(`
  delete from social_hubs where id in (
    select id from social_hubs where owner_id = $1 and deleted_at is not null limit $2) returning 1 as one`);

/** What keeps a member from being told twice of the same. */
const memories: Step = async ({ db }, memberId) => {
  await db
    .deleteFrom('notification_once')
    .where((e) => e.or([e('recipient_id', '=', memberId), e('actor_id', '=', memberId)]))
    .execute();
  return undefined;
};

async function media(tx: Context, memberId: string): Promise<string | undefined> {
  const rows = await tx.db
    .selectFrom('social_media')
    .select(['id', 'owner_id', 'size'])
    .where('owner_id', '=', memberId)
    .limit(POSTS)
    .execute();
  if (rows.length === 0) return undefined;
  await tx.db
    .updateTable('conversations')
    .set({ picture_id: null })
    .where(
      'picture_id',
      'in',
      rows.map(({ id }) => id),
    )
    .execute();
  await dropMedia(tx, rows);
  return again(rows.length, POSTS);
}

/** Bans and mutes go on without whoever made them. */
async function banned({ db }: Context, memberId: string): Promise<string | undefined> {
  await db
    .updateTable('room_bans')
    .set({ banned_by: null })
    .where('kind', '=', hubKind)
    .where('banned_by', '=', memberId)
    .execute();
  await db
    .updateTable('room_mutes')
    .set({ muted_by: null })
    .where('kind', '=', hubKind)
    .where('muted_by', '=', memberId)
    .execute();
  return undefined;
}

/** Keys of hubs that were left stay with whoever left them, until they leave the social network. */
const oldKeys: Step = async (tx, memberId, after) => await eraseWrapsOf(tx, hubKind, memberId, after);

async function reviews(tx: Context, memberId: string): Promise<string | undefined> {
  for (const table of ['social_reports', 'conversation_reports'] as const)
    await tx.db.updateTable(table).set({ reviewed_by: null }).where('reviewed_by', '=', memberId).execute();
  return undefined;
}

async function ownNotifications(tx: Context, memberId: string): Promise<string | undefined> {
  for (const type of socialTypes) await withdraw(tx, { recipientId: memberId, type });
  return undefined;
}

async function notificationsOfOthers(tx: Context, memberId: string, after: string): Promise<string | undefined> {
  const rows = await tx.db
    .selectFrom('notifications')
    .select('recipient_id')
    .distinct()
    .where('recipient_id', '>', after)
    .where((e) =>
      e.or([
        e('actor_id', '=', memberId),
        e('id', 'in', e.selectFrom('notification_actors').select('notification_id').where('actor_id', '=', memberId)),
      ]),
    )
    .where('type', 'in', socialTypes)
    .orderBy('recipient_id')
    .limit(BATCH)
    .execute();
  for (const { recipient_id: recipientId } of rows)
    await withdraw(tx, { recipientId, actorId: memberId, types: socialTypes });
  return rows.length < BATCH ? undefined : rows.at(-1)?.recipient_id;
}

/**
 * Walks over all posts for what no index finds: deleted posts of the member, which have no text any more, and the member's id behind a name
 * in posts of others. The name itself stays in them: it is their text.
 */
async function traces(tx: Context, memberId: string, after: string): Promise<string | undefined> {
  const window = await tx.db
    .selectFrom('social_posts')
    .select('id')
    .where('id', '>', after)
    .orderBy('id')
    .limit(1)
    .offset(WINDOW - 1)
    .executeTakeFirst();
  let query = tx.db.selectFrom('social_posts').select(['id', 'author_id', 'mentions']).where('id', '>', after);
  if (window !== undefined) query = query.where('id', '<=', window.id);
  const rows = await query
    .where((e) => e.or([e('author_id', '=', memberId), e('mentions', 'like', `%"${memberId}"%`)]))
    .execute();
  for (const { id, author_id: authorId, mentions } of rows) {
    if (authorId === memberId) {
      await tx.db.deleteFrom('social_posts').where('id', '=', id).execute();
      continue;
    }
    const changed = { mentions: withoutMember(mentions, memberId) ?? mentions };
    await tx.db.updateTable('social_posts').set(changed).where('id', '=', id).execute();
  }
  return window?.id;
}

/** What a member leaves behind, in the order in which it goes. Posts are first: they are what others look for. */
export const steps: readonly Step[] = [
  posts,
  media,
  likes,
  votes,
  follows,
  listed,
  lists,
  small('social_bookmarks', 'member_id'),
  small('social_filters', 'member_id'),
  small('social_imports', 'member_id'),
  archive,
  small('social_reports', 'reporter_id'),
  small('conversation_reports', 'reporter_id'),
  small('conversation_reports', 'sender_id'),
  reviews,
  banned,
  scores,
  oldKeys,
  subjectOf,
  moderated,
  deletedHubs,
  ownNotifications,
  notificationsOfOthers,
  memories,
  traces,
  sealedTraces,
];
