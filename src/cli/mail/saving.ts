import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '../../client/client.ts';
import type { EmailContent } from '../../contract/mail/fields.ts';
import { mail } from '../../contract/mail.ts';
import { Problem } from '../../base/problem.ts';
import { downloadFile } from '../kit/call-bytes.ts';
import type { Terminal } from '../kit/terminal.ts';
import { differentNames, safeFileName } from './safe-name.ts';

export type Attachment = EmailContent['attachments'][number];

export interface SavedFile {
  readonly index: number;
  readonly path: string;
  readonly size: number;
}

/**
 * The attachments that a person means.
 *
 * @param index undefined for the only one
 * @throws Problem missing EMAIL_ATTACHMENT_NOT_FOUND, invalid USAGE
 */
export function chosenAttachments(
  attachments: readonly Attachment[],
  { all, index }: { readonly all: boolean; readonly index: number | undefined },
): readonly Attachment[] {
  const [only] = attachments;
  if (only === undefined)
    throw new Problem('missing', 'EMAIL_ATTACHMENT_NOT_FOUND', 'Nothing is attached to this message.');
  if (all) return attachments;
  const described = attachments.map((one) => ({ path: String(one.index), message: one.filename || '(no name)' }));
  if (index === undefined) {
    if (attachments.length === 1) return [only];
    const message = 'Several files are attached. Give the number of one of them, or --all:';
    throw new Problem('invalid', 'USAGE', message, { fields: described });
  }
  const found = attachments.find((one) => one.index === index);
  if (found !== undefined) return [found];
  const message = `There is no attachment ${index}. There are:`;
  throw new Problem('missing', 'EMAIL_ATTACHMENT_NOT_FOUND', message, { fields: described });
}

/** Writes attachments into a folder, which is made if it is missing. Nothing is overwritten. @throws Problem conflict FILE_EXISTS, invalid OUTPUT_UNWRITABLE */
export async function saveAttachments(
  terminal: Terminal,
  client: Client,
  messageId: string,
  attachments: readonly Attachment[],
  folder: string,
): Promise<SavedFile[]> {
  const names = differentNames(attachments.map(({ filename, index }) => safeFileName(filename, `attachment-${index}`)));
  // If this fails, writing the first file says why.
  await mkdir(folder, { recursive: true }).catch(() => undefined);
  const saved: SavedFile[] = [];
  for (const [at, { index, size }] of attachments.entries()) {
    const path = join(folder, names[at] ?? `attachment-${index}`);
    await downloadFile(terminal, client, mail.showAttachment, { messageId, index }, { output: path });
    saved.push({ index, path, size });
  }
  return saved;
}
