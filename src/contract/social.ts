import { archive } from './social/archive.ts';
import { bookmarks } from './social/bookmarks.ts';
import { conversations } from './social/conversations.ts';
import { feeds } from './social/feeds.ts';
import { filters } from './social/filters.ts';
import { hubMembers } from './social/hub-members.ts';
import { hubPosts } from './social/hub-posts.ts';
import { hubs } from './social/hubs.ts';
import { leaving } from './social/leaving.ts';
import { ownLists } from './social/lists.ts';
import { media } from './social/media.ts';
import { messageReports } from './social/message-reports.ts';
import { messageRequests } from './social/message-requests.ts';
import { messages } from './social/messages.ts';
import { moderation } from './social/moderation.ts';
import { people } from './social/people.ts';
import { posts } from './social/posts.ts';
import { reports } from './social/reports.ts';
import { rss } from './social/rss.ts';
import { search } from './social/search.ts';
import { transfer } from './social/transfer.ts';

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
  ...ownLists,
  ...bookmarks,
  ...filters,
  ...rss,
  ...transfer,
  ...archive,
  ...leaving,
  ...conversations,
  ...messages,
  ...messageRequests,
  ...messageReports,
};
