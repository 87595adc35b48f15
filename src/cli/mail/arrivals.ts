import type { Client } from '../../client/client.ts';
import { perform } from '../../client/perform.ts';
import type { EmailMetadata } from '../../contract/mail/fields.ts';
import type { Folder } from '../../contract/mail/limits.ts';
import { mail } from '../../contract/mail.ts';
import { Problem } from '../../base/problem.ts';
import { changesSince } from './transfer/changes.ts';

/** Finds what came into a folder since the last time. The first call after this one tells what came in the meantime. */
export async function openArrivals(client: Client, folder: Folder): Promise<() => Promise<EmailMetadata[]>> {
  const { mailboxes, modseq } = await perform(client, mail.listMailboxes, {});
  let nextUid = mailboxes.find(({ kind, name }) => kind === 'folder' && name === folder)?.uidNext ?? 1;
  let since = modseq;
  return async () => {
    const changes = await changesSince(client, since);
    const news = [...changes.changed.values()]
      .filter((one) => one.folder === folder && one.uid >= nextUid)
      .toSorted((one, other) => one.uid - other.uid);
    const shown: EmailMetadata[] = [];
    for (const { id } of news) {
      const message = await shownIfThere(client, id);
      if (message !== undefined) shown.push(message);
    }
    // Kept at the end: what fails in between is looked at again.
    since = changes.modseq;
    nextUid = (news.at(-1)?.uid ?? nextUid - 1) + 1;
    return shown;
  };
}

async function shownIfThere(client: Client, messageId: string): Promise<EmailMetadata | undefined> {
  try {
    return await perform(client, mail.showMessage, { messageId });
  } catch (error) {
    // It was deleted in the meantime.
    if (error instanceof Problem && error.code === 'EMAIL_NOT_FOUND') return undefined;
    throw error;
  }
}
