import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { FileLinkRow } from '../../../platform/store/tables/file-shares.ts';
import { placeOf } from '../access/places.ts';
import { record } from '../audit.ts';
import { linkOver } from '../notices.ts';
import { flagMissing, linkNotFound } from '../problems.ts';
import { dropSharedKeys } from './keys.ts';
import { linkOf } from './live-links.ts';

const isId = /^[0-9a-f]{32}$/;

/** By its id or its token. A repeat changes nothing. */
export async function revokeLink(ctx: Context, actor: Actor, { token }: { readonly token: string }): Promise<null> {
  return await transaction(ctx, async (tx) => {
    const link = await linkNamed(tx, token);
    if (link === undefined) throw linkNotFound();
    if (link.created_by !== actor.memberId) await requireOverseer(tx, actor, link);
    if (link.revoked_at !== null) return null;
    await tx.db
      .updateTable('file_links')
      .set({ revoked_at: tx.clock.now(), verifier: null, salt: null })
      .where('id', '=', link.id)
      .execute();
    await dropSharedKeys(tx, link.id);
    await linkOver(tx, link.id);
    await record(tx, actor, {
      action: 'SHARE_LINK_REVOKED',
      containerId: link.container_id,
      nodeId: link.file_id,
      metadata: { linkId: link.id, token: link.token_start },
    });
    return null;
  });
}

async function linkNamed(ctx: Context, name: string): Promise<FileLinkRow | undefined> {
  const byId = isId.test(name)
    ? await ctx.db.selectFrom('file_links').selectAll().where('id', '=', name).executeTakeFirst()
    : undefined;
  return byId ?? (await linkOf(ctx, name));
}

/** Others than its maker need `admin`. Who doesn't see the file may not know of the link. */
async function requireOverseer(ctx: Context, actor: Actor, { file_id }: FileLinkRow): Promise<void> {
  const place = await placeOf(ctx, actor, file_id);
  const flags = place?.rights.flags;
  if (flags?.has('admin') === true) return;
  if (flags === undefined || flags.size === 0 || (place?.inTrash === true && !flags.has('delete')))
    throw linkNotFound();
  throw flagMissing('admin');
}

/** In the transaction that destroys a file. Links stay, so that they can say that it is gone. */
export async function dropSharesOf(tx: Context, fileId: string): Promise<void> {
  const { db } = tx;
  await db.deleteFrom('file_shares').where('file_id', '=', fileId).execute();
  await db.deleteFrom('file_share_keys').where('file_id', '=', fileId).execute();
  await db.updateTable('file_links').set({ verifier: null, salt: null }).where('file_id', '=', fileId).execute();
  const links = await db
    .selectFrom('file_links')
    .select('id')
    .where('file_id', '=', fileId)
    .where('revoked_at', 'is', null)
    .orderBy('id')
    .execute();
  for (const { id } of links) await linkOver(tx, id);
}
