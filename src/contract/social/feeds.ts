import * as v from 'valibot';
import { operation } from '../operation.ts';
import { paged } from '../page.ts';
import { actorField, line, recordId, trueOrFalse } from '../text.ts';
import { socialLimits, topWindows, type TopWindow } from './limits.ts';
import { personName } from './person.ts';
import { post } from './post.ts';

export const feedSorts = ['new', 'hot', 'top'] as const;
export type FeedSort = (typeof feedSorts)[number];

const windows = Object.keys(topWindows) as [TopWindow, ...TopWindow[]];

/** How a feed is sorted. Add it to the filter of a list. */
export const feedOrder = {
  sort: v.optional(
    v.pipe(
      v.picklist(feedSorts, `must be one of ${feedSorts.join(', ')}`),
      v.description(
        '`hot`: (likes + replies + reposts) / (hours + 2)^1.5, at the moment of the first page; `top`: likes + replies + reposts',
      ),
    ),
    'new',
  ),
  topWindow: v.optional(
    v.pipe(
      v.picklist(windows, `must be one of ${windows.join(', ')}`),
      v.description('how old posts of `top` may be at the first page'),
    ),
    'week',
  ),
};

/** A page of posts. A page can be shorter than `limit`, and `hasMore` says whether others follow. */
const feed = <const F extends v.ObjectEntries>(filter: F) => ({
  name: 'posts' as const,
  of: post,
  filter,
  most: socialLimits.mostOnPage,
  limit: socialLimits.page,
});

export const feeds = {
  homeTimeline: operation({
    id: 'social.home',
    method: 'GET',
    path: '/api/social/timeline/home',
    envelope: 'social',
    auth: 'member',
    summary: 'Read the posts of the members whom you follow, and your own',
    description:
      'With reposts and replies. With `listId` or `categoryId` it has the members of that list or category alone.',
    ...paged({
      ...feed({
        userId: actorField,
        ...feedOrder,
        listId: v.optional(v.pipe(recordId, v.description('posts of the members of this list of yours alone'))),
        categoryId: v.optional(v.pipe(recordId, v.description('posts of the members in this category alone'))),
        excludeMuted: v.optional(
          v.pipe(
            trueOrFalse,
            v.description('leave out members whom you muted; they are left out unless it is `false`'),
          ),
          'true',
        ),
      }),
      errors: ['MEMBER_NOT_FOUND', 'LIST_NOT_FOUND'],
    }),
    status: 200,
    message: 'Home timeline',
  }),
  publicTimeline: operation({
    id: 'social.public',
    method: 'GET',
    path: '/api/social/timeline/public',
    envelope: 'social',
    auth: 'member',
    summary: 'Read the public posts of this node',
    description: 'Without replies and reposts, and without members whom you muted.',
    ...paged({ ...feed({ userId: actorField, ...feedOrder }) }),
    status: 200,
    message: 'Public timeline',
  }),
  userFeed: operation({
    id: 'social.user-feed',
    method: 'GET',
    path: '/api/social/users/:id/feed',
    envelope: 'social',
    auth: 'member',
    summary: 'Read the posts of one member',
    description: 'Posts of a protected member are for followers. Others get an empty list.',
    ...paged({
      ...feed({ id: personName, requestingUserId: actorField, ...feedOrder }),
      errors: ['MEMBER_NOT_FOUND'],
    }),
    status: 200,
    message: 'Feed',
  }),
  hashtagFeed: operation({
    id: 'social.hashtag',
    method: 'GET',
    path: '/api/social/hashtag/:tag',
    envelope: 'social',
    auth: 'member',
    summary: 'Read the posts with a hashtag',
    description: 'With or without the sign, in any case.',
    ...paged({ ...feed({ tag: line(socialLimits.hashtag + 1), userId: actorField, ...feedOrder }) }),
    status: 200,
    message: 'Posts with the hashtag',
  }),
};
