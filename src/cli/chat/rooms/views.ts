import { chatRoles, type ChatMember, type Conversation } from '../../../contract/chat/conversation.ts';
import type { ChatBan, ChatDeed } from '../../../contract/chat/moderation.ts';
import { moment, type Screen } from '../../kit/screen.ts';
import type { Column, Detail } from '../../kit/table.ts';
import { settingPairs } from '../conversation-table.ts';
import { rulePairs } from './rules.ts';

/** What a member is called, or their id. */
export function nameOr(id: string | null, username: string | null): string {
  return username || id || '-';
}

type GroupFacts = Pick<Conversation, 'name' | 'slowModeSeconds' | 'retentionMs'>;

/** What the owner of a group can change. */
export function groupFactPairs({ name, ...rules }: GroupFacts): Detail[] {
  return [['Name', name ?? '-'], ...rulePairs(rules)];
}

/** What a group is, for a table of two columns. */
export function groupPairs(screen: Screen, group: Conversation): Detail[] {
  return [
    ...groupFactPairs(group),
    ['Members', String(group.memberCount ?? '-')],
    ['Your role', group.role ?? '-'],
    ...readersPairs(group),
    ['Created', moment(screen, group.createdAt)],
    ...memberPairs(screen, group),
    ['Id', group.id],
  ];
}

/** Who can read a conversation, where that is not the rule. */
export function readersPairs({ mode }: { readonly mode?: Conversation['mode'] | undefined }): Detail[] {
  return mode === 'client' ? [['Who can read it', 'its members alone']] : [];
}

/** What a conversation is for one of its members. */
export function memberPairs(screen: Screen, conversation: Conversation): Detail[] {
  return [
    ['Last message', moment(screen, conversation.lastMessageAt ?? undefined)],
    ['Unread', String(conversation.unread)],
    ['Unread mentions', String(conversation.mentionCount)],
    ...settingPairs(screen, conversation),
  ];
}

/** The order in which people look for members: by role, and then by name. */
export function inOrderOfRoles(members: readonly ChatMember[]): ChatMember[] {
  const place = ({ role, memberId, username }: ChatMember) =>
    `${chatRoles.indexOf(role)} ${nameOr(memberId, username)}`;
  return members.toSorted((one, other) => (place(one) < place(other) ? -1 : 1));
}

/** @param members those of the table */
export function memberColumns(members: readonly ChatMember[]): Column<ChatMember>[] {
  const isSealed = members.some(({ hasKey }) => hasKey !== undefined);
  return [
    { title: 'MEMBER', of: ({ memberId, username }) => nameOr(memberId, username), main: true },
    { title: 'ROLE', of: ({ role }) => role },
    { title: 'SINCE', of: ({ joinedAt }, screen) => moment(screen, joinedAt) },
    { title: 'ID', of: ({ memberId }) => memberId, whole: true, spare: true },
    ...(isSealed ? [{ title: 'KEY', of: ({ hasKey = false }: ChatMember) => (hasKey ? 'has it' : 'waits') }] : []),
  ];
}

export const banColumns: Column<ChatBan>[] = [
  { title: 'MEMBER', of: ({ memberId, username }) => nameOr(memberId, username), main: true },
  { title: 'BY', of: ({ bannedBy, bannedByName }) => nameOr(bannedBy, bannedByName) },
  { title: 'SINCE', of: ({ bannedAt }, screen) => moment(screen, bannedAt) },
  { title: 'UNTIL', of: ({ endsAt }, screen) => moment(screen, endsAt ?? undefined) },
  { title: 'REASON', of: ({ reason }) => reason ?? '-', prose: true },
  { title: 'ID', of: ({ memberId }) => memberId, whole: true, spare: true },
];

export const deedColumns: Column<ChatDeed>[] = [
  { title: 'TIME', of: ({ createdAt }, screen) => moment(screen, createdAt) },
  { title: 'WHAT', of: ({ action }) => action.replaceAll('_', ' ') },
  { title: 'MEMBER', of: ({ subjectId, subjectName }) => nameOr(subjectId, subjectName) },
  { title: 'BY', of: ({ actorId, actorName }) => nameOr(actorId, actorName) },
  { title: 'UNTIL', of: ({ endsAt }, screen) => moment(screen, endsAt ?? undefined), spare: true },
  { title: 'REASON', of: ({ reason }) => reason ?? '-', main: true, prose: true },
];
