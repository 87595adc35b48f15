import { join } from 'node:path';
import { download } from '../../../client/bodies.ts';
import type { SaidFile } from '../../../client/chat/sealed-messages.ts';
import type { Caller } from '../../../client/perform.ts';
import { chat } from '../../../contract/chat.ts';
import { chatLimits } from '../../../contract/chat/limits.ts';
import { onePiece } from '../../../base/one-piece.ts';
import { Problem } from '../../../base/problem.ts';
import { writeWhole } from '../../kit/body-files.ts';
import { copyTo } from '../../kit/pager.ts';
import { safeFileName } from '../../mail/safe-name.ts';
import type { OwnSide } from './own-side.ts';

/**
 * Writes a file that only members can read, after all of it is proven.
 *
 * @param to `output`: the new file, - for standard output; otherwise under its own name into `dir`
 * @returns the path
 */
export async function saveSealed(
  { client, terminal }: Pick<OwnSide, 'client' | 'terminal'>,
  file: SaidFile,
  to: { readonly output?: string | undefined; readonly dir: string },
): Promise<string> {
  const bytes = await sealedBytes(client, file);
  if (to.output === '-') {
    await copyTo(terminal.stdout, onePiece(bytes));
    return '-';
  }
  const path = to.output ?? join(to.dir, safeFileName(file.filename, file.id));
  await writeWhole(path, async (sink) => await sink.write(bytes));
  return path;
}

/** A file that only members can read. @throws Problem network MESSAGE_DAMAGED, BAD_REPLY; missing ATTACHMENT_NOT_FOUND */
export async function sealedBytes(client: Caller, file: SaidFile, signal?: AbortSignal): Promise<Uint8Array> {
  const { openFile } = await import('../../../client/chat/sealed-files.ts');
  const { body } = await download(client, chat.showAttachment, { attachmentId: file.id }, { signal });
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body) {
    size += part.length;
    if (size > chatLimits.attachmentBytes + chatLimits.sealedOverhead)
      throw new Problem('network', 'BAD_REPLY', `${client.place} sent more than a file can have.`);
    parts.push(part);
  }
  return openFile(file, new Uint8Array(Buffer.concat(parts)));
}
