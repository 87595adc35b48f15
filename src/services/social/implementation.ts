import { people } from '../../contract/social/people.ts';
import { posts } from '../../contract/social/posts.ts';
import { reports } from '../../contract/social/reports.ts';
import { feeds } from '../../contract/social/feeds.ts';
import { hubs } from '../../contract/social/hubs.ts';
import { hubMembers } from '../../contract/social/hub-members.ts';
import { hubPosts } from '../../contract/social/hub-posts.ts';
import { moderation } from '../../contract/social/moderation.ts';
import { media } from '../../contract/social/media.ts';
import { search } from '../../contract/social/search.ts';
import { ownLists } from '../../contract/social/lists.ts';
import { bookmarks } from '../../contract/social/bookmarks.ts';
import { filters } from '../../contract/social/filters.ts';
import { rss } from '../../contract/social/rss.ts';
import { transfer } from '../../contract/social/transfer.ts';
import { archive } from '../../contract/social/archive.ts';
import { leaving } from '../../contract/social/leaving.ts';
import { conversations } from '../../contract/social/conversations.ts';
import { messages } from '../../contract/social/messages.ts';
import { messageReports } from '../../contract/social/message-reports.ts';
import { messageRequests } from '../../contract/social/message-requests.ts';
import { implement } from '../../service/implement.ts';

export const socialImplementation = {
  ...implement(
    people,
    () => import('./people/profiles.ts'),
    () => import('./people/follows.ts'),
    () => import('./people/lists.ts'),
    () => import('./people/requests.ts'),
    () => import('./people/blocking.ts'),
  ),
  ...implement(
    posts,
    () => import('./posts/writing.ts'),
    () => import('./posts/reading.ts'),
    () => import('./posts/deleting.ts'),
    () => import('./posts/reactions.ts'),
  ),
  ...implement(reports, () => import('./reports/reports.ts')),
  ...implement(feeds, () => import('./feeds/timelines.ts')),
  ...implement(
    hubs,
    () => import('./hubs/hubs.ts'),
    () => import('./hubs/lists.ts'),
    () => import('./hubs/moderators.ts'),
    () => import('./hubs/standing.ts'),
  ),
  ...implement(
    hubMembers,
    () => import('./hubs/members.ts'),
    () => import('./hubs/keys.ts'),
    () => import('./hubs/moderators.ts'),
  ),
  ...implement(
    hubPosts,
    () => import('./hubs/feed.ts'),
    () => import('./hubs/post-moderation.ts'),
    () => import('./hubs/leaderboard.ts'),
  ),
  ...implement(
    moderation,
    () => import('./hubs/bans.ts'),
    () => import('./hubs/standing.ts'),
    () => import('./hubs/log.ts'),
  ),
  ...implement(
    media,
    () => import('./media/uploading.ts'),
    () => import('./media/reading.ts'),
    () => import('./media/changing.ts'),
  ),
  ...implement(search, () => import('./search/search.ts')),
  ...implement(
    ownLists,
    () => import('./lists/lists.ts'),
    () => import('./lists/list-members.ts'),
  ),
  ...implement(bookmarks, () => import('./bookmarks/bookmarks.ts')),
  ...implement(filters, () => import('./filters/filters.ts')),
  ...implement(rss, () => import('./rss/feeds.ts')),
  ...implement(
    transfer,
    () => import('./transfer/exporting.ts'),
    () => import('./transfer/importing.ts'),
  ),
  ...implement(archive, () => import('./archive/archives.ts')),
  ...implement(leaving, () => import('./leaving/leaving.ts')),
  ...implement(
    conversations,
    () => import('./messages/conversations.ts'),
    () => import('./messages/participants.ts'),
    () => import('./messages/marks.ts'),
  ),
  ...implement(
    messages,
    () => import('./messages/messages.ts'),
    () => import('./messages/reactions.ts'),
  ),
  ...implement(messageRequests, () => import('./messages/requests.ts')),
  ...implement(messageReports, () => import('./messages/reports.ts')),
};
