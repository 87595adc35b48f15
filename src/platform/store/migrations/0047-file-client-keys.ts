import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** Keys of client-encrypted containers: the node knows which there are, and has none of them. Their wraps are in file_member_keys. */
export async function up({ schema }: Db, { text, integer, blob, keyedTable }: ColumnTypes): Promise<void> {
  await schema
    .createTable('file_client_keys')
    .addColumn('container_id', text, (column) => column.notNull().references('file_containers.id').onDelete('cascade'))
    .addColumn('number', integer, (column) => column.notNull())
    .addColumn('signature', blob, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('retired_at', integer)
    .addPrimaryKeyConstraint('file_client_keys_key', ['container_id', 'number'])
    .modifyEnd(keyedTable)
    .execute();
}
