import type { MessageReport } from '../../../contract/social/message-reports.ts';
import { moment, type Screen } from '../../kit/screen.ts';
import type { Column, Detail } from '../../kit/table.ts';
import { markPairs } from '../../chat/conversation-table.ts';
import type { ListedSocial } from './own-conversations.ts';

/** What a group is, for a table of two columns. @param names of those who are in it, by their ids */
export function socialGroupPairs(screen: Screen, group: ListedSocial, names: ReadonlyMap<string, string>): Detail[] {
  const { participantIds, ownerId, avatarUrl } = group.conversation;
  const nameOf = (id: string | undefined): string => names.get(id ?? '') ?? id ?? '-';
  return [
    ['Name', group.title],
    ['Owner', nameOf(ownerId)],
    ['Members', participantIds.map(nameOf).toSorted().join(', ')],
    ['Picture', avatarUrl ?? '-'],
    ['Created', moment(screen, group.createdAt)],
    ['Last message', moment(screen, group.lastMessageAt ?? undefined)],
    ['Unread', String(group.unread)],
    ['Unread mentions', String(group.mentionCount)],
    ...markPairs(screen, group),
    ['Id', group.id],
  ];
}

/** What is asked of somebody who deletes a conversation from their view. @param me the id of that member */
export function leavingWords({ type, title, memberCount, conversation }: ListedSocial, me: string): string {
  if (type === 'direct') return `Delete the conversation with ${title} from your view? ${title} keeps what was said.`;
  if (memberCount === 1) return `You are the last one in #${title}. Delete it for good?`;
  const heir = conversation.ownerId === me ? ', and whoever has been in it the longest becomes its owner' : '';
  return `Leave #${title}, and delete it from your view? The others keep what was said${heir}.`;
}

export const messageReportColumns: readonly Column<MessageReport>[] = [
  { title: 'ID', of: (report) => report['_id'], whole: true },
  { title: 'STATUS', of: ({ status }) => status },
  { title: 'MADE', of: ({ createdAt }, screen) => moment(screen, createdAt), spare: true },
  { title: 'SENDER', of: ({ senderId }) => senderId, whole: true, spare: true },
  { title: 'MESSAGE', of: ({ messageId }) => messageId, whole: true, spare: true },
  { title: 'REASON', of: ({ reason }) => reason, prose: true },
  { title: 'TEXT', of: ({ content }) => content ?? '-', main: true, prose: true },
];
