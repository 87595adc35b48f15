import { sql } from 'kysely';
import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { PermissionFlag } from '../../../contract/filevault/limits.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { grantsBy, rightsBy, type EntryRow } from './rights.ts';

type Reading = Pick<Context, 'db' | 'clock'>;
type Who = Pick<Actor, 'memberId' | 'address'>;

const findEntries = writtenQuery<EntryRow>(`
  select e.node_id, e.level, e.flags, e.conditions, s.flags as set_flags
  from file_acl_entries e
  left join file_permission_sets s on s.id = e.set_id
  where e.principal_id = $1 and e.container_id = $2`);

interface WayRow {
  readonly start: string;
  readonly id: string;
  readonly deleted_at: number | null;
}

const findWays = writtenQuery<WayRow>(`
  with recursive up (start, id, parent_id, deleted_at) as (
    select id, id, parent_id, deleted_at from file_nodes where id in (
      select node_id from file_acl_entries where principal_id = $1 and container_id = $2)
    union all
    select up.start, n.id, n.parent_id, n.deleted_at from file_nodes n join up on n.id = up.parent_id
  )
  select start, id, deleted_at from up`);

/**
 * What the entries for a member grant now, by the id of the file or folder whose list has them: what is below it is decided there. For a
 * member who doesn't own the container.
 */
export async function grantedIn(
  { db, clock }: Reading,
  actor: Who,
  containerId: string,
): Promise<ReadonlyMap<string, ReadonlySet<PermissionFlag>>> {
  const { rows } = await db.executeQuery(findEntries(actor.memberId, containerId));
  const grants = grantsBy(rows);
  const moment = { address: actor.address, now: clock.now() };
  return new Map([...grants.keys()].map((id) => [id, rightsBy([id], grants, moment).flags]));
}

/**
 * The folders on the way from the root folder to what a list grants to the member. The member sees their names, and nothing else of them;
 * otherwise no path would lead to a folder that is shared deep in a container.
 */
export async function passagesIn(ctx: Reading, actor: Who, containerId: string): Promise<ReadonlySet<string>> {
  const granted = await grantedIn(ctx, actor, containerId);
  const granting = new Set([...granted].filter(([, flags]) => flags.size > 0).map(([id]) => id));
  if (granting.size === 0) return granting;
  const { rows } = await ctx.db.executeQuery(findWays(actor.memberId, containerId));
  const blocked = new Set(rows.filter(({ deleted_at }) => deleted_at !== null).map(({ start }) => start));
  return new Set(rows.filter(({ start }) => granting.has(start) && !blocked.has(start)).map(({ id }) => id));
}

/** Those files and folders that are not in the trash, and not below a folder that is. */
export async function liveAmong({ db }: Pick<Context, 'db'>, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<{ start: string; deleted_at: number | null }>`
    with recursive up (start, parent_id, deleted_at) as (
      select id, parent_id, deleted_at from file_nodes where id in (${sql.join([...ids])})
      union all
      select up.start, n.parent_id, n.deleted_at from file_nodes n join up on n.id = up.parent_id
    )
    select start, deleted_at from up`.execute(db);
  const deleted = new Set(rows.filter((row) => row.deleted_at !== null).map(({ start }) => start));
  return ids.filter((id) => !deleted.has(id));
}
