import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** Evidence as a file that anybody can check, and what this node noticed about other nodes. */
export async function up(db: Db, types: ColumnTypes): Promise<void> {
  const { text, integer } = types;
  // What was kept before does not contain what a check without the node needs; it stays as it is.
  await db.schema
    .alterTable('ledger_evidence')
    .addColumn('document', text, (column) => column.notNull().defaultTo(''))
    .execute();
  await db.schema.alterTable('witnessed_logs').addColumn('genesis', text).execute();

  await db.schema
    .createTable('ledger_notices')
    .addColumn('node_id', text, (column) => column.notNull())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('details', text, (column) => column.notNull())
    .addColumn('noticed_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('ledger_notices_pkey', ['node_id', 'kind'])
    .modifyEnd(types.table)
    .execute();
}
