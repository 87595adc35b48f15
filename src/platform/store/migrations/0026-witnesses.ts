import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** What nodes remember of each other's ledgers, and what they noticed about their own. */
export async function up(db: Db, types: ColumnTypes): Promise<void> {
  const { text, integer, blob } = types;
  await db.schema
    .createTable('witnessed_logs')
    .addColumn('origin', text, (column) => column.notNull().primaryKey())
    .addColumn('node_id', text, (column) => column.notNull())
    .addColumn('public_key', text, (column) => column.notNull())
    .addColumn('log_key', text, (column) => column.notNull())
    .addColumn('size', integer, (column) => column.notNull())
    .addColumn('root', blob, (column) => column.notNull())
    .addColumn('note', text, (column) => column.notNull())
    .addColumn('seen_at', integer, (column) => column.notNull())
    .addColumn('next_origin', text)
    .modifyEnd(types.table)
    .execute();
  await db.schema.createIndex('witnessed_logs_node_id').on('witnessed_logs').column('node_id').execute();

  await db.schema
    .createTable('ledger_cosignatures')
    .addColumn('size', integer, (column) => column.notNull())
    .addColumn('witness', text, (column) => column.notNull())
    .addColumn('checkpoint', text, (column) => column.notNull())
    .addColumn('line', text, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('ledger_cosignatures_pkey', ['size', 'witness'])
    .modifyEnd(types.table)
    .execute();

  await db.schema
    .createTable('ledger_evidence')
    .addColumn('id', text, (column) => column.notNull().primaryKey())
    .addColumn('node_id', text, (column) => column.notNull())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('one', text, (column) => column.notNull())
    .addColumn('other', text, (column) => column.notNull())
    .addColumn('source', text, (column) => column.notNull())
    .addColumn('found_at', integer, (column) => column.notNull())
    .addColumn('more', integer, (column) => column.notNull().defaultTo(0))
    .modifyEnd(types.table)
    .execute();
  await db.schema.createIndex('ledger_evidence_node_id').on('ledger_evidence').column('node_id').execute();

  await db.schema
    .createTable('ledger_stops')
    .addColumn('id', text, (column) => column.notNull().primaryKey())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('details', text, (column) => column.notNull())
    .addColumn('noticed_at', integer, (column) => column.notNull())
    .addColumn('recovered_at', integer)
    .modifyEnd(types.table)
    .execute();

  await db.schema
    .createTable('ledger_recoveries')
    .addColumn('old_origin', text, (column) => column.notNull().primaryKey())
    .addColumn('new_origin', text, (column) => column.notNull())
    .addColumn('recovered_at', integer, (column) => column.notNull())
    .modifyEnd(types.table)
    .execute();

  await db.schema
    .createTable('node_instances')
    .addColumn('id', text, (column) => column.notNull().primaryKey())
    .addColumn('seen_at', integer, (column) => column.notNull())
    .modifyEnd(types.table)
    .execute();
}
