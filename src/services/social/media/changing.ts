import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { UploadedMedia } from '../../../contract/social/media.ts';
import { Problem } from '../../../base/problem.ts';
import { dropMedia } from './dropping.ts';
import { mediaNotFound } from './problems.ts';
import { findMedia, type StoredMedia } from './rows.ts';
import { shownUpload } from './shown.ts';

interface Named {
  readonly mediaId: string;
}

export async function updateMedia(
  ctx: Context,
  actor: Actor,
  {
    mediaId,
    altText,
    sensitive,
  }: Named & { readonly altText?: string | undefined; readonly sensitive?: boolean | undefined },
): Promise<UploadedMedia> {
  return await transaction(ctx, async (tx) => {
    const row = await requireWaiting(tx, actor, mediaId);
    const changed = {
      alt_text: altText ?? row.alt_text,
      sensitive: sensitive === undefined ? row.sensitive : sensitive ? 1 : 0,
    };
    await tx.db.updateTable('social_media').set(changed).where('id', '=', mediaId).execute();
    return shownUpload({ ...row, ...changed }, row.expires_at);
  });
}

export async function deleteMedia(ctx: Context, actor: Actor, { mediaId }: Named): Promise<null> {
  return await transaction(ctx, async (tx) => {
    await dropMedia(tx, [await requireWaiting(tx, actor, mediaId)]);
    return null;
  });
}

/** Must run in the transaction that changes it. @throws Problem missing MEDIA_NOT_FOUND, conflict MEDIA_ATTACHED */
async function requireWaiting(
  tx: Context,
  { memberId }: Actor,
  id: string,
): Promise<StoredMedia & { readonly expires_at: number }> {
  const row = await findMedia(tx, id);
  if (row === undefined || row.owner_id !== memberId) throw mediaNotFound();
  if (row.expires_at === null) throw new Problem('conflict', 'MEDIA_ATTACHED', 'A post or profile has it.');
  return { ...row, expires_at: row.expires_at };
}
