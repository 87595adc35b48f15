import { randomBytes } from 'node:crypto';
import { newSocialProfile } from '../../src/shared/members/social-profile.ts';
import type { Database, Db } from '../../src/platform/store/database.ts';
import { postSpace, postTags, wordsOfPost } from '../../src/services/social/search/index-post.ts';
import { indexed } from '../../src/platform/store/search/document.ts';
import { findSpace, putDocuments } from '../../src/platform/store/search/documents.ts';
import { searchMergeHandler } from '../../src/platform/store/search/merge.ts';
import type { HubRow } from '../../src/platform/store/tables/hubs.ts';
import type { RoomRow } from '../../src/platform/store/tables/rooms.ts';
import type { SocialFollowRow, SocialPostRow } from '../../src/platform/store/tables/social.ts';
import type { MemberRow } from '../../src/platform/store/tables/tables.ts';
import { insertRows } from '../../src/platform/store/written-query.ts';

const ROWS = 400;
const TRANSACTION = 20_000;
const HUBS = 200;
const VOCABULARY = 50_000;
const YEAR_MS = 31_536_000_000;

export interface Filled {
  readonly posts: number;
  readonly members: number;
  readonly follows: number;
  /** ids of members who follow so many others */
  readonly readers: Readonly<Record<'nobody' | 'thousand' | 'fiveThousand', string>>;
  /** ids of some posts of everywhere in time */
  readonly some: readonly string[];
  /** the largest hub, with a twentieth of all posts, of which `thousand` is a member */
  readonly hub: string;
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
const hubId = (at: number): string => `c${at.toString(16).padStart(31, '0')}`;
const postId = (ms: number, at: number): string =>
  ms.toString(16).padStart(12, '0') + at.toString(16).padStart(20, '0');

/**
 * Fills a store with members, follows, hubs and posts, and the index of searches with them. The n-th member writes about 1/n as often as the first one, and engagement is as uneven. The
 * posts are evenly spread over a year, and a tenth of them is in hubs. Words are as frequent as in any language.
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
        rows.map(({ id, username }) => newSocialProfile(id, username, beginning)),
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
  await add(
    HUBS,
    (at) => hubRows(hubId(at), memberId(0), at === 0 ? 2 : 1, beginning),
    async (db, rows) => {
      await insertRows(
        db,
        'rooms',
        rows.map(({ room }) => room),
      );
      await insertRows(
        db,
        'social_hubs',
        rows.map(({ hub }) => hub),
      );
    },
  );
  await database.transaction(async (db) => {
    const row = { kind: 'hub', room_id: hubId(0), role: 'member', heard_from: 0, joined_at: beginning } as const;
    await insertRows(db, 'room_members', [{ ...row, member_id: readers.thousand }]);
  });
  const some: string[] = [];
  const word = (): string => `${Math.floor(VOCABULARY ** random()).toString(36)}w`;
  await add(
    posts,
    (at) => {
      const now = beginning + Math.floor((at / posts) * YEAR_MS);
      const inHub = at % 10 === 0;
      const row = postRow(postId(now, at), memberId(Math.max(0, zipf(members - 10))), {
        content: Array.from({ length: 6 + Math.floor(random() * 12) }, word).join(' '),
        audience: inHub ? 'hub' : 'public',
        engagement: Math.max(0, zipf(2_000)),
        controversy: inHub ? Math.floor(random() * 1_000) / 10 : 0,
        created_at: now,
      });
      if (at % Math.ceil(posts / 5_000) === 1) some.push(row.id);
      return row;
    },
    async (db, rows) => await addPosts(db, rows, zipf),
  );
  const space = await findSpace(database.db, postSpace.name);
  await searchMergeHandler(database)(space, { signal: new AbortController().signal } as never);
  return { posts, members, follows, readers, some, hub: hubId(0) };
}

/** Half of the posts in hubs are in one of them. */
async function addPosts(db: Db, rows: readonly SocialPostRow[], zipf: (most: number) => number): Promise<void> {
  await insertRows(db, 'social_posts', rows);
  const tagged = rows
    .filter((_, at) => at % 3 === 0)
    .map(({ id, engagement }) => ({ tag: `tag${Math.max(0, zipf(5_000))}`, post_id: id, engagement }));
  await insertRows(db, 'social_post_tags', tagged, 'on conflict do nothing');
  const inHubs = rows
    .filter(({ audience }) => audience === 'hub')
    .map(({ id, engagement, controversy }, at) => {
      const hub = at % 2 === 0 ? 0 : 1 + Math.max(0, zipf(HUBS - 1));
      return { hub_id: hubId(hub), post_id: id, listed: 1, engagement, controversy };
    });
  await insertRows(db, 'social_post_hubs', inHubs);
  const hubOf = new Map(inHubs.map((row) => [row.post_id, row.hub_id]));
  const documents = rows.map(({ id, author_id: author, created_at: at, content }) => {
    const hub = hubOf.get(id);
    const tags = [postTags.from(author), ...(hub === undefined ? [] : [postTags.hub(hub)])];
    const { weights, ...document } = indexed(postSpace, { id, at, text: '', tags });
    return { ...document, weights: new Map([...wordsOfPost(content), ...weights]) };
  });
  await putDocuments(db, documents);
}

/** A member, as far as others ask. @param publicKey hex; their own, where something is encrypted to them */
export function memberRow(
  at: number,
  now: number,
  { id, publicKey }: { readonly id: string; readonly publicKey: string } = {
    id: memberId(at),
    publicKey: randomBytes(33).toString('hex'),
  },
): MemberRow {
  const name = `member${at}`;
  return {
    id,
    username: name,
    username_key: name,
    email: `${name}@bench.example`,
    email_key: `${name}@bench.example`,
    type: 'User',
    status: 'active',
    suspended_at: null,
    public_key: publicKey,
    mnemonic_tag: id,
    verified_email_key: null,
    created_at: now,
    created_by: id,
    updated_at: now,
    role_updated_at: now,
    role_updated_by: id,
    last_login_at: null,
  };
}

function followRow(follower: string, followee: string, now: number): SocialFollowRow {
  return { follower_id: follower, followee_id: followee, requested: 0, message: '', created_at: now };
}

function postRow(
  id: string,
  author: string,
  more: Pick<SocialPostRow, 'content' | 'audience' | 'engagement' | 'controversy' | 'created_at'>,
): SocialPostRow {
  return {
    id,
    author_id: author,
    kind: 'original',
    parent_id: null,
    root_id: null,
    depth: 0,
    subject_id: null,
    warning: '',
    sensitive: 0,
    mentions: '{}',
    sealed: null,
    sealed_in: null,
    epoch: null,
    first_epoch: null,
    revision: null,
    counted: 0,
    like_count: more.engagement,
    repost_count: 0,
    reply_count: 0,
    quote_count: 0,
    upvote_count: 0,
    downvote_count: 0,
    updated_at: more.created_at,
    edited_at: null,
    deleted_at: null,
    ...more,
  };
}

/** A hub and its room. */
function hubRows(id: string, owner: string, members: number, now: number): { hub: HubRow; room: RoomRow } {
  const name = `Hub ${id}`;
  return {
    hub: {
      id,
      owner_id: owner,
      slug: `hub-${id}`,
      name,
      description: '',
      rules: '',
      icon: '',
      search_text: name.toLowerCase(),
      trust_tier: 'open',
      parent_id: null,
      is_default: null,
      post_count: 0,
      trend: 0,
      created_at: now,
      updated_at: now,
      deleted_at: null,
    },
    room: { kind: 'hub', id, parent_id: null, member_count: members, changes: 0, created_at: now },
  };
}
