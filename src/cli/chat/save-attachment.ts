import { join } from 'node:path';
import { download } from '../../client/bodies.ts';
import type { Caller } from '../../client/perform.ts';
import { chat } from '../../contract/chat.ts';
import { writeWhole } from '../kit/body-files.ts';
import { safeFileName } from '../mail/safe-name.ts';

/**
 * Saves an attachment under its own name in a folder, where nothing is overwritten.
 *
 * @returns the path of the new file
 * @throws Problem missing ATTACHMENT_NOT_FOUND; conflict FILE_EXISTS; invalid OUTPUT_UNWRITABLE
 */
export async function saveUnderOwnName(caller: Caller, attachmentId: string, folder: string): Promise<string> {
  const { headers, body } = await download(caller, chat.showAttachment, { attachmentId });
  const file = join(folder, safeFileName(nameIn(headers['content-disposition'] ?? ''), attachmentId));
  await writeWhole(file, async (sink) => {
    for await (const piece of body) await sink.write(piece);
  });
  return file;
}

/** The name in a `Content-Disposition` of a node: RFC 8187, or plain. */
export function nameIn(header: string): string {
  const extended = /filename\*=UTF-8''([^;]+)/i.exec(header)?.[1];
  try {
    return extended === undefined ? (/filename="([^"]*)"/.exec(header)?.[1] ?? '') : decodeURIComponent(extended);
  } catch {
    return '';
  }
}
