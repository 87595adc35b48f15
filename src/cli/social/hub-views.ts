import type { Hub, Standing } from '../../contract/social/hub.ts';
import type { HubMember } from '../../contract/social/hub-members.ts';
import type { BannedUser, HubLogEntry } from '../../contract/social/moderation.ts';
import { counted } from '../kit/counted.ts';
import { moment, type Screen } from '../kit/screen.ts';
import { details, table, type Column } from '../kit/table.ts';

export const hubColumns: readonly Column<Hub>[] = [
  { title: 'Hub', of: ({ slug }) => slug, whole: true },
  { title: 'Name', of: ({ name }) => name, main: true },
  { title: 'Tier', of: ({ trustTier }) => trustTier },
  { title: 'Members', of: ({ memberCount }) => String(memberCount) },
  { title: 'Posts', of: ({ postCount }) => String(postCount), spare: true },
  { title: 'Id', of: (hub) => hub['_id'], whole: true, spare: true },
];

export const hubMemberColumns: readonly Column<HubMember>[] = [
  { title: 'Member', of: ({ username }) => username, main: true },
  { title: 'Name', of: ({ displayName }) => displayName },
  { title: 'Role', of: ({ role }) => role },
  { title: 'Since', of: ({ joinedAt }, screen) => moment(screen, joinedAt), spare: true },
  { title: 'Id', of: (member) => member['_id'], whole: true, spare: true },
];

export const bannedColumns: readonly Column<BannedUser>[] = [
  { title: 'Member', of: ({ username, userId }) => (username === '' ? userId : username), main: true },
  { title: 'Since', of: ({ bannedAt }, screen) => moment(screen, bannedAt) },
  { title: 'Until', of: ({ expiresAt }, screen) => moment(screen, expiresAt) },
  { title: 'Reason', of: ({ reason = '-' }) => reason },
];

export const logColumns: readonly Column<HubLogEntry>[] = [
  { title: 'Time', of: ({ createdAt }, screen) => moment(screen, createdAt) },
  { title: 'What', of: ({ action }) => action.replaceAll('_', ' ') },
  { title: 'Member', of: ({ username, userId = '-' }) => username ?? userId },
  { title: 'By', of: ({ moderatorId = '' }) => moderatorId, spare: true },
  { title: 'Until', of: ({ expiresAt }, screen) => moment(screen, expiresAt), spare: true },
  { title: 'Reason', of: ({ reason = '-' }) => reason, main: true },
];

/** A hub with the caller's place in it, and the hubs below. */
export function hubText(screen: Screen, hub: Hub, standing: Standing, below: readonly Hub[]): string {
  const text = details(screen, [
    ['Hub', hub.slug],
    ['Name', hub.name],
    ['About', hub.description],
    ['Rules', hub.rules],
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
