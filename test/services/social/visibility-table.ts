import type { Method } from '../../../src/contract/operation.ts';
import { rules, type Seen } from './visibility-rules.ts';
import { tag, type Kind, type Made, type Viewer } from './visibility-world.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
type Json = any;

interface Ask {
  readonly method?: Method;
  /** below /api/social */
  readonly path: string;
  readonly body?: object;
}

/** One way in which a member can come to see a post. */
export interface Surface {
  readonly name: string;
  /** ids of the operations that it asks */
  readonly operations: readonly string[];
  readonly asks: (made: Made) => readonly Ask[];
  /** whether the data of each answer shows the post, or tells of it; without it, whether the answer is no refusal */
  readonly shows?: (data: Json, made: Made) => boolean;
  /** how the post is refused to whom it is hidden from; without it the answer is a success that does not have the post */
  readonly refusal?: string;
  /** where it differs from the table */
  readonly but?: (viewer: Viewer, kind: Kind) => Seen | undefined;
}

const unknown = '404 POST_NOT_FOUND';
/** Whom the author's posts reach at home, if they may see them. */
const following = new Set<Viewer>(['follower', 'requester', 'author']);
const inTheHub = new Set<Viewer>(['hub member', 'author', 'blocked', 'blocker']);
const inHubs = new Set<Kind>(['in a hub', 'in an encrypted hub']);
/** What members of an encrypted hub say is in no index. */
const unlessSealed = (_: Viewer, kind: Kind): Seen | undefined =>
  kind === 'in an encrypted hub' ? 'hidden' : undefined;
const orders = ['new', 'hot', 'top&topWindow=all'];
const inOrders = (path: string) =>
  orders.map((sort) => ({ path: `${path}${path.includes('?') ? '&' : '?'}sort=${sort}&limit=50` }));
const has = (data: Json, id: string): boolean => data.posts.some((post: Json) => post['_id'] === id);
const never = (): Seen => 'hidden';

