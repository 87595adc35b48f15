import { chatRoles, type ChatMember, type Conversation } from '../../../contract/chat/conversation.ts';
import type { ChatBan, ChatDeed } from '../../../contract/chat/moderation.ts';
import { moment, type Screen } from '../../kit/screen.ts';
import type { Column, Detail } from '../../kit/table.ts';
import { settingPairs } from '../conversation-table.ts';

export type Names = ReadonlyMap<string, string>;

export function nameIn(names: Names, id: string | null): string {
  return id === null ? '-' : (names.get(id) ?? id);
}

/** What a group is, for a table of two columns. */
export function groupPairs(screen: Screen, group: Conversation): Detail[] {
  return [
    ['Name', group.title],
    ['Members', String(group.memberCount ?? '-')],
    ['Your role', group.role ?? '-'],
    ['Created', moment(screen, group.createdAt)],
    ...memberPairs(screen, group),
    ['Id', group.id],
  ];
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
export function inOrderOfRoles(members: readonly ChatMember[], names: Names): ChatMember[] {
  const place = ({ role, memberId }: ChatMember) => `${chatRoles.indexOf(role)} ${nameIn(names, memberId)}`;
  return members.toSorted((one, other) => (place(one) < place(other) ? -1 : 1));
}

/** @param names usernames by id */
export function memberColumns(names: Names): Column<ChatMember>[] {
  return [
    { title: 'MEMBER', of: ({ memberId }) => nameIn(names, memberId), main: true },
    { title: 'ROLE', of: ({ role }) => role },
    { title: 'SINCE', of: ({ joinedAt }, screen) => moment(screen, joinedAt) },
    { title: 'ID', of: ({ memberId }) => memberId, whole: true, spare: true },
  ];
}

/** @param names usernames by id */
export function banColumns(names: Names): Column<ChatBan>[] {
  return [
    { title: 'MEMBER', of: ({ memberId }) => nameIn(names, memberId), main: true },
    { title: 'BY', of: ({ bannedBy }) => nameIn(names, bannedBy) },
    { title: 'SINCE', of: ({ bannedAt }, screen) => moment(screen, bannedAt) },
    { title: 'UNTIL', of: ({ endsAt }, screen) => moment(screen, endsAt ?? undefined) },
    { title: 'REASON', of: ({ reason }) => reason ?? '-', prose: true },
    { title: 'ID', of: ({ memberId }) => memberId, whole: true, spare: true },
  ];
}

/** @param names usernames by id */
export function deedColumns(names: Names): Column<ChatDeed>[] {
  return [
    { title: 'TIME', of: ({ createdAt }, screen) => moment(screen, createdAt) },
    { title: 'WHAT', of: ({ action }) => action.replaceAll('_', ' ') },
    { title: 'MEMBER', of: ({ subjectId }) => nameIn(names, subjectId) },
    { title: 'BY', of: ({ actorId }) => nameIn(names, actorId) },
    { title: 'UNTIL', of: ({ endsAt }, screen) => moment(screen, endsAt ?? undefined), spare: true },
    { title: 'REASON', of: ({ reason }) => reason ?? '-', main: true, prose: true },
  ];
}
