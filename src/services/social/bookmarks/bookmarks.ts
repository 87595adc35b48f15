import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { socialLimits } from '../../../contract/social/limits.ts';
import type { Post } from '../../../contract/social/post.ts';
import { Problem } from '../../../base/problem.ts';
import { once } from '../../../service/repeats.ts';
import { desc, type Next, type PageRequest } from '../../../platform/store/page.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import { insertRows, onlyRow, writtenQuery } from '../../../platform/store/written-query.ts';
import { feedPage, type Candidate } from '../feeds/feed-page.ts';
import { idBehind } from '../feeds/newest.ts';
import { requireSelf } from '../people/found.ts';
import { requireOriginal } from '../seeing/posts.ts';

interface ById {
  readonly id: string;
}

const kept = writtenQuery<{ count: number }>('select count(*) as count from social_bookmarks where member_id = $1');

export async function bookmark(ctx: Context, actor: Actor, { id }: ById): Promise<object> {
  return await transaction(ctx, async (tx) => {
    const self = await requireSelf(tx, actor);
    const post = await requireOriginal(tx, actor, id);
    return await once(tx, async () => {
      if (post.bookmarked === 1)
        throw new Problem('invalid', 'ALREADY_BOOKMARKED', 'You have a bookmark for this post already.');
      if ((await roomForBookmarks(tx, self.id)) === 0)
        throw new Problem(
          'invalid',
          'TOO_MANY_BOOKMARKS',
          `You have ${socialLimits.bookmarks} bookmarks. Remove some.`,
        );
      await addBookmark(tx, self.id, post.id);
      return {};
    });
  });
}

/** How many more a member can have. */
export async function roomForBookmarks({ db }: Pick<Context, 'db'>, memberId: string): Promise<number> {
  const { count } = onlyRow((await db.executeQuery(kept(memberId))).rows);
  return Math.max(0, socialLimits.bookmarks - count);
}

/** Of a post without one. */
export async function addBookmark(tx: Context, memberId: string, postId: string): Promise<void> {
  const id = recordId(tx.clock.now(), tx.random);
  await insertRows(tx.db, 'social_bookmarks', [{ id, member_id: memberId, post_id: postId }]);
}

export async function removeBookmark(ctx: Context, actor: Actor, { id }: ById): Promise<object> {
  return await transaction(ctx, async (tx) => {
    if (await forget(tx, actor, id)) return {};
    const post = await requireOriginal(tx, actor, id);
    if (await forget(tx, actor, post.id)) return {};
    throw new Problem('invalid', 'NOT_BOOKMARKED', 'You have no bookmark for this post.');
  });
}

async function forget(tx: Context, { memberId }: Actor, postId: string): Promise<boolean> {
  const gone = await tx.db
    .deleteFrom('social_bookmarks')
    .where('member_id', '=', memberId)
    .where('post_id', '=', postId)
    .executeTakeFirst();
  return gone.numDeletedRows > 0n;
}

interface Bookmarked extends Candidate {
  readonly bookmark: string;
}

const newest = writtenQuery<Bookmarked>(`
  select b.post_id as id, b.id as bookmark from social_bookmarks b
  where b.member_id = $1 and b.id < $2 order by b.id desc limit $3`);

export async function listBookmarks(
  ctx: Context,
  { memberId }: Actor,
  page: PageRequest,
): Promise<{ posts: Post[] } & Next> {
  return await feedPage(
    ctx,
    {
      list: 'social.bookmarks',
      memberId,
      // They were chosen one by one, so neither a mute nor a filter hides them.
      withoutMuted: false,
      by: [desc<Candidate>('b.id', (row) => (row as Bookmarked).bookmark)],
      read: async (after, most) => (await ctx.db.executeQuery(newest(memberId, idBehind(after), most))).rows,
    },
    page,
  );
}
