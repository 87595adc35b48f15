import { download } from '../../client/bodies.ts';
import { chat } from '../../contract/chat.ts';
import { onePiece } from '../../base/one-piece.ts';
import { wholeNumber } from '../../base/whole-number.ts';
import type { Viewed } from '../kit/preview/content.ts';
import { nameIn } from './save-attachment.ts';
import { sealedFile } from './sealed/finding-files.ts';
import type { OwnSide } from './sealed/own-side.ts';
import { sealedBytes } from './sealed/save-sealed.ts';

/**
 * A file of a message, for previews: one that only members can read is opened here, after all of it is proven.
 *
 * @param signal ends what is downloaded
 * @throws Problem missing ATTACHMENT_NOT_FOUND, and as `sealedFile` does
 */
export async function viewedAttachment(side: OwnSide, attachmentId: string, signal?: AbortSignal): Promise<Viewed> {
  const sealed = await sealedFile(side, attachmentId);
  if (sealed !== undefined) {
    const { filename: name, size, mimeType: type } = sealed;
    const all = async () => onePiece(await sealedBytes(side.client, sealed, signal));
    return { name, size, type, read: async (take) => await take(await all()) };
  }
  const stop = new AbortController();
  const either = signal === undefined ? stop.signal : AbortSignal.any([stop.signal, signal]);
  const { headers, body } = await download(side.client, chat.showAttachment, { attachmentId }, { signal: either });
  return {
    name: nameIn(headers['content-disposition'] ?? '') || attachmentId,
    size: wholeNumber(headers['content-length']) ?? 0,
    type: typeIn(headers['content-type'] ?? ''),
    async read(take) {
      try {
        return await take(body);
      } finally {
        // What is left of the answer is not waited for.
        stop.abort();
      }
    },
  };
}

/** What the sender calls it; the node answers so for pictures, sounds, videos and plain text alone. */
function typeIn(header: string): string | undefined {
  const type = header.split(';', 1)[0]?.trim();
  return type === 'application/octet-stream' ? undefined : type;
}

/** How somebody saves a file of a message. */
export function savingAttachment(attachmentId: string): string {
  return `Save it with: conclave chat attachment get ${attachmentId}`;
}
