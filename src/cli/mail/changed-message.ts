import type { EmailMetadata } from '../../contract/mail/fields.ts';
import { escapeForTerminal } from '../kit/escape-for-terminal.ts';

/** Where a message is and how it is marked, in one line. */
export function changedText({ id, folder, read, labels, keywords }: EmailMetadata): string {
  const marks = [read ? 'read' : 'unread', ...(keywords.includes('$flagged') ? ['flagged'] : [])];
  const labelled = labels.length === 0 ? '' : `, labels: ${labels.join(', ')}`;
  return escapeForTerminal(`${id} is in ${folder}, ${marks.join(', ')}${labelled}.`);
}
