import * as v from 'valibot';
import { rawOperation } from '../operation.ts';
import { line } from '../text.ts';
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

/** Feeds for readers of RSS, without a sign-in. */
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
};
