import * as v from 'valibot';
import { rawOperation } from '../operation.ts';
import { line } from '../text.ts';
import { idOrSlug } from './hub.ts';
import { socialLimits } from './limits.ts';
import { personName } from './person.ts';

const common = {
  method: 'GET',
  envelope: 'social',
  auth: 'none',
  status: 200,
  errors: ['FEED_NOT_FOUND'],
  accepts: [],
  produces: ['application/rss+xml'],
  limit: { name: 'socialFeed' },
} as const;

const about = `The latest ${socialLimits.rssItems} original posts and quotes, without replies and reposts. Only on nodes with \`social.rss = on\`, and only what everybody may see: members who are protected have no feed.`;

/** Feeds for readers of RSS: without a sign-in, and those of hubs with an app password. */
export const rss = {
  userRss: rawOperation({
    ...common,
    id: 'social.user-rss',
    path: '/api/social/users/:id/feed.rss',
    summary: 'Read the public posts of a member with an RSS reader',
    description: about,
    input: v.object({ id: personName }),
  }),
  hashtagRss: rawOperation({
    ...common,
    id: 'social.hashtag-rss',
    path: '/api/social/hashtag/:tag/feed.rss',
    summary: 'Read the public posts with a hashtag with an RSS reader',
    description: about,
    input: v.object({ tag: line(socialLimits.hashtag + 1) }),
  }),
  hubRss: rawOperation({
    ...common,
    auth: 'member',
    scope: 'feeds',
    id: 'social.hub-rss',
    path: '/api/social/hubs/:hubId/feed.rss',
    summary: 'Read the posts of a hub with an RSS reader',
    description: `The latest ${socialLimits.rssItems} posts and quotes of a hub, for its members alone. A reader signs in with the username and an app password of the scope \`feeds\`. Encrypted hubs have no feed, because a reader would keep their posts.`,
    input: v.object({ hubId: idOrSlug }),
  }),
};
