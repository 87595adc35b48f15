import type { Context } from '../../../service/context.ts';
import { grantsBy, type EntryRow, type Grant } from './rights.ts';

/** What the lists of files and folders grant, by the id of the member, and then by the id of the file or folder. */
export async function grantsOn(
  { db }: Pick<Context, 'db'>,
  nodeIds: readonly string[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, readonly Grant[]>>> {
  const rows = await db
    .selectFrom('file_acl_entries as e')
    .leftJoin('file_permission_sets as s', 's.id', 'e.set_id')
    .select(['e.node_id', 'e.principal_id', 'e.level', 'e.flags', 'e.conditions', 's.flags as set_flags'])
    .where('e.node_id', 'in', [...nodeIds])
    .execute();
  const entries = new Map<string, EntryRow[]>();
  for (const { principal_id: member, ...entry } of rows) entries.set(member, [...(entries.get(member) ?? []), entry]);
  return new Map([...entries].map(([member, own]) => [member, grantsBy(own)]));
}
