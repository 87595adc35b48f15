import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { Folder } from '../../../contract/filevault/fields.ts';
import { filevaultLimits } from '../../../contract/filevault/limits.ts';
import { Problem } from '../../../base/problem.ts';
import { once } from '../../../service/repeats.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import { requirePlace } from '../access/places.ts';
import { record } from '../audit.ts';
import { requireApproval } from '../approvals/guard.ts';
import { nodeNotFound, rootFolder } from '../problems.ts';
import { nameKey } from './names.ts';
import { asNameTaken, assertNameFree, folderOf, insertNode, trashNode } from './nodes.ts';

interface NewFolder {
  readonly name: string;
  readonly parentFolderId: string;
  readonly vaultContainerId: string;
}

export async function createFolder(
  ctx: Context,
  actor: Actor,
  { name, parentFolderId, vaultContainerId }: NewFolder,
): Promise<Folder> {
  return await transaction(ctx, async (tx) => {
    const { container, chain } = await requirePlace(tx, actor, 0, parentFolderId, { flag: 'write' });
    if (container.id !== vaultContainerId) throw nodeNotFound(0);
    return await once(tx, async () => {
      if (chain.length >= filevaultLimits.depth) throw tooDeep();
      await assertNameFree(tx, parentFolderId, name);
      const id = recordId(tx.clock.now(), tx.random);
      const made = {
        id,
        containerId: container.id,
        kind: 0,
        parentId: parentFolderId,
        name,
        by: actor.memberId,
      } as const;
      const node = await insertNode(tx, made);
      await record(tx, actor, { action: 'FOLDER_CREATED', containerId: container.id, nodeId: id });
      return folderOf(node, container);
    });
  }).catch(asNameTaken);
}

export async function renameFolder(
  ctx: Context,
  actor: Actor,
  { id, name }: { readonly id: string; readonly name: string },
): Promise<Folder> {
  return await transaction(ctx, async (tx) => {
    const { node, container } = await requirePlace(tx, actor, 0, id, { flag: 'write' });
    if (node.parent_id === null) throw rootFolder();
    await assertNameFree(tx, node.parent_id, name, id);
    const now = tx.clock.now();
    const renamed = await tx.db
      .updateTable('file_nodes')
      .set({ name, name_key: nameKey(name), modified_at: now, updated_at: now, updated_by: actor.memberId })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    await record(tx, actor, { action: 'FOLDER_RENAMED', containerId: container.id, nodeId: id });
    return folderOf(renamed, container);
  }).catch(asNameTaken);
}

/** What is inside gets no mark of its own, so that restoring the folder brings back what was there and nothing else. */
export async function removeFolder(ctx: Context, actor: Actor, { id }: { readonly id: string }): Promise<null> {
  return await transaction(ctx, async (tx) => {
    const { node, container } = await requirePlace(tx, actor, 0, id, { flag: 'delete' });
    if (node.parent_id === null) throw rootFolder();
    if (await hasContent(tx, id)) await requireApproval(tx, actor, container, 'bulk_delete', id);
    await trashNode(tx, actor, id);
    await record(tx, actor, { action: 'FOLDER_TRASHED', containerId: container.id, nodeId: id });
    return null;
  });
}

async function hasContent({ db }: Context, folderId: string): Promise<boolean> {
  const one = await db
    .selectFrom('file_nodes')
    .select('id')
    .where('parent_id', '=', folderId)
    .where('deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return one !== undefined;
}

export function tooDeep(): Problem {
  return new Problem(
    'conflict',
    'FOLDERS_TOO_DEEP',
    `There would be more than ${filevaultLimits.depth} folders below each other.`,
  );
}
