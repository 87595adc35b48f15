import type { Channel, FoundChannel } from '../../contract/chat/channels.ts';
import type { ReplyOf } from '../../contract/operation.ts';
import type { chat } from '../../contract/chat.ts';
import type { Invite } from '../../contract/chat/invites.ts';
import { moment, yesNo, type Screen } from '../kit/screen.ts';
import type { Column, Detail } from '../kit/table.ts';
import { idColumn } from '../mail/mail-columns.ts';
import { asMember } from './rooms/find-room.ts';
import { rulePairs } from './rooms/rules.ts';
import { memberPairs, nameOr, readersPairs } from './rooms/views.ts';

/** Channels that can be found. */
export const channelColumns: Column<FoundChannel>[] = [
  { title: 'NAME', of: ({ name }) => `#${name}`, main: true },
  { title: 'MEMBERS', of: ({ memberCount }) => String(memberCount), whole: true },
  { title: 'VISIBILITY', of: ({ visibility }) => visibility, whole: true },
  { title: 'JOINED', of: ({ joined }) => yesNo(joined), whole: true },
  { title: 'TOPIC', of: ({ topic }) => topic || '-', prose: true },
  { title: 'ID', of: ({ id }) => id, whole: true, spare: true },
];

type Facts = ReplyOf<typeof chat.updateChannel>;

/** What the owner of a channel can change. */
export function factPairs(channel: Omit<Facts, 'id'>): Detail[] {
  const { name, topic, visibility, historyVisibleToNewMembers } = channel;
  return [
    ['Name', name],
    ['Topic', topic || '-', 'prose'],
    ['Visibility', visibility],
    ['New members see', historyVisibleToNewMembers ? 'earlier messages too' : 'only what is said from then on'],
    ...rulePairs(channel),
  ];
}

/** What a channel is, for its members and for others. */
export function channelPairs(screen: Screen, channel: Channel): Detail[] {
  const { historyVisibleToNewMembers = false, slowModeSeconds = 0, retentionMs = null, role = '-' } = channel;
  const own = asMember(channel);
  const facts = factPairs({ ...channel, historyVisibleToNewMembers, slowModeSeconds, retentionMs });
  return [
    ...(own === undefined ? facts.slice(0, 3) : facts),
    ['Members', String(channel.memberCount)],
    ['Joined', yesNo(channel.joined)],
    ...readersPairs(channel),
    ...(own === undefined ? [] : [['Your role', role] as const]),
    ['Created', moment(screen, channel.createdAt)],
    ...(own === undefined ? [] : memberPairs(screen, own)),
    ['Id', channel.id],
  ];
}

/** @param invites those of the table */
export function inviteColumns(invites: readonly Invite[]): Column<Invite>[] {
  const ids = idColumn(invites.map(({ inviteId: id }) => ({ id })));
  return [
    { ...ids, of: ({ inviteId: id }, screen) => ids.of({ id }, screen), main: true },
    { title: 'BY', of: ({ createdBy, createdByName }) => nameOr(createdBy, createdByName) },
    { title: 'USES LEFT', of: ({ usesRemaining }) => (usesRemaining === null ? 'any' : String(usesRemaining)) },
    { title: 'EXPIRES', of: ({ expiresAt }, screen) => (expiresAt === null ? 'never' : moment(screen, expiresAt)) },
  ];
}
