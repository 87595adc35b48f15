import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { toHex } from '../../../crypto/bytes.ts';
import { publicKeysOf } from '../../../shared/members/public-keys.ts';
import type { FileShareKeyRow, FileShareRow } from '../../../platform/store/tables/file-shares.ts';
import { insertRows } from '../../../platform/store/written-query.ts';
import { placeOf } from '../access/places.ts';
import { sharedOn } from '../access/shares.ts';
import { record } from '../audit.ts';
import { shareNotFound } from '../problems.ts';
import { contentsOf, keyFor, openSharedKey } from './keys.ts';

/** The keys of a share, for its recipient. Where the node has the keys of the container, it gives those that the share lacks. */
export async function showShareKeys(
  ctx: Context,
  actor: Actor,
  { id }: { readonly id: string },
): Promise<{ contentId: string; wrappedKey: string }[]> {
  const { share, isClients } = await requireOwnShare(ctx, actor, id);
  const contents = await contentsOf(ctx, share.file_id);
  const there = await keysOf(ctx, id);
  const [holder] = await publicKeysOf(ctx, [actor.memberId]);
  const made: FileShareKeyRow[] = [];
  if (holder !== undefined && !isClients)
    for (const content of contents)
      if (!there.has(content.id)) made.push(await keyFor(ctx, id, content, holder.publicKey));
  // Log before use: nothing leaves before it is recorded.
  const keys = await transaction(ctx, async (tx) => {
    await requireOwnShare(tx, actor, id);
    const now = await keysOf(tx, id);
    const [still, missing] = [await contentsOf(tx, share.file_id), made.filter((row) => !now.has(row.content_id))];
    const rows = missing.filter((row) => still.some((content) => content.id === row.content_id));
    if (rows.length > 0) await insertRows(tx.db, 'file_share_keys', rows);
    await record(tx, actor, {
      action: 'SHARE_KEYS_READ',
      containerId: share.container_id,
      nodeId: share.file_id,
      metadata: { shareId: id },
    });
    return await keysOf(tx, id);
  });
  const shown = [];
  for (const content of contents) {
    const row = keys.get(content.id);
    if (row === undefined) continue;
    shown.push({ contentId: content.id, wrappedKey: toHex(await openSharedKey(ctx, row, content)) });
  }
  return shown;
}

/** @throws Problem missing SHARE_NOT_FOUND, also for a share that doesn't count now */
async function requireOwnShare(
  ctx: Context,
  actor: Actor,
  id: string,
): Promise<{ share: FileShareRow; isClients: boolean }> {
  const share = await ctx.db
    .selectFrom('file_shares')
    .selectAll()
    .where('id', '=', id)
    .where('recipient_id', '=', actor.memberId)
    .executeTakeFirst();
  if (share === undefined) throw shareNotFound();
  const live = await sharedOn(ctx, actor, share.file_id);
  if (live?.shares.some((row) => row.id === id) !== true) throw shareNotFound();
  const place = await placeOf(ctx, actor, share.file_id);
  if (place === undefined || place.inTrash || place.container.state === 'destroyed') throw shareNotFound();
  return { share, isClients: place.container.client_encrypted === 1 };
}

async function keysOf({ db }: Pick<Context, 'db'>, shareId: string): Promise<Map<string, FileShareKeyRow>> {
  const rows = await db.selectFrom('file_share_keys').selectAll().where('share_id', '=', shareId).execute();
  return new Map(rows.map((row) => [row.content_id, row]));
}
