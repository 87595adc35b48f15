import type { Conversation, OwnSettings } from '../../contract/chat/conversation.ts';
import { moment, yesNo, type Screen } from '../kit/screen.ts';
import { table, type Detail } from '../kit/table.ts';

export function conversationTable(screen: Screen, rows: readonly Conversation[]): string {
  if (rows.length === 0) return '';
  const mentioned = rows.some(({ mentionCount }) => mentionCount > 0);
  const marked = !Number.isFinite(screen.width) || rows.some((row) => marksOf(row) !== '');
  return table(screen, rows, [
    { title: 'WITH', of: nameOf, whole: true },
    { title: 'UNREAD', of: ({ unread }) => String(unread), whole: true },
    ...(!Number.isFinite(screen.width) || mentioned
      ? [{ title: 'MENTIONS', of: ({ mentionCount }: Conversation) => String(mentionCount), whole: true }]
      : []),
    { title: 'LAST', of: ({ lastMessageAt }, shown) => moment(shown, lastMessageAt ?? undefined), whole: true },
    ...(marked ? [{ title: 'MARKS', of: marksOf }] : []),
    { title: 'MESSAGE', of: ({ lastMessagePreview }) => lastMessagePreview ?? '-', main: true, prose: true },
    { title: 'ID', of: ({ id }) => id, whole: true, spare: true },
  ]);
}

/** A name by which commands find the conversation again. */
export function nameOf({ id, type, title }: Pick<Conversation, 'id' | 'type' | 'title'>): string {
  if (title === '') return id;
  return type === 'direct' ? title : `#${title}`;
}

function marksOf({ pinned, mutedUntil, archived }: OwnSettings): string {
  return [
    ...(pinned ? ['pinned'] : []),
    ...(mutedUntil === null ? [] : ['muted']),
    ...(archived ? ['archived'] : []),
  ].join(',');
}

/** What somebody has chosen for a conversation, for a table of two columns. */
export function settingPairs(screen: Screen, { notifications, mutedUntil, pinned, archived }: OwnSettings): Detail[] {
  return [
    ['Notifications', notifications],
    ['Muted until', moment(screen, mutedUntil ?? undefined)],
    ['Pinned', yesNo(pinned)],
    ['Archived', yesNo(archived)],
  ];
}
