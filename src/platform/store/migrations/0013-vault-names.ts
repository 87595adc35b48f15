import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** The keys of names that are there come when their owner next names a vault: they take the node secret. */
export async function up({ schema }: Db, { text }: ColumnTypes): Promise<void> {
  await schema.alterTable('passvault_vaults').addColumn('name_key', text).execute();
  await schema
    .createIndex('passvault_vaults_name')
    .unique()
    .on('passvault_vaults')
    .columns(['owner_id', 'name_key'])
    .execute();
  // The new index begins with the same column.
  await schema.dropIndex('passvault_vaults_owner_id').execute();
}
