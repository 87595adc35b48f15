import * as v from 'valibot';
import { operation } from '../operation.ts';
import { paged } from '../page.ts';
import { actorField, line } from '../text.ts';
import { searchedKinds, socialLimits } from './limits.ts';
import { post } from './post.ts';

export const search = {
  search: operation({
    id: 'social.search',
    method: 'GET',
    path: '/api/social/search',
    envelope: 'social',
    auth: 'member',
    summary: 'Search the posts that you may see, the newest first',
    description:
      'A post is found if it has all words of `q`, each as a whole, in any order and without regard to case and accents. The last word may be a ' +
      'beginning that ends with `*`. `#tag` finds posts with the hashtag, `from:NAME` those of a member (`me` is you), `hub:SLUG` those in a hub, ' +
      '`before:2026-01-31` those written before the day in UTC, or before a time, and `has:` those with ' +
      `${searchedKinds.join(', ')}. All other characters than letters and digits separate words. ` +
      'Posts of encrypted hubs are not found. A page can be shorter than `limit`, and `hasMore` says whether others follow.',
    ...paged({
      name: 'posts',
      of: post,
      filter: {
        q: v.pipe(
          line(socialLimits.searchText),
          v.check((text) => text.trim() !== '', 'must not be blank'),
          v.description('words and conditions'),
        ),
        userId: actorField,
      },
      most: socialLimits.mostOnPage,
      limit: socialLimits.page,
    }),
    status: 200,
    message: 'Posts found',
  }),
};
