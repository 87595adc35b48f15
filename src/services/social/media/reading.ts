import type { Actor } from '../../../service/actor.ts';
import { readPart } from '../../../shared/attachments/sealed-parts.ts';
import type { Context } from '../../../service/context.ts';
import type { Download } from '../../../service/raw-bodies.ts';
import { knownType, mediaFileName } from './file-name.ts';
import { mediaNotFound } from './problems.ts';
import { findMedia, openMedia } from './rows.ts';
import { mediaVisible } from './seeing.ts';

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
  const type = knownType(row);
  return {
    type: type ?? 'application/octet-stream',
    inline: type !== undefined,
    filename: mediaFileName(row),
    // The id is random and the content never changes, so the tag says nothing that the URL doesn't.
    version: row.id,
    headers: guards,
    content: { size: part.size, read: (range) => readPart(ctx, part, range) },
  };
}
