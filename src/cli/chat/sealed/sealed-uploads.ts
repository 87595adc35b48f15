import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { onePiece } from '../../../base/one-piece.ts';
import { upload } from '../../../client/bodies.ts';
import type { SaidFile } from '../../../client/chat/sealed-messages.ts';
import { chat } from '../../../contract/chat.ts';
import { contentOfFile } from '../../kit/body-files.ts';
import { typeOfName } from '../../kit/file-types.ts';
import { waitFor } from '../../kit/waiting.ts';
import type { OwnSide } from './own-side.ts';

/** Seals and uploads files for a message. The node sees neither their names nor their types. @returns what the message says of them */
export async function uploadSealed(
  { terminal, client }: OwnSide,
  files: readonly string[] = [],
): Promise<SaidFile[] | undefined> {
  if (files.length === 0) return undefined;
  const { sealedName, sealedType, sealFile } = await import('../../../client/chat/sealed-files.ts');
  const said: SaidFile[] = [];
  for (const path of files) {
    const filename = basename(path);
    const content = await contentOfFile(terminal, path, typeOfName(path));
    const parts: Uint8Array[] = [];
    for await (const part of content.pieces()) parts.push(part);
    const bytes = new Uint8Array(Buffer.concat(parts));
    const { sealed, key } = sealFile(bytes);
    const uploaded = await waitFor(terminal, `Sending ${filename}`, async ({ report }) => {
      const onProgress = (done: number, total: number): void => report({ what: filename, done, total, unit: 'bytes' });
      const digest = createHash('sha256').update(sealed).digest('base64');
      const hidden = {
        type: sealedType,
        size: sealed.length,
        digests: { 'sha-256': digest },
        pieces: () => onePiece(sealed),
      };
      return await upload(client, chat.uploadAttachment, { filename: sealedName }, hidden, { onProgress });
    });
    said.push({ id: uploaded.id, filename, mimeType: content.type, size: bytes.length, key });
  }
  return said;
}
