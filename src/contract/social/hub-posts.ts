import * as v from 'valibot';
import { operation } from '../operation.ts';
import { paged } from '../page.ts';
import { actorField, memberId, recordId, timestamp } from '../text.ts';
import { feedOrder, feedSorts } from './feeds.ts';
import { idOrSlug } from './hub.ts';
import { hubLimits } from './hubs/limits.ts';
import { socialLimits } from './limits.ts';
import { post } from './post.ts';

const root = '/api/social/hubs';
const hubFeedSorts = [...feedSorts, 'controversial'] as const;

const leader = v.object({
  userId: memberId,
  username: v.string(),
  hubId: recordId,
  score: v.pipe(v.number(), v.description('upvotes less downvotes of the posts of the member in the hub')),
  postCount: v.number(),
  upvotesReceived: v.number(),
  lastActiveAt: v.pipe(timestamp, v.description('when the member last wrote a post there')),
});
export type Leader = v.InferOutput<typeof leader>;

/** Posts in hubs. */
export const hubPosts = {
  hubFeed: operation({
    id: 'social.hub-posts',
    method: 'GET',
    path: `${root}/:hubId/posts`,
    envelope: 'social',
    auth: 'member',
    summary: 'Read the posts of a hub',
    description:
      'For its members; others get an empty list. Without replies, and without members whom you muted. ' +
      '`controversial`: votes / (1 + |upvotes - downvotes|).',
    ...paged({
      name: 'posts',
      of: post,
      filter: {
        hubId: idOrSlug,
        userId: actorField,
        ...feedOrder,
        sort: v.optional(v.picklist(hubFeedSorts, `must be one of ${hubFeedSorts.join(', ')}`), 'new'),
      },
      most: socialLimits.mostOnPage,
      limit: socialLimits.page,
      errors: ['HUB_NOT_FOUND', 'BANNED_FROM_HUB'],
    }),
    status: 200,
    message: 'Posts of the hub',
  }),
  removePost: operation({
    id: 'social.remove-post',
    method: 'POST',
    path: `${root}/:id/remove-post`,
    envelope: 'social',
    auth: 'member',
    summary: 'Take a post out of a hub',
    description:
      'For its owner and moderators; not a post of somebody with an equal or higher role. It stays in its other hubs, and with its author.',
    input: v.object({ id: recordId, moderatorId: actorField, postId: recordId }),
    reply: v.object({ postId: recordId, hubIds: v.array(recordId) }),
    status: 200,
    message: 'Post removed from the hub',
    errors: ['FORBIDDEN', 'HUB_NOT_FOUND', 'POST_NOT_FOUND'],
  }),
  showLeaderboard: operation({
    id: 'social.hub-leaderboard',
    method: 'GET',
    path: `${root}/:id/leaderboard`,
    envelope: 'social',
    auth: 'member',
    summary: 'List the members of a hub by the votes for their posts there',
    description: `For members of the hub. The first ${hubLimits.leaderboard} with a post there, without members who are hidden from you.`,
    input: v.object({ id: recordId }),
    reply: v.object({ leaderboard: v.array(leader) }),
    status: 200,
    message: 'Leaderboard',
    errors: ['FORBIDDEN', 'BANNED_FROM_HUB', 'HUB_NOT_FOUND'],
  }),
};
