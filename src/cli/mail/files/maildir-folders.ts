import { type Folder, folders } from '../../../contract/mail/limits.ts';

/** Where messages are: in a folder, or below a label. */
export type Mailbox = { readonly folder: Folder } | { readonly label: string };

const LABELS = '.Labels.';

/** The folder in a Maildir++ for messages. The inbox is the Maildir itself. */
export function directoryOf(mailbox: Mailbox): string {
  if ('label' in mailbox) return LABELS + mailbox.label.replaceAll('.', '%2E');
  return mailbox.folder === 'inbox' ? '' : `.${mailbox.folder.slice(0, 1).toUpperCase()}${mailbox.folder.slice(1)}`;
}

/** What a folder of a Maildir++ is for; undefined: something of which nothing is known. A point separates levels there. */
export function mailboxIn(directory: string): Mailbox | undefined {
  if (directory.startsWith(LABELS)) {
    const label = directory.slice(LABELS.length).replaceAll(/%2e/gi, '.');
    return label === '' ? undefined : { label };
  }
  const folder = folders.find((one) => directoryOf({ folder: one }) === directory);
  return folder && { folder };
}
