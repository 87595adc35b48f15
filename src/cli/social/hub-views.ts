import type { Hub, Standing } from '../../contract/social/hub.ts';
import type { HubMember } from '../../contract/social/hub-members.ts';
import type { Leader } from '../../contract/social/hub-posts.ts';
import type { BannedUser, HubLogEntry } from '../../contract/social/moderation.ts';
import { counted } from '../kit/counted.ts';
import { moment, type Screen } from '../kit/screen.ts';
import { details, table, type Column } from '../kit/table.ts';

export const hubColumns: readonly Column<Hub>[] = [
  { title: 'HUB', of: ({ slug }) => slug, whole: true },
  { title: 'NAME', of: ({ name }) => name, main: true },
  { title: 'TIER', of: ({ trustTier }) => trustTier },
  { title: 'MEMBERS', of: ({ memberCount }) => String(memberCount) },
  { title: 'POSTS', of: ({ postCount }) => String(postCount), spare: true },
  { title: 'ID', of: (hub) => hub['_id'], whole: true, spare: true },
];

export const hubMemberColumns: readonly Column<HubMember>[] = [
  { title: 'MEMBER', of: ({ username }) => username, main: true },
  { title: 'NAME', of: ({ displayName }) => displayName },
  { title: 'ROLE', of: ({ role }) => role },
  { title: 'SINCE', of: ({ joinedAt }, screen) => moment(screen, joinedAt), spare: true },
  { title: 'ID', of: (member) => member['_id'], whole: true, spare: true },
];

export const bannedColumns: readonly Column<BannedUser>[] = [
  { title: 'MEMBER', of: ({ username, userId }) => (username === '' ? userId : username), main: true },
  { title: 'SINCE', of: ({ bannedAt }, screen) => moment(screen, bannedAt) },
  { title: 'UNTIL', of: ({ expiresAt }, screen) => moment(screen, expiresAt) },
  { title: 'REASON', of: ({ reason = '-' }) => reason, prose: true },
];

export const logColumns: readonly Column<HubLogEntry>[] = [
  { title: 'TIME', of: ({ createdAt }, screen) => moment(screen, createdAt) },
  { title: 'WHAT', of: ({ action }) => action.replaceAll('_', ' ') },
  { title: 'MEMBER', of: ({ username, userId = '-' }) => username ?? userId },
  { title: 'BY', of: ({ moderatorUsername, moderatorId = '-' }) => moderatorUsername ?? moderatorId, spare: true },
  { title: 'UNTIL', of: ({ expiresAt }, screen) => moment(screen, expiresAt), spare: true },
  { title: 'REASON', of: ({ reason = '-' }) => reason, main: true, prose: true },
];

export const leaderColumns: readonly Column<Leader>[] = [
  { title: 'MEMBER', of: ({ username }) => username, main: true },
  { title: 'SCORE', of: ({ score }) => String(score) },
  { title: 'UPVOTES', of: ({ upvotesReceived }) => String(upvotesReceived) },
  { title: 'POSTS', of: ({ postCount }) => String(postCount) },
  { title: 'LAST POST', of: ({ lastActiveAt }, screen) => moment(screen, lastActiveAt), spare: true },
];

/** A hub with the caller's place in it, and the hubs below. */
export function hubText(screen: Screen, hub: Hub, standing: Standing, below: readonly Hub[]): string {
  const text = details(screen, [
    ['Hub', hub.slug],
    ['Name', hub.name],
    ['About', hub.description || '-', 'prose'],
    ['Rules', hub.rules || '-', 'prose'],
    ['Tier', hub.trustTier],
    ['Members', `${hub.memberCount}, ${hub.moderatorIds.length} of them moderators`],
    ['Posts', String(hub.postCount)],
    ['You', youAre(screen, standing)],
    ['Since', moment(screen, hub.createdAt)],
    ['Id', hub['_id']],
  ]);
  return below.length === 0 ? text : `${text}\n\n${table(screen, below, hubColumns)}`;
}

function youAre(screen: Screen, { role, ban, mayPost, warnings }: Standing): string {
  const warned = warnings.length === 0 ? '' : `, with ${counted(warnings.length, 'warning')}`;
  if (role !== undefined) return `${role}${mayPost ? '' : ', and may not post'}${warned}`;
  if (ban === undefined) return `no member${warned}`;
  return ban.expiresAt === undefined ? 'banned' : `banned until ${moment(screen, ban.expiresAt)}`;
}
