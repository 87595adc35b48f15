import { sql } from 'kysely';
import type { Actor } from '../../../actor.ts';
import type { Context } from '../../../context.ts';
import type { TrashItem } from '../../../contract/filevault/trash.ts';
import { desc, readPage, type Next, type PageRequest } from '../../../store/page.ts';
import type { FileNodeRow } from '../../../store/tables/filevault.ts';
import { placeOf } from '../access/places.ts';
import { goingAt } from './clock.ts';
import { requireTrash } from './container.ts';

/** What the actor may restore. What has gone by the clock is not listed, whenever it is removed. */
export async function listTrash(
  ctx: Context,
  actor: Actor,
  { vaultContainerId, limit, cursor }: { readonly vaultContainerId?: string | undefined } & PageRequest,
): Promise<{ items: TrashItem[] } & Next> {
  if (vaultContainerId !== undefined) await requireTrash(ctx, actor, vaultContainerId);
  let query = ctx.db
    .selectFrom('file_nodes')
    .selectAll()
    .where('deleted_at', 'is not', null)
    .where('container_id', 'in', (e) =>
      e
        .selectFrom('file_containers')
        .select('id')
        .where('state', '!=', 'destroyed')
        .where((or) =>
          or.or([
            or('owner_id', '=', actor.memberId),
            or(
              'id',
              'in',
              or.selectFrom('file_acl_entries').select('container_id').where('principal_id', '=', actor.memberId),
            ),
          ]),
        ),
    );
  if (vaultContainerId !== undefined) query = query.where('container_id', '=', vaultContainerId);
  const listing = {
    list: 'filevault.list-trash',
    memberId: actor.memberId,
    filter: { vaultContainerId },
    by: [desc<FileNodeRow>('deleted_at', (row) => row.deleted_at), desc<FileNodeRow>('id', (row) => row.id)],
  };
  const { rows, next } = await readPage(ctx, query, listing, { limit, cursor });
  return { items: await itemsOf(ctx, actor, rows), ...next };
}

async function itemsOf(ctx: Context, actor: Actor, rows: readonly FileNodeRow[]): Promise<TrashItem[]> {
  const sizes = await sizesOf(
    ctx,
    rows.filter(({ kind }) => kind === 0).map(({ id }) => id),
  );
  const items: TrashItem[] = [];
  for (const row of rows) {
    const place = await placeOf(ctx, actor, row.id);
    if (place === undefined || !place.rights.flags.has('delete')) continue;
    const at = await goingAt(ctx, place);
    if (at !== undefined && at <= ctx.clock.now()) continue;
    items.push({
      id: row.id,
      itemType: row.kind === 0 ? 'folder' : 'file',
      name: row.name,
      vaultContainerId: row.container_id,
      parentFolderId: row.parent_id ?? place.container.root_id,
      sizeBytes: row.kind === 0 ? (sizes.get(row.id) ?? 0) : row.size,
      deletedAt: new Date(row.deleted_at ?? 0).toISOString(),
      deletedBy: row.updated_by,
      goesAt: at === undefined ? null : new Date(at).toISOString(),
      mayDestroy: place.rights.flags.has('admin'),
    });
  }
  return items;
}

/** Of folders with all that is below them, in one statement. */
async function sizesOf({ db }: Context, ids: readonly string[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ top: string; bytes: number }>`
    with recursive down (top, id, size) as (
      select id, id, size from file_nodes where id in (${sql.join([...ids])})
      union all
      select down.top, n.id, n.size from file_nodes n join down on n.parent_id = down.id
    )
    select top, cast(sum(size) as bigint) as bytes from down group by top`.execute(db);
  return new Map(rows.map(({ top, bytes }) => [top, bytes]));
}
