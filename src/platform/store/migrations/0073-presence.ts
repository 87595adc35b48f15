import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** Who is there: what members have set, and in which processes they have sockets. */
export async function up({ schema }: Db, { text, integer, keyedTable }: ColumnTypes): Promise<void> {
  await schema
    .createTable('presence')
    .addColumn('member_id', text, (column) => column.primaryKey().notNull())
    .addColumn('status', text, (column) => column.notNull())
    .addColumn('told', text, (column) => column.notNull())
    .modifyEnd(keyedTable)
    .execute();
  await schema.createIndex('presence_told').on('presence').column('told').execute();
  await schema
    .createTable('presence_processes')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('ends_at', integer, (column) => column.notNull())
    .modifyEnd(keyedTable)
    .execute();
  await schema
    .createTable('presence_sockets')
    .addColumn('process_id', text, (column) => column.notNull())
    .addColumn('member_id', text, (column) => column.notNull())
    .addColumn('ends_at', integer)
    .addPrimaryKeyConstraint('presence_sockets_key', ['process_id', 'member_id'])
    .modifyEnd(keyedTable)
    .execute();
  await schema.createIndex('presence_sockets_member').on('presence_sockets').column('member_id').execute();
}
