import type { EmailContent, EmailMetadata } from '../../contract/mail/fields.ts';
import { escapeLinesForTerminal } from '../kit/escape-for-terminal.ts';
import { bytes, moment, type Screen } from '../kit/screen.ts';
import { details } from '../kit/table.ts';
import { mailboxText } from './mail-columns.ts';

export interface ShownMessage {
  readonly message: EmailMetadata;
  readonly content: EmailContent;
}

/** A message for people: what its header says, its text, and what is attached. */
export function messageText(screen: Screen, { message, content }: ShownMessage): string {
  const parts = [details(screen, headOf(screen, message, content)), bodyText(content)];
  if (content.truncated) parts.push('The text goes on. The whole message is written by: conclave mail raw MESSAGE');
  return parts.filter((part) => part !== '').join('\n\n');
}

function headOf(screen: Screen, message: EmailMetadata, content: EmailContent): (readonly [string, string])[] {
  const { id, from, to, cc, bcc = [], replyTo = [], subject, date, sendAt, folder, labels } = message;
  const pairs: (readonly [string, string])[] = [
    ['From', mailboxText(from)],
    ['To', to.map(mailboxText).join(', ')],
    ['Cc', cc.map(mailboxText).join(', ')],
    ['Bcc', bcc.map(mailboxText).join(', ')],
    ['Reply to', replyTo.map(mailboxText).join(', ')],
    ['Subject', subject],
    ['Date', moment(screen, date)],
    ['Leaves', sendAt === undefined ? '' : moment(screen, sendAt)],
    ['Folder', [folder, ...labels].join(', ')],
    ['Message', id],
    ...content.attachments.map(
      ({ index, filename, contentType, size }) =>
        [`Attachment ${index}`, `${filename === '' ? '(no name)' : filename}, ${contentType}, ${bytes(size)}`] as const,
    ),
    ['Note', content.problems.join('; ')],
  ];
  return pairs.filter(([, value]) => value !== '');
}

/** The text with nothing that could move the cursor. */
function bodyText({ textBody }: Pick<EmailContent, 'textBody'>): string {
  // A tab is no danger, but the escapes make every control character visible.
  const text = (textBody ?? '').replaceAll('\t', '    ').replaceAll(/\r\n?/g, '\n').replaceAll('\u00ad', '');
  return escapeLinesForTerminal(text.trimEnd());
}
