import type { Db } from '../database.ts';

/** Indexes for searches in containers with many files: of their names, and of the few that are described. */
export async function up({ schema }: Db): Promise<void> {
  const nodes = (name: string, ...columns: string[]) =>
    schema.createIndex(`file_nodes_${name}`).on('file_nodes').columns(columns);
  // It has all that a search by name reads, so that no row of the table is read for a name that doesn't match.
  await nodes('search', 'container_id', 'kind', 'deleted_at', 'id', 'name_key', 'parent_id').execute();
  await nodes('described', 'container_id').where('description', 'is not', null).execute();
}
