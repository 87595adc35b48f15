import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { Folder } from '../../../contract/filevault/fields.ts';
import { Problem } from '../../../base/problem.ts';
import type { FileNodeRow } from '../../../platform/store/tables/filevault.ts';
import { holdingOf } from '../access/holding.ts';
import { requirePlace, type Place } from '../access/places.ts';
import { record } from '../audit.ts';
import { requireMoveApproved } from '../sharing/granting.ts';
import { assertNothingGained } from './moving.ts';
import { nameKey, numberedName } from './names.ts';
import { asNameTaken, folderOf, holderOf } from './nodes.ts';

export async function restoreFolder(
  ctx: Context,
  actor: Actor,
  { id }: { readonly id: string },
): Promise<{ restored: true; folder: Folder }> {
  return await transaction(ctx, async (tx) => {
    const place = await requirePlace(tx, actor, 0, id, { flag: 'delete', inTrash: true });
    return { restored: true, folder: folderOf(await restoreNode(tx, actor, place), place.container) } as const;
  }).catch(asNameTaken);
}

/**
 * Takes a file or folder out of the trash: to its place, or to the nearest folder above that is not in the trash itself. If its name is
 * taken there, it gets a number. It must run in a transaction, after the permission check.
 *
 * @throws Problem invalid NOT_IN_TRASH; forbidden FORBIDDEN if another folder would receive it, and the actor may not write there, or would
 * have more of it there; forbidden APPROVAL_REQUIRED, INSUFFICIENT_SCOPE as `requireMoveApproved`
 */
export async function restoreNode(tx: Context, actor: Actor, place: Place): Promise<FileNodeRow> {
  const { node, chain, container } = place;
  if (node.deleted_at === null || node.parent_id === null)
    throw notInTrash(chain.some((step) => step.deleted_at !== null));
  const home = nearestLive(chain);
  if (home !== node.parent_id)
    await requireMoveApproved(tx, actor, place, await requirePlace(tx, actor, 0, home, { flag: 'write' }));
  const name = await freeName(tx, home, node.name);
  await record(tx, actor, {
    action: node.kind === 0 ? 'FOLDER_RESTORED' : 'FILE_RESTORED',
    containerId: container.id,
    nodeId: node.id,
  });
  const held = await holdingOf(tx, actor, place);
  const restored = await tx.db
    .updateTable('file_nodes')
    .set({
      parent_id: home,
      name,
      name_key: nameKey(name),
      deleted_at: null,
      updated_at: tx.clock.now(),
      updated_by: actor.memberId,
    })
    .where('id', '=', node.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  if (home !== node.parent_id) await assertNothingGained(tx, actor, place, held);
  return restored;
}

/** The lowest folder above with no folder in the trash on its way to the root folder. */
function nearestLive(chain: Place['chain']): string {
  const lastDeleted = chain.findLastIndex(({ deleted_at }) => deleted_at !== null);
  const live = chain[lastDeleted + 1];
  if (live === undefined) throw new Error('a root folder is in the trash');
  return live.id;
}

async function freeName(tx: Context, parentId: string, name: string): Promise<string> {
  let free = name;
  for (let number = 2; (await holderOf(tx, parentId, free)) !== undefined; number += 1)
    free = numberedName(name, number);
  return free;
}

function notInTrash(below: boolean): Problem {
  const words = below
    ? 'It is in a folder of the trash. Restore that folder.'
    : 'It is not in the trash, so there is nothing to restore.';
  return new Problem('invalid', 'NOT_IN_TRASH', words);
}
