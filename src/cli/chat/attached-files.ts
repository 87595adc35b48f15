import { Flags } from '@oclif/core';
import { basename } from 'node:path';
import { upload } from '../../client/bodies.ts';
import type { Caller } from '../../client/perform.ts';
import { chat } from '../../contract/chat.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import { Problem } from '../../base/problem.ts';
import { contentOfFile, sizeOfFile } from '../kit/body-files.ts';
import { typeOfName } from '../kit/file-types.ts';
import { bytes } from '../kit/screen.ts';
import type { Terminal } from '../kit/terminal.ts';
import { waitFor } from '../kit/waiting.ts';

const { attachments: most, attachmentBytes } = chatLimits;

/** Files that go with a message. */
export const attachFlag = {
  attach: Flags.string({
    description: `file to attach; at most ${most}, and ${bytes(attachmentBytes)} together`,
    helpValue: 'FILE',
    multiple: true,
    multipleNonGreedy: true,
  }),
};

/**
 * Whether files can be attached, for who would rather know before anything is sent.
 *
 * @throws Problem invalid INPUT_UNREADABLE, TOO_MANY_ATTACHMENTS, ATTACHMENTS_TOO_LARGE
 */
export async function assertAttachable(files: readonly string[] = []): Promise<void> {
  if (files.length > most)
    throw new Problem('invalid', 'TOO_MANY_ATTACHMENTS', `A message has at most ${most} attachments.`);
  const sizes = await Promise.all(files.map(sizeOfFile));
  if (sizes.reduce((sum, size) => sum + size, 0) <= attachmentBytes) return;
  const message = `The attachments of a message have at most ${bytes(attachmentBytes)} together. Send larger ones with: conclave files share`;
  throw new Problem('invalid', 'ATTACHMENTS_TOO_LARGE', message);
}

/** Uploads files for a message, each read from the disk while it is sent. @returns their ids, in the same order */
export async function uploadFiles(
  terminal: Terminal,
  caller: Caller,
  files: readonly string[] = [],
): Promise<string[] | undefined> {
  if (files.length === 0) return undefined;
  const ids: string[] = [];
  for (const file of files) {
    const filename = basename(file);
    const uploaded = await waitFor(terminal, `Sending ${filename}`, async ({ report }) => {
      const content = await contentOfFile(terminal, file, typeOfName(file));
      const onProgress = (done: number, total: number): void => report({ what: filename, done, total, unit: 'bytes' });
      return await upload(caller, chat.uploadAttachment, { filename }, content, { onProgress });
    });
    ids.push(uploaded.id);
  }
  return ids;
}
