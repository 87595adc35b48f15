import type { Context } from '../../../service/context.ts';
import { onlyRow, writtenQuery } from '../../../platform/store/written-query.ts';
import { shownPosts, subjectsOf } from '../posts/shown.ts';
import { postRows, type SeenPost } from '../seeing/posts.ts';
import type { ArchiveFile } from './archive-file.ts';
import { filesOfFolder, iso, type Keyed } from './json-files.ts';

const BATCH = 200;

const count = writtenQuery<{ things: number }>(`
  select (select count(*) from social_posts where author_id = $1 and deleted_at is null)
    + (select count(*) from social_bookmarks where member_id = $1)
    + (select count(*) from social_likes where member_id = $1)
    + (select count(*) from social_votes where member_id = $1)
    + (select count(*) from social_media where owner_id = $1 and mime_type is not null) as things`);

/** The things that take time: posts, bookmarks, likes, votes and media. */
export async function thingsOf({ db }: Context, memberId: string): Promise<number> {
  return onlyRow((await db.executeQuery(count(memberId))).rows).things;
}

interface Named extends Keyed {
  readonly id: string;
}

const ownPosts = writtenQuery<Named>(`
  select id as key, id from social_posts where author_id = $1 and deleted_at is null and id > $2 order by id limit $3`);
const bookmarked = writtenQuery<Named>(`
  select id as key, post_id as id from social_bookmarks where member_id = $1 and id > $2 order by id limit $3`);

interface Reaction extends Keyed {
  readonly at: number;
  readonly value: number;
}

const liked = writtenQuery<Reaction>(`
  select post_id as key, created_at as at, 1 as value from social_likes
  where member_id = $1 and post_id > $2 order by post_id limit $3`);
const voted = writtenQuery<Reaction>(`
  select post_id as key, created_at as at, value from social_votes
  where member_id = $1 and post_id > $2 order by post_id limit $3`);

/** Likes and votes name posts by their id. What is about a post that the member may no longer see is left out. */
export async function* postsOf(ctx: Context, memberId: string): AsyncGenerator<ArchiveFile> {
  const seen = async (ids: readonly string[]) => await postRows(ctx, memberId, ids);
  const common = { most: BATCH, counted: true };
  for (const [name, read] of [
    ['posts', ownPosts],
    ['bookmarks', bookmarked],
  ] as const)
    yield* filesOfFolder(ctx, memberId, {
      ...common,
      name,
      read,
      async shown(rows) {
        const posts = await seen(rows.map(({ id }) => id));
        return await kept(
          ctx,
          memberId,
          rows.flatMap(({ id }) => posts.get(id) ?? []),
        );
      },
    });
  for (const [name, read] of [
    ['likes', liked],
    ['votes', voted],
  ] as const)
    yield* filesOfFolder(ctx, memberId, {
      ...common,
      name,
      read,
      async shown(rows) {
        const posts = await seen(rows.map(({ key }) => key));
        return rows
          .filter(({ key }) => posts.has(key))
          .map(({ key: postId, at, value }) =>
            name === 'votes' ? { postId, createdAt: iso(at), value } : { postId, createdAt: iso(at) },
          );
      },
    });
}

/**
 * Posts as an archive has them. It outlives a ban and the keys of a hub, so of what others wrote in encrypted hubs it has the ids alone.
 */
async function kept(ctx: Context, memberId: string, rows: readonly SeenPost[]): Promise<object[]> {
  const isKept = (row: SeenPost): boolean => row.sealed_in === null || row.author_id === memberId;
  const subjects = [...(await subjectsOf(ctx, memberId, rows))].filter(([, row]) => isKept(row));
  const posts = await shownPosts(ctx, memberId, rows.filter(isKept), undefined, new Map(subjects));
  const byId = new Map<string, object>(posts.map((post) => [post['_id'], post]));
  return rows.map(({ id }) => byId.get(id) ?? { _id: id });
}
