import type { hubMembers } from '../../../contract/social/hub-members.ts';
import type { hubPosts } from '../../../contract/social/hub-posts.ts';
import type { hubs } from '../../../contract/social/hubs.ts';
import type { moderation } from '../../../contract/social/moderation.ts';
import { lazily } from '../../../service/service-parts.ts';

export const hubsImplementation = lazily<typeof hubs & typeof hubMembers & typeof hubPosts & typeof moderation>({
  createHub: () => import('./hubs.ts'),
  listHubs: () => import('./lists.ts'),
  exploreHubs: () => import('./lists.ts'),
  showHub: () => import('./lists.ts'),
  updateHub: () => import('./hubs.ts'),
  deleteHub: () => import('./hubs.ts'),
  transferHub: () => import('./moderators.ts'),
  listSubHubs: () => import('./lists.ts'),
  showStanding: () => import('./standing.ts'),
  joinHub: () => import('./members.ts'),
  leaveHub: () => import('./members.ts'),
  addHubMembers: () => import('./members.ts'),
  removeHubMembers: () => import('./members.ts'),
  listHubMembers: () => import('./members.ts'),
  listHubKeys: () => import('./keys.ts'),
  addModerator: () => import('./moderators.ts'),
  removeModerator: () => import('./moderators.ts'),
  banMember: () => import('./bans.ts'),
  unbanMember: () => import('./bans.ts'),
  warnMember: () => import('./standing.ts'),
  banForDays: () => import('./bans.ts'),
  listBanned: () => import('./bans.ts'),
  hubFeed: () => import('./feed.ts'),
  removePost: () => import('./post-moderation.ts'),
  showLeaderboard: () => import('./leaderboard.ts'),
  listModerationLog: () => import('./log.ts'),
});
