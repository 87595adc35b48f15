import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** The ledger of the node: its entries, the hashes of its tree, and what opens commitments. */
export async function up(db: Db, types: ColumnTypes): Promise<void> {
  const { text, integer, blob } = types;
  await db.schema
    .createTable('ledger_entries')
    .addColumn('leaf_index', integer, (column) => column.notNull().primaryKey())
    .addColumn('leaf_hash', blob, (column) => column.notNull())
    .addColumn('body', blob, (column) => column.notNull())
    .modifyEnd(types.table)
    .execute();
  await db.schema.createIndex('ledger_entries_leaf_hash').on('ledger_entries').column('leaf_hash').unique().execute();

  await db.schema
    .createTable('ledger_subtrees')
    .addColumn('node', integer, (column) => column.notNull().primaryKey())
    .addColumn('hash', blob, (column) => column.notNull())
    .modifyEnd(types.table)
    .execute();

  await db.schema
    .createTable('ledger_head')
    .addColumn('id', integer, (column) => column.notNull().primaryKey())
    .addColumn('size', integer, (column) => column.notNull())
    .addColumn('frontier', blob, (column) => column.notNull())
    .addColumn('log_key', text, (column) => column.notNull())
    .addColumn('genesis', integer, (column) => column.notNull())
    .addColumn('seal', blob, (column) => column.notNull())
    .modifyEnd(types.table)
    .execute();

  await db.schema
    .createTable('ledger_openings')
    .addColumn('leaf_index', integer, (column) => column.notNull().primaryKey().references('ledger_entries.leaf_index'))
    .addColumn('salt', blob, (column) => column.notNull())
    .addColumn('details', blob, (column) => column.notNull())
    .modifyEnd(types.table)
    .execute();

  await db.schema
    .createTable('ledger_checkpoints')
    .addColumn('size', integer, (column) => column.notNull().primaryKey())
    .addColumn('note', text, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .modifyEnd(types.table)
    .execute();
}
