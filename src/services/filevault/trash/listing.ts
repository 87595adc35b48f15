import { sql } from 'kysely';
import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { TrashItem } from '../../../contract/filevault/trash.ts';
import { desc, readPage, type Next, type PageRequest } from '../../../platform/store/page.ts';
import type { FileNodeRow } from '../../../platform/store/tables/filevault.ts';
import { keepingOf } from '../keeping/policy.ts';
import { grantedIn } from '../access/passages.ts';
import { earliestMark } from './clock.ts';
import { requireTrash } from './container.ts';
import { placesOfMany, type ManyPlace } from './many.ts';

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
  const keeping = await keepingOf(ctx, [...new Set(rows.map((row) => row.container_id))]);
  const places = await placesOfMany(ctx, actor, rows);
  const below = await belowOf(ctx, actor, places);
  const now = ctx.clock.now();
  return places.flatMap((place) => {
    const { node, container, rights } = place;
    const [kept, inside] = [keeping.get(container.id), below.get(node.id)];
    if (kept === undefined || !rights.flags.has('delete')) return [];
    const at = inside?.governed === 1 ? undefined : earliestMark(place, kept);
    if (at !== undefined && at <= now) return [];
    return [
      {
        id: node.id,
        itemType: node.kind === 0 ? ('folder' as const) : ('file' as const),
        name: node.name,
        vaultContainerId: container.id,
        parentFolderId: node.parent_id ?? container.root_id,
        sizeBytes: inside?.bytes ?? 0,
        deletedAt: new Date(node.deleted_at ?? 0).toISOString(),
        deletedBy: node.updated_by,
        goesAt: at === undefined ? null : new Date(at).toISOString(),
        mayDestroy: rights.flags.has('admin'),
      },
    ];
  });
}

interface Below {
  readonly top: string;
  readonly bytes: number;
  /** 1: the quorum governs it, or something in it */
  readonly governed: number;
}

/** What is in each, at any depth, with itself, in one statement. What the actor may not see counts no bytes. */
async function belowOf(ctx: Context, actor: Actor, tops: readonly ManyPlace[]): Promise<Map<string, Below>> {
  if (tops.length === 0) return new Map();
  const granted = new Map<string, boolean>();
  const others = tops.filter(({ rights }) => !rights.owner).map(({ container }) => container.id);
  for (const id of new Set(others))
    for (const [node, flags] of await grantedIn(ctx, actor, id)) granted.set(node, flags.has('read'));
  for (const { node, rights } of tops) granted.set(node.id, rights.flags.has('read'));
  const having = (read: boolean) => list([...granted].filter(([, one]) => one === read).map(([id]) => id));
  const { rows } = await sql<Below>`
    with recursive down (top, id, size, governed, seen) as (
      select id, id, size, quorum_governed, case when id in (${having(true)}) then 1 else 0 end
      from file_nodes where id in (${list(tops.map(({ node }) => node.id))})
      union all
      select down.top, n.id, n.size, n.quorum_governed,
        case when n.id in (${having(true)}) then 1 when n.id in (${having(false)}) then 0 else down.seen end
      from file_nodes n join down on n.parent_id = down.id
    )
    select top, cast(sum(size * seen) as bigint) as bytes, max(governed) as governed from down group by top`.execute(
    ctx.db,
  );
  return new Map(rows.map((row) => [row.top, row]));
}

/** Both engines refuse an empty list. */
function list(ids: readonly string[]) {
  return sql.join(ids.length === 0 ? [''] : [...ids]);
}
