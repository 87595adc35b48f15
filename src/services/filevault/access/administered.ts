import { sql, type RawBuilder } from 'kysely';
import type { Context } from '../../../service/context.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import type { Who } from './places.ts';
import { grantsBy, rightsBy, type EntryRow } from './rights.ts';

/** What lists let a member administer, in containers of others. */
export interface Administered {
  /** files and folders whose list gives `admin` now: all that is below is included */
  readonly starts: readonly string[];
  /** files and folders whose list decides anew */
  readonly limits: readonly string[];
}

const findEntries = writtenQuery<EntryRow>(`
  select e.node_id, e.level, e.flags, e.conditions, s.flags as set_flags
  from file_acl_entries e
  left join file_permission_sets s on s.id = e.set_id
  where e.principal_id = $1`);

export async function administeredBy({ db, clock }: Pick<Context, 'db' | 'clock'>, actor: Who): Promise<Administered> {
  const { rows } = await db.executeQuery(findEntries(actor.memberId));
  const grants = grantsBy(rows);
  const moment = { address: actor.address, now: clock.now() };
  const limits = [...grants.keys()];
  return { starts: limits.filter((id) => rightsBy([id], grants, moment).flags.has('admin')), limits };
}

/** Whether a row is about something that the member administers: a file or folder below, or a file that was destroyed there. */
export function isAdministered(column: string, { starts, limits }: Administered): RawBuilder<boolean> {
  if (starts.length === 0) return sql<boolean>`1 = 0`;
  return sql<boolean>`${sql.ref(column)} in (
    with recursive down (id) as (
      select id from file_nodes where id in (${sql.join([...starts])})
      union all
      select n.id from file_nodes n join down on n.parent_id = down.id where n.id not in (${sql.join([...limits])})
    )
    select id from down
    union all
    select d.file_id from file_destructions d join down on down.id = d.folder_id
  )`;
}

/** Whether a row is of a container that the member owns. */
export function isOfOwn(column: string, memberId: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(column)} in (select id from file_containers where owner_id = ${memberId})`;
}