export const surfaces: readonly Surface[] = [
  {
    name: 'by id',
    operations: ['social.post'],
    asks: ({ id }) => [{ path: `/posts/${id}` }],
    shows: (data, { id, word }) => data['_id'] === id && data.content.includes(word),
    refusal: unknown,
  },
  {
    name: 'its thread',
    operations: ['social.thread'],
    asks: ({ id }) => [{ path: `/posts/${id}/thread` }],
    shows: (data, { id }) => data.rootPost['_id'] === id,
    refusal: unknown,
  },
  {
    name: 'the thread of a reply to it',
    operations: ['social.thread'],
    asks: ({ reply }) => [{ path: `/posts/${reply}/thread` }],
    shows: (data, { id }) => data.rootPost['_id'] === id,
  },
  {
    name: 'the thread that it answers',
    operations: ['social.thread'],
    asks: ({ above }) => [{ path: `/posts/${above}/thread` }],
    shows: (data, { answer }) => data.replies.some((post: Json) => post['_id'] === answer),
  },
  {
    name: 'the feed of its author',
    operations: ['social.user-feed'],
    asks: ({ author }) => inOrders(`/users/${author.memberId}/feed`),
    shows: (data, { id }) => has(data, id),
  },
  {
    name: 'home',
    operations: ['social.home'],
    asks: () => inOrders('/timeline/home'),
    shows: (data, { id }) => has(data, id),
    but: (viewer) => (following.has(viewer) ? undefined : 'hidden'),
  },
  {
    name: 'public',
    operations: ['social.public'],
    asks: () => inOrders('/timeline/public'),
    shows: (data, { id }) => has(data, id),
    // Posts of accounts that are protected by now are shown to followers here too.
    but: (_, kind) => (kind === 'protected' || inHubs.has(kind) ? 'hidden' : undefined),
  },
  {
    name: 'a hashtag',
    operations: ['social.hashtag'],
    asks: () => inOrders(`/hashtag/${tag}`),
    shows: (data, { id }) => has(data, id),
    but: unlessSealed,
  },
  {
    name: 'a search',
    operations: ['social.search'],
    asks: ({ word, author }) =>
      [word, `#${tag}`, `${word} from:${author.username}`, `#${tag} from:${author.username}`].map((q) => ({
        path: `/search?q=${encodeURIComponent(q)}`,
      })),
    shows: (data, { id }) => has(data, id),
    but: unlessSealed,
  },
  {
    name: 'its hub',
    operations: ['social.hub-posts'],
    asks: ({ hub }) =>
      hub === undefined ? [] : [...inOrders(`/hubs/${hub}/posts`), { path: `/hubs/${hub}/posts?sort=controversial` }],
    shows: (data, { id }) => has(data, id),
  },
  {
    name: 'what is said of its hub',
    operations: [
      'social.hubs',
      'social.explore-hubs',
      'social.hub',
      'social.sub-hubs',
      'social.hub-standing',
      'social.hub-members',
      'social.hub-keys',
      'social.hub-leaderboard',
      'social.banned',
      'social.moderation-log',
    ],
    asks: ({ hub }) =>
      hub === undefined
        ? []
        : [
            '',
            '/explore',
            ...[
              '',
              '/sub-hubs',
              '/standing',
              '/members-list',
              '/keys',
              '/leaderboard',
              '/banned',
              '/moderation-log',
            ].map((part) => `/${hub}${part}`),
          ].map((path) => ({ path: `/hubs${path}` })),
    shows: (data, { word }) => JSON.stringify(data).includes(word),
    but: never,
  },
  {
    name: 'a repost of it, by id',
    operations: ['social.post', 'social.thread'],
    asks: ({ repost }) => [{ path: `/posts/${repost}` }],
    shows: (data, { id }) => data.quotedPost?.['_id'] === id,
    refusal: unknown,
  },
  {
    name: 'a repost of it in the feed of who reposted',
    operations: ['social.user-feed'],
    asks: () => inOrders('/users/friend/feed'),
    shows: (data, { repost }) => has(data, repost),
  },
  {
    name: 'a repost of it at home',
    operations: ['social.home'],
    asks: () => inOrders('/timeline/home'),
    shows: (data, { repost }) => has(data, repost),
    // The authors follow nobody.
    but: (viewer) => (viewer === 'author' ? 'hidden' : undefined),
  },
  {
    name: 'a quote of it',
    operations: ['social.post', 'social.thread'],
    asks: ({ quote }) => [{ path: `/posts/${quote}` }],
    shows: (data, { id, word }) => data.quotedPost?.['_id'] === id && data.quotedPost.content.includes(word),
  },
  {
    name: 'a quote of it in feeds',
    operations: ['social.user-feed', 'social.public', 'social.hashtag', 'social.hub-posts'],
    asks: ({ hub, isSealed }) => [
      ...inOrders('/users/friend/feed'),
      ...(hub === undefined ? inOrders('/timeline/public') : inOrders(`/hubs/${hub}/posts`)),
      ...(isSealed ? [] : inOrders('/hashtag/quoted')),
    ],
    shows: (data, { quote, id }) =>
      data.posts.some((post: Json) => post['_id'] === quote && post.quotedPost?.['_id'] === id),
  },
  {
    name: 'the number of replies to what it answers',
    operations: ['social.post', 'social.thread'],
    asks: ({ above }) => [{ path: `/posts/${above}` }],
    shows: (data) => data.replyCount > 0,
    // A number is the same for everybody: it counts what was for everybody when it was written.
    but: (viewer, kind) => {
      if (viewer === 'newcomer' && inHubs.has(kind)) return undefined;
      if (inHubs.has(kind)) return inTheHub.has(viewer) ? 'seen' : 'hidden';
      return kind === 'protected' || kind === 'deleted' ? 'hidden' : 'seen';
    },
  },
  {
    name: 'a notification of its mention',
    operations: ['notifications.list'],
    asks: () => [{ path: '/notifications?limit=100' }],
    shows: (data, { id }) => data.notifications.some((one: Json) => one.type === 'mention' && one.targetId === id),
    // Nobody names themselves, and the newcomer was named before becoming a member.
    but: (viewer, kind) => (viewer === 'author' || (viewer === 'newcomer' && inHubs.has(kind)) ? 'hidden' : undefined),
  },
  {
    name: 'the profile of its author, and lists of people',
    operations: [
      'social.profile',
      'social.followers',
      'social.following',
      'social.follow-requests',
      'social.blocks',
      'social.mutes',
    ],
    asks: () => [
      { path: '/users/friend' },
      { path: '/users/friend/followers' },
      { path: '/users/friend/following' },
      { path: '/follow-requests' },
      { path: '/blocks' },
      { path: '/mutes' },
    ],
    shows: (data, { word }) => JSON.stringify(data).includes(word),
    but: never,
  },
  {
    name: 'reports, which name posts by their id alone',
    operations: ['social.reports'],
    asks: () => ['pending', 'actioned', 'dismissed'].map((status) => ({ path: `/posts/reports?status=${status}` })),
    shows: (data, { word }) => JSON.stringify(data).includes(word),
    but: never,
  },
  {
    name: 'what a reply to it answers',
    operations: ['social.create-post'],
    asks: ({ id }) => [{ method: 'POST', path: '/posts', body: { content: 'Reply', parentPostId: id } }],
    refusal: unknown,
  },
  {
    name: 'what bookmark answers',
    operations: ['social.bookmark'],
    asks: ({ id }) => [{ method: 'POST', path: `/posts/${id}/bookmark` }],
    refusal: unknown,
  },
  {
    name: 'bookmarks',
    operations: ['social.bookmarks'],
    asks: () => [{ path: '/bookmarks?limit=50' }],
    shows: (data, { id }) => has(data, id),
  },
  {
    name: 'what a member keeps without posts',
    operations: [
      'social.lists',
      'social.list',
      'social.list-members',
      'social.categories',
      'social.category',
      'social.category-members',
      'social.filters',
      'social.filter',
      'social.show-import',
      'social.archive',
      'notifications.show-preferences',
      'notifications.vapid-key',
      'notifications.list-push-subscriptions',
    ],
    asks: ({ id }) =>
      [
        '/lists',
        `/lists/${id}`,
        `/lists/${id}/members`,
        '/categories',
        `/categories/${id}`,
        `/categories/${id}/members`,
        '/filters',
        `/filters/${id}`,
        '/import',
        '/archive',
        '/notifications/preferences',
        '/notifications/vapid-key',
        '/notifications/push-subscriptions',
      ].map((path) => ({ path })),
    shows: (data, { word }) => JSON.stringify(data ?? {}).includes(word),
    but: never,
  },
  ...(
    [
      ['remove-bookmark', 'DELETE', '/bookmark'],
      ['like', 'POST', '/like'],
      ['unlike', 'DELETE', '/like'],
      ['upvote', 'POST', '/upvote'],
      ['downvote', 'POST', '/downvote'],
      ['unvote', 'DELETE', '/vote'],
      ['report-post', 'POST', '/report'],
      ['quote', 'POST', '/quote'],
      ['repost', 'POST', '/repost'],
      ['edit-post', 'PUT', ''],
      ['delete-post', 'DELETE', ''],
    ] as const
  ).map(([name, method, path]): Surface => ({
    name: `what ${name} answers`,
    operations: [`social.${name}`],
    asks: ({ id }) => [
      { method, path: `/posts/${id}${path}`, body: { reason: 'Rude', commentary: 'Look', content: 'Another text' } },
    ],
    refusal: unknown,
    // The author learns that it is deleted already.
    but: (viewer, kind) => (name === 'delete-post' && viewer === 'author' && kind === 'deleted' ? 'seen' : undefined),
  })),
];

