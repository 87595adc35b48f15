import { archive } from './social/archive.ts';
import { bookmarks } from './social/bookmarks.ts';
import { feeds } from './social/feeds.ts';
import { filters } from './social/filters.ts';
import { leaving } from './social/leaving.ts';
import { ownLists } from './social/lists.ts';
import { people } from './social/people.ts';
import { posts } from './social/posts.ts';
import { reports } from './social/reports.ts';
import { rss } from './social/rss.ts';
import { transfer } from './social/transfer.ts';
import { hubMembers } from './social/hub-members.ts';
import { hubPosts } from './social/hub-posts.ts';
import { hubs } from './social/hubs.ts';
import { moderation } from './social/moderation.ts';
import { search } from './social/search.ts';

/** The social network, prefix `/api/social`. */
export const social = {
  ...people,
  ...posts,
  ...reports,
  ...feeds,
  ...ownLists,
  ...bookmarks,
  ...filters,
  ...rss,
  ...transfer,
  ...archive,
  ...leaving,
  ...hubs,
  ...hubMembers,
  ...hubPosts,
  ...moderation,
  ...search,
};
