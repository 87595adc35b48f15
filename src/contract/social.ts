import { feeds } from './social/feeds.ts';
import { media } from './social/media.ts';
import { people } from './social/people.ts';
import { posts } from './social/posts.ts';
import { reports } from './social/reports.ts';

/** The social network, prefix `/api/social`. */
export const social = { ...people, ...posts, ...reports, ...feeds, ...media };
