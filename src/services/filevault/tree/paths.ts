import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { FileItem, Folder } from '../../../contract/filevault/fields.ts';
import type { FileNodeRow } from '../../../platform/store/tables/filevault.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { requirePlace, type Place } from '../access/places.ts';
import { nodeNotFound } from '../problems.ts';
import { rootOf } from './listing.ts';
import { nameKey } from './names.ts';
import { fileItemOf, folderOf } from './nodes.ts';

export async function showPath(
  ctx: Context,
  actor: Actor,
  { id }: { readonly id: string },
): Promise<{ id: string; name: string }[]> {
  const { chain, container } = await requirePlace(ctx, actor, 0, id);
  return chain
    .map((step) => ({ id: step.id, name: step.parent_id === null ? container.name : step.name }))
    .toReversed();
}

const findChild = writtenQuery<FileNodeRow>(
  'select * from file_nodes where parent_id = $1 and name_key = $2 and deleted_at is null',
);
const findOne = writtenQuery<FileNodeRow>('select * from file_nodes where id = $1');

/**
 * Walks by names, and then asks whether the actor may see what it came to. Whoever sees something sees the names of the folders on its way,
 * so the walk shows nothing more. A file that is shared alone is no such way: it is found here by those who see its folder. As in a list,
 * a file is there for those who may read it.
 */
export async function resolvePath(
  ctx: Context,
  actor: Actor,
  { path, vaultContainerId }: { readonly path: string; readonly vaultContainerId?: string | undefined },
): Promise<{ folders: Folder[]; file: FileItem | null }> {
  const rootId = await rootOf(ctx, actor, vaultContainerId);
  const { rows: roots } = await ctx.db.executeQuery(findOne(rootId));
  const walked: FileNodeRow[] = [...roots];
  for (const name of path.split('/').filter((segment) => segment !== '')) {
    const above = walked.at(-1);
    if (above?.kind !== 0) throw nodeNotFound(0);
    const { rows } = await ctx.db.executeQuery(findChild(above.id, nameKey(name)));
    const [found] = rows;
    if (found === undefined) throw nodeNotFound(0);
    walked.push(found);
  }
  const last = walked.at(-1);
  if (last === undefined) throw nodeNotFound(0);
  const { container } = await walkedTo(ctx, actor, last).catch((error: unknown) => {
    throw (error as { kind?: string }).kind === 'missing' ? nodeNotFound(0) : error;
  });
  return {
    folders: walked.filter((node) => node.kind === 0).map((node) => folderOf(node, container)),
    file: last.kind === 1 ? fileItemOf(last, container) : null,
  };
}

async function walkedTo(ctx: Context, actor: Actor, { id, kind, parent_id }: FileNodeRow): Promise<Place> {
  const place = await requirePlace(ctx, actor, kind, id);
  if (kind === 1 && !place.rights.flags.has('read')) throw nodeNotFound(0);
  if (place.rights.share !== undefined && parent_id !== null) await requirePlace(ctx, actor, 0, parent_id);
  return place;
}
