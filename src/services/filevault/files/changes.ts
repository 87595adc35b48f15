import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { FileDetail, FileItem } from '../../../contract/filevault/fields.ts';
import { requirePlace } from '../access/places.ts';
import { record } from '../audit.ts';
import { nameKey } from '../tree/names.ts';
import { asNameTaken, assertNameFree, fileItemOf, trashNode } from '../tree/nodes.ts';
import { restoreNode } from '../tree/restoring.ts';
import { detailOf } from './details.ts';

interface Changes {
  readonly id: string;
  readonly fileName?: string | undefined;
  readonly description?: string | null | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly visibleWatermark?: boolean | undefined;
  readonly invisibleWatermark?: boolean | undefined;
}

export async function changeFile(
  ctx: Context,
  actor: Actor,
  { id, fileName, description, tags, visibleWatermark, invisibleWatermark }: Changes,
): Promise<FileDetail> {
  await transaction(ctx, async (tx) => {
    const marks = visibleWatermark !== undefined || invisibleWatermark !== undefined;
    const others = fileName !== undefined || description !== undefined || tags !== undefined;
    if (marks) await requirePlace(tx, actor, 1, id, { flag: 'admin' });
    const { node, container } = await requirePlace(tx, actor, 1, id, { flag: marks && !others ? 'admin' : 'write' });
    if (fileName !== undefined && node.parent_id !== null) await assertNameFree(tx, node.parent_id, fileName, id);
    await tx.db
      .updateTable('file_nodes')
      .set({
        ...(fileName !== undefined && { name: fileName, name_key: nameKey(fileName) }),
        ...(description !== undefined && { description }),
        ...(tags !== undefined && { tags: JSON.stringify(tags) }),
        ...(visibleWatermark !== undefined && { visible_watermark: visibleWatermark ? 1 : 0 }),
        ...(invisibleWatermark !== undefined && { invisible_watermark: invisibleWatermark ? 1 : 0 }),
        updated_at: tx.clock.now(),
        updated_by: actor.memberId,
      })
      .where('id', '=', id)
      .execute();
    const changed = Object.entries({ fileName, description, tags }).flatMap(([name, value]) =>
      value === undefined ? [] : [name],
    );
    const metadata = { changed: changed.join() };
    await record(tx, actor, { action: 'FILE_CHANGED', containerId: container.id, nodeId: id, metadata });
  }).catch(asNameTaken);
  return await detailOf(ctx, actor, id);
}

export async function removeFile(ctx: Context, actor: Actor, { id }: { readonly id: string }): Promise<null> {
  return await transaction(ctx, async (tx) => {
    const { container } = await requirePlace(tx, actor, 1, id, { flag: 'delete' });
    await trashNode(tx, actor, id);
    await record(tx, actor, { action: 'FILE_TRASHED', containerId: container.id, nodeId: id });
    return null;
  });
}

export async function restoreFile(
  ctx: Context,
  actor: Actor,
  { id }: { readonly id: string },
): Promise<{ restored: true; file: FileItem }> {
  return await transaction(ctx, async (tx) => {
    const place = await requirePlace(tx, actor, 1, id, { flag: 'delete', inTrash: true });
    return { restored: true, file: fileItemOf(await restoreNode(tx, actor, place), place.container) } as const;
  }).catch(asNameTaken);
}
