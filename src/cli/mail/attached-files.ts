import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { upload } from '../../client/bodies.ts';
import type { Caller } from '../../client/perform.ts';
import type { AttachmentInput } from '../../contract/mail/fields.ts';
import { mailLimits } from '../../contract/mail/limits.ts';
import { mail } from '../../contract/mail.ts';
import { Problem } from '../../base/problem.ts';
import { contentOfFile, sizeOfFile } from '../kit/body-files.ts';
import { unreadable } from '../kit/file-reasons.ts';
import { typeOfName } from '../kit/file-types.ts';
import type { Terminal } from '../kit/terminal.ts';
import { waitFor } from '../kit/waiting.ts';

/** Bytes. A larger file goes by itself, as base64 would keep all of it in memory several times. */
const LARGEST_INSIDE = 256 * 1024;

/**
 * Whether files can be attached, for who would rather know before writing a text.
 *
 * @throws Problem invalid INPUT_UNREADABLE, tooLarge PAYLOAD_TOO_LARGE
 */
export async function assertAttachable(files: readonly string[] = []): Promise<void> {
  await Promise.all(files.map(sizeOf));
}

/**
 * Checks files, and sends the large ones ahead. All are checked before the first is sent.
 *
 * @throws Problem as `assertAttachable`
 */
export async function attachedFiles(
  terminal: Terminal,
  caller: Caller,
  files: readonly string[],
): Promise<AttachmentInput[]> {
  const sizes = await Promise.all(files.map(sizeOf));
  const attached: AttachmentInput[] = [];
  for (const [at, file] of files.entries()) {
    const described = { filename: basename(file), contentType: typeOfName(file) };
    attached.push(
      (sizes[at] ?? 0) <= LARGEST_INSIDE
        ? { ...described, content: (await contentOf(file)).toString('base64') }
        : { ...described, uploadId: await sentAhead(terminal, caller, file) },
    );
  }
  return attached;
}

async function sizeOf(file: string): Promise<number> {
  const size = await sizeOfFile(file);
  if (size <= mailLimits.attachmentBytes) return size;
  const message = `${file} is larger than 25 MiB, the limit of an attachment. Give the recipients another way to get it.`;
  throw new Problem('tooLarge', 'PAYLOAD_TOO_LARGE', message);
}

async function contentOf(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (cause) {
    throw new Problem('invalid', 'INPUT_UNREADABLE', unreadable(file, cause), { cause });
  }
}

async function sentAhead(terminal: Terminal, caller: Caller, file: string): Promise<string> {
  return await waitFor(terminal, `Sending ${basename(file)}`, async ({ report }) => {
    const content = await contentOfFile(terminal, file, 'application/octet-stream');
    const onProgress = (done: number, total: number): void => report({ what: basename(file), done, total });
    return (await upload(caller, mail.upload, {}, content, { onProgress })).uploadId;
  });
}
