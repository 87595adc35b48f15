import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { InputOf } from '../../../contract/operation.ts';
import type { social } from '../../../contract/social.ts';
import type { FeedSort } from '../../../contract/social/feeds.ts';
import type { TopWindow } from '../../../contract/social/limits.ts';
import type { Post } from '../../../contract/social/post.ts';
import type { Next } from '../../../platform/store/page.ts';
import { fieldProblem } from '../../../base/problem.ts';
import { requireList } from '../lists/lists.ts';
import { requirePerson } from '../people/found.ts';
import { hashtagKey } from '../posts/entities.ts';
import { feedPage, type Feed } from './feed-page.ts';
import { byNewest, readAuthor, readHome, readList, readPublic, readTag } from './newest.ts';
import { byScore } from './ranked.ts';
import { readRanked, type Place } from './ranked-feeds.ts';

type Answer = Promise<{ posts: Post[] } & Next>;

interface Order {
  readonly sort: FeedSort;
  readonly topWindow: TopWindow;
}

export async function homeTimeline(
  ctx: Context,
  actor: Actor,
  { sort, topWindow, excludeMuted, listId, categoryId, ...page }: InputOf<typeof social.homeTimeline>,
): Answer {
  const { memberId } = actor;
  const list = await chosenList(ctx, actor, listId, categoryId);
  const filter = { excludeMuted, ...(list !== undefined && { listed: list }) };
  const options = { list: 'social.home', withoutMuted: excludeMuted === 'true', filter, context: 'home' } as const;
  if (list !== undefined) {
    const place = { of: 'list', id: list } as const;
    return await feedPage(
      ctx,
      feedOf(ctx, memberId, { sort, topWindow }, options, place, readList(ctx, memberId, list)),
      page,
    );
  }
  const feed = feedOf(
    ctx,
    memberId,
    { sort, topWindow },
    options,
    { of: 'home', id: memberId },
    readHome(ctx, memberId),
  );
  return await feedPage(ctx, feed, page);
}

/** @throws Problem missing LIST_NOT_FOUND, invalid VALIDATION_ERROR */
async function chosenList(
  ctx: Context,
  actor: Actor,
  listId: string | undefined,
  categoryId: string | undefined,
): Promise<string | undefined> {
  if (listId !== undefined && categoryId !== undefined) throw fieldProblem('categoryId', 'cannot be given with listId');
  if (listId !== undefined) return (await requireList(ctx, actor, 'list', listId)).id;
  return categoryId === undefined ? undefined : (await requireList(ctx, actor, 'category', categoryId)).id;
}

export async function publicTimeline(
  ctx: Context,
  { memberId }: Actor,
  { sort, topWindow, ...page }: InputOf<typeof social.publicTimeline>,
): Answer {
  const options = { list: 'social.public', withoutMuted: true, context: 'public' } as const;
  return await feedPage(
    ctx,
    feedOf(ctx, memberId, { sort, topWindow }, options, { of: 'public' }, readPublic(ctx)),
    page,
  );
}

export async function userFeed(
  ctx: Context,
  actor: Actor,
  { id, sort, topWindow, ...page }: InputOf<typeof social.userFeed>,
): Answer {
  const author = await requirePerson(ctx, actor, id);
  const filter = { author: author.id };
  const options = { list: 'social.user-feed', withoutMuted: false, filter, context: 'profile' } as const;
  const place = { of: 'author', id: author.id } as const;
  const feed = feedOf(
    ctx,
    actor.memberId,
    { sort, topWindow },
    options,
    place,
    readAuthor(ctx, actor.memberId, author.id),
  );
  return await feedPage(ctx, feed, page);
}

export async function hashtagFeed(
  ctx: Context,
  { memberId }: Actor,
  { tag, sort, topWindow, ...page }: InputOf<typeof social.hashtagFeed>,
): Answer {
  const key = hashtagKey(tag.replace(/^[#＃]/u, ''));
  const options = { list: 'social.hashtag', withoutMuted: true, filter: { tag: key }, context: 'public' } as const;
  const feed = feedOf(ctx, memberId, { sort, topWindow }, options, { of: 'tag', id: key }, readTag(ctx, memberId, key));
  return await feedPage(ctx, feed, page);
}

function feedOf(
  ctx: Context,
  memberId: string,
  { sort, topWindow }: Order,
  { list, withoutMuted, filter, context }: Pick<Feed, 'list' | 'withoutMuted' | 'filter' | 'context'>,
  place: Place,
  newest: Feed['read'],
): Feed {
  // Only the order `top` has a window, so it is a part of no other cursor.
  const order = { ...filter, sort, ...(sort === 'top' && { topWindow }) };
  const common = { list, memberId, withoutMuted, context, filter: order };
  if (sort === 'new') return { ...common, by: byNewest, read: newest };
  return { ...common, by: byScore, read: readRanked(ctx, sort, topWindow, place, memberId) };
}
