import { sql } from 'kysely';
import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** Which files of a container were ever accessed, and the filter that proves of the others that they were not. */
export async function up(db: Db, types: ColumnTypes): Promise<void> {
  const { schema } = db;
  const { text, integer, blob } = types;

  await schema
    .createTable('file_accesses')
    .addColumn('container_id', text, (column) => column.notNull().references('file_containers.id'))
    .addColumn('file_id', text, (column) => column.notNull())
    .addColumn('ledger_entry', text, (column) => column.notNull())
    .addColumn('merged', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('file_accesses_key', ['container_id', 'file_id'])
    .modifyEnd(types.keyedTable)
    .execute();
  // It has all that is read of new accesses. Otherwise SQLite would rather go through all accesses of the container; and an index of the rows
  // with 0 alone it takes only where a statement has the number itself.
  await schema
    .createIndex('file_accesses_new')
    .on('file_accesses')
    .columns(['container_id', 'merged', 'ledger_entry'])
    .execute();
  await schema
    .createTable('file_filters')
    .addColumn('container_id', text, (column) => column.primaryKey().notNull().references('file_containers.id'))
    .addColumn('bits', integer, (column) => column.notNull())
    .addColumn('salt', blob, (column) => column.notNull())
    .addColumn('count', integer, (column) => column.notNull())
    .addColumn('root', text, (column) => column.notNull())
    .addColumn('covers_to', integer, (column) => column.notNull())
    .addColumn('as_of', integer, (column) => column.notNull())
    .addColumn('ledger_entry', text)
    .modifyEnd(types.keyedTable)
    .execute();
  await schema
    .createTable('file_filter_nodes')
    .addColumn('container_id', text, (column) => column.notNull().references('file_containers.id'))
    .addColumn('level', integer, (column) => column.notNull())
    .addColumn('number', integer, (column) => column.notNull())
    .addColumn('children', blob, (column) => column.notNull())
    .addPrimaryKeyConstraint('file_filter_nodes_key', ['container_id', 'level', 'number'])
    .modifyEnd(types.table)
    .execute();

  // Ids of entries sort by their time.
  await sql`
    insert into file_accesses (container_id, file_id, ledger_entry, merged)
    select container_id, node_id, min(ledger_entry), 0 from file_audit
    where action in ('FILE_DOWNLOADED', 'FILE_PREVIEWED') and node_id is not null
    group by container_id, node_id`.execute(db);
}
