import type { Context } from '../../../service/context.ts';
import type { FileContainerRow } from '../../../platform/store/tables/filevault.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { grantsBy, type EntryRow, type Grant } from './rights.ts';

type Entry = EntryRow & { readonly principal_id: string };

const entries = `
  select e.principal_id, e.node_id, e.level, e.flags, e.conditions, s.flags as set_flags
  from file_acl_entries e left join file_permission_sets s on s.id = e.set_id
  where e.container_id = $1`;
const findEntries = writtenQuery<Entry>(entries);
const findEntriesFor = writtenQuery<Entry>(`${entries} and e.principal_id = $2`);

/**
 * The owner of a container, and whoever may download everything in it at every time from every address: the list of its root folder grants
 * it without conditions, and no list further down takes it away.
 *
 * @param memberId of somebody who is asked for alone
 */
export async function readersOfAll(
  { db }: Pick<Context, 'db'>,
  { id, owner_id, root_id }: Pick<FileContainerRow, 'id' | 'owner_id' | 'root_id'>,
  memberId?: string,
): Promise<ReadonlySet<string>> {
  const { rows } = await db.executeQuery(memberId === undefined ? findEntries(id) : findEntriesFor(id, memberId));
  const entriesOf = new Map<string, Entry[]>();
  for (const row of rows) {
    const own = entriesOf.get(row.principal_id);
    if (own === undefined) entriesOf.set(row.principal_id, [row]);
    else own.push(row);
  }
  const readers = new Set<string>([owner_id]);
  for (const [reader, own] of entriesOf) {
    const grants = grantsBy(own);
    if (grants.has(root_id) && [...grants.values()].every(downloads)) readers.add(reader);
  }
  return readers;
}

/** Entries at one place add up. */
function downloads(grants: readonly Grant[]): boolean {
  return grants.some(({ flags, conditions }) => conditions === undefined && flags.has('download'));
}
