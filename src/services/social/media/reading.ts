import type { Actor } from '../../../actor.ts';
import { readPart } from '../../../attachments/sealed-parts.ts';
import type { Context } from '../../../context.ts';
import { mediaTypes, type MediaType } from '../../../contract/social/media/limits.ts';
import type { Download } from '../../../raw-bodies.ts';
import { mediaNotFound } from './problems.ts';
import { findMedia, openMedia } from './rows.ts';
import { mediaVisible } from './seeing.ts';

const endings: Readonly<Record<MediaType, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
  'audio/mp4': 'm4a',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/webm': 'weba',
};

/** Beside the headers of every answer. What is shown in spite of all checks has no origin, and runs nothing. */
const guards = {
  'cache-control': 'private, no-store',
  'content-security-policy': "default-src 'none'; sandbox",
} as const;

export async function showMedia(
  ctx: Context,
  actor: Actor,
  { mediaId }: { readonly mediaId: string },
): Promise<Download> {
  const row = await findMedia(ctx, mediaId);
  if (row === undefined || !(await mediaVisible(ctx, actor.memberId, row))) throw mediaNotFound();
  const part = await openMedia(ctx, row);
  const type = mediaTypes.find((known) => known === row.mime_type);
  return {
    type: type ?? 'application/octet-stream',
    inline: type !== undefined,
    filename: type === undefined ? row.id : `${row.id}.${endings[type]}`,
    // The id is random and the content never changes, so the tag says nothing that the URL doesn't.
    version: row.id,
    headers: guards,
    content: { size: part.size, read: (range) => readPart(ctx, part, range) },
  };
}
