import type { Conversation, OwnSettings } from '../../contract/chat/conversation.ts';
import { moment, yesNo, type Screen } from '../kit/screen.ts';
import { table, type Column, type Detail } from '../kit/table.ts';
import { encrypted } from './message-view.ts';

/** What lists show of a conversation, of chat or of the social network. */
export type ListedConversation = Pick<
  Conversation,
  | 'id'
  | 'type'
  | 'title'
  | 'createdAt'
  | 'lastMessageAt'
  | 'lastMessagePreview'
  | 'unread'
  | 'mentionCount'
  | 'pinned'
  | 'mutedUntil'
  | 'archived'
> & {
  readonly isSocial?: boolean;
  /** whether the other member has still to accept it */
  readonly waits?: boolean;
  /** `client`: only its members can read it */
  readonly mode?: Conversation['mode'];
};

/** On a narrower terminal, names and messages are all there is room for. */
const ROOMY = 64;

/** @param mixed whether those of the social network stand beside others */
export function conversationTable(screen: Screen, rows: readonly ListedConversation[], mixed = false): string {
  if (rows.length === 0) return '';
  const forProgram = !Number.isFinite(screen.width);
  const mentioned = forProgram || rows.some(({ mentionCount }) => mentionCount > 0);
  const marked = forProgram || rows.some((row) => marksOf(row) !== '');
  const facts: readonly Column<ListedConversation>[] = [
    ...(mentioned ? [{ title: 'MENTIONS', of: mentionsIn, whole: true }] : []),
    { title: 'LAST', of: ({ lastMessageAt }, shown) => moment(shown, lastMessageAt ?? undefined), whole: true },
    ...(marked ? [{ title: 'MARKS', of: marksOf }] : []),
  ];
  return table(screen, rows, [
    { title: 'WITH', of: nameOf, main: true },
    { title: 'UNREAD', of: ({ unread }) => String(unread), whole: true },
    ...(screen.width < ROOMY ? [] : facts),
    { title: 'MESSAGE', of: beginningIn, prose: true },
    { title: 'ID', of: ({ id }) => id, whole: true, spare: true },
    // Behind all others, so that these stand for programs where they stood.
    ...(mixed && rows.some(({ isSocial }) => isSocial) ? [{ title: 'TYPE', of: typeOf, whole: true }] : []),
  ]);
}

function beginningIn({ lastMessagePreview, lastMessageAt, mode }: ListedConversation): string {
  return lastMessagePreview ?? (mode === 'client' && lastMessageAt !== null ? encrypted : '-');
}

function mentionsIn({ mentionCount }: ListedConversation): string {
  return String(mentionCount);
}

/** A name by which commands find the conversation again. */
export function nameOf({ id, type, title }: Pick<Conversation, 'id' | 'type' | 'title'>): string {
  if (title === '') return id;
  return type === 'direct' ? title : `#${title}`;
}

function typeOf({ type, isSocial = false }: ListedConversation): string {
  if (!isSocial) return type;
  return type === 'direct' ? 'social' : `social ${type}`;
}

function marksOf({ pinned, mutedUntil, archived, waits = false }: ListedConversation): string {
  return [
    ...(pinned ? ['pinned'] : []),
    ...(mutedUntil === null ? [] : ['muted']),
    ...(archived ? ['archived'] : []),
    ...(waits ? ['request'] : []),
  ].join(',');
}

/** What somebody has chosen for a conversation, for a table of two columns. */
export function settingPairs(screen: Screen, { notifications, ...marks }: OwnSettings): Detail[] {
  return [['Notifications', notifications], ...markPairs(screen, marks)];
}

/** The same without what there is in chat alone. */
export function markPairs(
  screen: Screen,
  { mutedUntil, pinned, archived }: Omit<OwnSettings, 'notifications'>,
): Detail[] {
  return [
    ['Muted until', moment(screen, mutedUntil ?? undefined)],
    ['Pinned', yesNo(pinned)],
    ['Archived', yesNo(archived)],
  ];
}
