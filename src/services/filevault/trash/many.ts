import { sql } from 'kysely';
import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { FileContainerRow, FileNodeRow } from '../../../platform/store/tables/filevault.ts';
import { grantsBy, ownerRights, rightsBy, type EntryRow, type Rights } from '../access/rights.ts';

export interface ManyPlace {
  readonly node: FileNodeRow;
  readonly container: FileContainerRow;
  /** the node itself first, the root folder last */
  readonly chain: readonly { readonly id: string; readonly deleted_at: number | null }[];
  readonly rights: Rights;
}

interface Step {
  readonly start: string;
  readonly id: string;
  readonly deleted_at: number | null;
}

/** Files and folders with the way up and what the actor may do there: as many statements for many as for one. */
export async function placesOfMany(ctx: Context, actor: Actor, rows: readonly FileNodeRow[]): Promise<ManyPlace[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const { rows: steps } = await sql<Step>`
    with recursive up (start, id, parent_id, deleted_at, depth) as (
      select id, id, parent_id, deleted_at, 0 from file_nodes where id in (${sql.join(ids)})
      union all
      select up.start, n.id, n.parent_id, n.deleted_at, up.depth + 1 from file_nodes n join up on n.id = up.parent_id
    )
    select start, id, deleted_at from up order by start, depth`.execute(ctx.db);
  const containers = await ctx.db
    .selectFrom('file_containers')
    .selectAll()
    .where('id', 'in', [...new Set(rows.map((row) => row.container_id))])
    .execute();
  const entries: EntryRow[] = await ctx.db
    .selectFrom('file_acl_entries as e')
    .leftJoin('file_permission_sets as s', 's.id', 'e.set_id')
    .select(['e.node_id', 'e.level', 'e.flags', 'e.conditions', 's.flags as set_flags'])
    .where('e.principal_id', '=', actor.memberId)
    .where('e.node_id', 'in', [...new Set(steps.map(({ id }) => id))])
    .execute();
  const grants = grantsBy(entries);
  const moment = { address: actor.address, now: ctx.clock.now() };
  return rows.flatMap((node) => {
    const container = containers.find(({ id }) => id === node.container_id);
    if (container === undefined) return [];
    const chain = steps.filter(({ start }) => start === node.id);
    const way = chain.map(({ id }) => id);
    const rights = container.owner_id === actor.memberId ? ownerRights : rightsBy(way, grants, moment);
    return [{ node, container, chain, rights }];
  });
}
