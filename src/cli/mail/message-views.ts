import type { EmailContent, EmailMetadata, InboxItem } from '../../contract/mail/fields.ts';
import { escapeLinesForTerminal } from '../kit/escape-for-terminal.ts';
import { bytes, moment, type Screen } from '../kit/screen.ts';
import { details, type Column } from '../kit/table.ts';
import { mailboxText, nameText } from './mailboxes.ts';

export const messageColumns: readonly Column<InboxItem>[] = [
  { title: 'MESSAGE', of: ({ id }, screen) => (Number.isFinite(screen.width) ? id.slice(0, 12) : id), whole: true },
  { title: '', of: marksOf, whole: true },
  { title: 'DATE', of: ({ date }, screen) => moment(screen, date), whole: true },
  { title: 'FROM', of: ({ from }) => nameText(from) },
  { title: 'SUBJECT', main: true, of: ({ subject, threadCount }) => withCount(subject, threadCount) },
  { title: 'LABELS', spare: true, of: ({ labels }) => labels.join(', ') },
];

/** New, with attachments, marked with a star, answered. */
function marksOf({ read, hasAttachments, keywords }: InboxItem): string {
  return [
    read ? ' ' : '*',
    hasAttachments ? '+' : ' ',
    keywords.includes('$flagged') ? '!' : ' ',
    keywords.includes('$answered') ? 'r' : ' ',
  ].join('');
}

function withCount(subject: string, count: number): string {
  const shown = subject === '' ? '(no subject)' : subject;
  return count > 1 ? `${shown} (${count})` : shown;
}

/** A message to read: what it says of itself, and its text. */
export function messageText(screen: Screen, shown: EmailMetadata, content: EmailContent): string {
  const { from, to, cc, bcc = [], subject, date, labels } = shown;
  const list = (those: EmailMetadata['to']) => those.map(mailboxText).join(', ');
  const head: (readonly [string, string])[] = [
    ['From', mailboxText(from)],
    ['To', list(to)],
    ['Cc', list(cc)],
    ['Bcc', list(bcc)],
    ['Date', moment(screen, date)],
    ['Subject', subject],
    ['Labels', labels.join(', ')],
  ];
  const attached = content.attachments.map(
    ({ index, filename, contentType, size }) => `[${index}] ${filename} (${contentType}, ${bytes(size)})`,
  );
  const parts = [
    details(
      screen,
      head.filter(([, value]) => value !== ''),
    ),
    escapeLinesForTerminal((content.textBody ?? '').trimEnd()),
    ...(content.truncated ? ['The text is longer. To have all of it, run: conclave mail raw'] : []),
    escapeLinesForTerminal(attached.join('\n')),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}
