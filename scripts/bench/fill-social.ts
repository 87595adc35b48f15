import { randomBytes } from 'node:crypto';
import type { Database, Db } from '../../src/store/database.ts';
import type { SocialFollowRow, SocialPostRow, SocialProfileRow } from '../../src/store/tables/social.ts';
import type { MemberRow } from '../../src/store/tables/tables.ts';
import { insertRows } from '../../src/store/written-query.ts';

const ROWS = 400;
const TRANSACTION = 20_000;
const YEAR_MS = 31_536_000_000;

export interface Filled {
  readonly posts: number;
  readonly members: number;
  readonly follows: number;
  /** ids of members who follow so many others */
  readonly readers: Readonly<Record<'nobody' | 'thousand' | 'fiveThousand', string>>;
  /** ids of some posts of everywhere in time */
  readonly some: readonly string[];
}

/** xorshift32: the same network in every run. */
function generator(): () => number {
  let state = 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

const memberId = (at: number): string => `b${at.toString(16).padStart(23, '0')}`;
const postId = (ms: number, at: number): string =>
  ms.toString(16).padStart(12, '0') + at.toString(16).padStart(20, '0');

/**
 * Fills a store with members, follows and posts. The n-th member writes about 1/n as often as the first one, and engagement is as uneven. The
 * posts are evenly spread over a year.
 */
export async function fillSocial(
  database: Database,
  { posts, members, follows }: Pick<Filled, 'posts' | 'members' | 'follows'>,
): Promise<Filled> {
  const random = generator();
  const zipf = (most: number): number => Math.floor(most ** random()) - 1;
  const beginning = Date.now() - YEAR_MS;
  const add = async <Row>(
    count: number,
    one: (at: number) => Row | undefined,
    store: (db: Db, rows: Row[]) => Promise<void>,
  ) => {
    for (let from = 0; from < count; from += TRANSACTION) {
      await database.transaction(async (db) => {
        for (let at = from; at < Math.min(from + TRANSACTION, count); at += ROWS) {
          const numbers = Array.from({ length: Math.min(ROWS, count - at) }, (_, more) => at + more);
          await store(
            db,
            numbers.map(one).filter((row) => row !== undefined),
          );
        }
      });
    }
  };
  await add(
    members,
    (at) => memberRow(at, beginning),
    async (db, rows) => {
      await insertRows(db, 'members', rows);
      await insertRows(
        db,
        'social_profiles',
        rows.map((row) => profileRow(row, beginning)),
      );
    },
  );
  const readers = {
    nobody: memberId(members - 1),
    thousand: memberId(members - 2),
    fiveThousand: memberId(members - 3),
  };
  const following = { [readers.thousand]: 1_000, [readers.fiveThousand]: 5_000 };
  for (const [follower, count] of Object.entries(following)) {
    const step = Math.max(1, Math.floor(members / count));
    await add(
      Math.min(count, members - 10),
      (at) => followRow(follower, memberId((at * step) % (members - 10)), beginning),
      async (db, rows) => await insertRows(db, 'social_follows', rows, 'on conflict do nothing'),
    );
  }
  await add(
    follows,
    () => {
      const [follower, followee] = [Math.floor(random() * (members - 10)), zipf(members - 10)];
      return follower === followee
        ? undefined
        : followRow(memberId(follower), memberId(Math.max(0, followee)), beginning);
    },
    async (db, rows) => await insertRows(db, 'social_follows', rows, 'on conflict do nothing'),
  );
  const some: string[] = [];
  await add(
    posts,
    (at) => {
      const row = postRow(
        postId(beginning + Math.floor((at / posts) * YEAR_MS), at),
        memberId(Math.max(0, zipf(members - 10))),
        at,
        {
          beginning: beginning + Math.floor((at / posts) * YEAR_MS),
          likes: Math.max(0, zipf(2_000)),
        },
      );
      if (at % Math.ceil(posts / 5_000) === 0) some.push(row.id);
      return row;
    },
    async (db, rows) => {
      await insertRows(db, 'social_posts', rows);
      const tagged = rows
        .filter((_, at) => at % 3 === 0)
        .map(({ id }) => ({ tag: `tag${Math.max(0, zipf(5_000))}`, post_id: id }));
      await insertRows(db, 'social_post_tags', tagged, 'on conflict do nothing');
    },
  );
  return { posts, members, follows, readers, some };
}

function memberRow(at: number, now: number): MemberRow {
  const id = memberId(at);
  const name = `member${at}`;
  return {
    id,
    username: name,
    username_key: name,
    email: `${name}@bench.example`,
    email_key: `${name}@bench.example`,
    type: 'User',
    status: 'active',
    public_key: randomBytes(33).toString('hex'),
    mnemonic_tag: id,
    email_verified: 0,
    created_at: now,
    created_by: id,
    updated_at: now,
    role_updated_at: now,
    role_updated_by: id,
    last_login_at: null,
  };
}

function profileRow({ id, username }: MemberRow, now: number): SocialProfileRow {
  return {
    member_id: id,
    display_name: username,
    bio: '',
    location: '',
    website: '',
    approve_mode: 'approve_none',
    privacy: '{}',
    protected: 0,
    verified: 0,
    follower_count: 0,
    following_count: 0,
    post_count: 0,
    created_at: now,
    updated_at: now,
    picture_id: null,
    header_id: null,
  };
}

function followRow(follower: string, followee: string, now: number): SocialFollowRow {
  return { follower_id: follower, followee_id: followee, requested: 0, message: '', created_at: now };
}

function postRow(
  id: string,
  author: string,
  at: number,
  { beginning, likes }: { readonly beginning: number; readonly likes: number },
): SocialPostRow {
  return {
    id,
    author_id: author,
    kind: 'original',
    audience: 'public',
    parent_id: null,
    root_id: null,
    depth: 0,
    subject_id: null,
    content: `Post ${at} of somebody about everyday things, and word${at % 997}.`,
    warning: '',
    sensitive: 0,
    mentions: '{}',
    counted: 0,
    like_count: likes,
    repost_count: 0,
    reply_count: 0,
    quote_count: 0,
    upvote_count: 0,
    downvote_count: 0,
    engagement: likes,
    controversy: 0,
    created_at: beginning,
    updated_at: beginning,
    edited_at: null,
    deleted_at: null,
  };
}
