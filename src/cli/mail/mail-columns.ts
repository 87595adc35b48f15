import type { InboxItem, ShownMailbox } from '../../contract/mail/fields.ts';
import { moment } from '../kit/screen.ts';
import type { Column } from '../kit/table.ts';

/** Digits of an id by which people usually name a message: those of its time. */
const SHORT = 12;

/** The name of somebody where there is one, and otherwise the address. */
export function nameIn({ displayName, address }: ShownMailbox): string {
  return displayName === undefined || displayName === '' ? address : displayName;
}

/** Somebody with name and address. */
export function mailboxText({ displayName, address }: ShownMailbox): string {
  return displayName === undefined || displayName === '' ? address : `${displayName} <${address}>`;
}

/** Ids that are as short as can be while they differ. @returns them by the whole ids */
function shortIds(ids: readonly string[]): ReadonlyMap<string, string> {
  const short = new Map<string, string>();
  for (const id of ids) {
    let size = SHORT;
    while (size < id.length && ids.some((other) => other !== id && other.startsWith(id.slice(0, size)))) size += 2;
    short.set(id, id.slice(0, size));
  }
  return short;
}

/** The column with ids; whole ones for programs. */
export function idColumn(rows: readonly { readonly id: string }[]): Column<{ readonly id: string }> {
  const short = shortIds(rows.map(({ id }) => id));
  return {
    title: 'ID',
    whole: true,
    of: ({ id }, { width }) => (Number.isFinite(width) ? (short.get(id) ?? id) : id),
  };
}

type Marked = Pick<InboxItem, 'read' | 'keywords' | 'hasAttachments'>;

/** What a list tells of a message, in words. */
function marksOf({ read, keywords, hasAttachments }: Marked): (keyof typeof signs)[] {
  return [
    ...(read ? [] : (['unread'] as const)),
    ...(keywords.includes('$flagged') ? (['flagged'] as const) : []),
    ...(keywords.includes('$answered') ? (['answered'] as const) : []),
    ...(hasAttachments ? (['attachments'] as const) : []),
  ];
}

/** One sign for each word, as a column of words would take the room of the subject. */
const signs = { unread: '*', flagged: '!', answered: 'r', attachments: '@' } as const;
export const signsText = '* unread, ! flagged, r answered, @ with attachments';

/** The marks as signs. */
export function signsOf(item: Marked): string {
  return marksOf(item)
    .map((mark) => signs[mark])
    .join('');
}

/** The columns of a list of messages. */
export function itemColumns(rows: readonly InboxItem[]): readonly Column<InboxItem>[] {
  return [
    idColumn(rows),
    {
      title: 'MARK',
      whole: true,
      of: (item, { width }) => (Number.isFinite(width) ? signsOf(item) : marksOf(item).join(',')),
    },
    { title: 'DATE', spare: true, of: ({ date }, screen) => moment(screen, date) },
    { title: 'FROM', of: ({ from }, { width }) => (Number.isFinite(width) ? nameIn(from) : from.address) },
    { title: 'SUBJECT', main: true, of: ({ subject }) => (subject === '' ? '(no subject)' : subject) },
    { title: 'THREAD', spare: true, of: ({ threadCount }) => String(threadCount) },
  ];
}