/** Answers that are no JSON, or with another sign-in, and the tests that ask them for every viewer and every kind of post; and numbers. */
export const elsewhere: Readonly<Record<string, string>> = {
  'social.media': 'visibility-files.thorough.test.ts',
  'social.user-rss': 'visibility-files.thorough.test.ts',
  'social.hashtag-rss': 'visibility-files.thorough.test.ts',
  'social.hub-rss': 'visibility-files.thorough.test.ts',
  'social.export': 'visibility-files.thorough.test.ts',
  'social.download-archive': 'visibility-files.thorough.test.ts',
  'notifications.unread-count': 'seen-notifications.test.ts',
};

/** Events that tell of a post, and reads of notifications, with the tests that say who hears of which. */
export const toldElsewhere: Readonly<Record<string, string>> = {
  'hub:post:new': 'hub-events.test.ts',
  'hub:post:removed': 'gone-events.thorough.test.ts',
  'hub:author:hidden': 'gone-events.thorough.test.ts',
  'hub:key_rotated': 'hub-keys.thorough.test.ts',
  'notification:new': 'seen-notifications.test.ts',
  'notification:read': '../notifications/inbox.test.ts',
  'notification:deleted': 'seen-notifications.test.ts',
  'notification:count': 'seen-notifications.test.ts',
};

/** What the table says of a viewer, a kind of post, and a surface. */
export function expected(surface: Surface | undefined, viewer: Viewer, kind: Kind): Seen {
  const usually = rules[kind][viewer];
  return (usually === '401' ? undefined : surface?.but?.(viewer, kind)) ?? usually;
}
