import { feeds } from './social/feeds.ts';
import { hubMembers } from './social/hub-members.ts';
import { hubPosts } from './social/hub-posts.ts';
import { hubs } from './social/hubs.ts';
import { media } from './social/media.ts';
import { moderation } from './social/moderation.ts';
import { people } from './social/people.ts';
import { posts } from './social/posts.ts';
import { reports } from './social/reports.ts';
import { search } from './social/search.ts';

/** The social network, prefix `/api/social`. */
export const social = {
  ...people,
  ...posts,
  ...reports,
  ...feeds,
  ...hubs,
  ...hubMembers,
  ...hubPosts,
  ...moderation,
  ...media,
  ...search,
};
