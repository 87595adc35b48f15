import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** What remains of forks of the access list: decisions that nobody could sign yet, forks that people decided, and evidence not kept. */
export async function up(db: Db, { text, integer, keyedTable }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('pool_open_decisions')
    .addColumn('pool_id', text, (column) => column.notNull())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('subject', text, (column) => column.notNull())
    .addColumn('value', text, (column) => column.notNull())
    .addColumn('decided_by', text, (column) => column.notNull())
    .addColumn('issued_at', text, (column) => column.notNull())
    .addColumn('since', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('pool_open_decisions_pkey', ['pool_id', 'kind', 'subject'])
    .modifyEnd(keyedTable)
    .execute();
  await db.schema
    .alterTable('pool_state')
    .addColumn('decisions', integer, (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createTable('pool_resolutions')
    .addColumn('pool_id', text, (column) => column.notNull())
    .addColumn('after_hash', text, (column) => column.notNull())
    .addColumn('adopted', text, (column) => column.notNull())
    .addColumn('decided_at', integer, (column) => column.notNull())
    .addColumn('decided_by', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('pool_resolutions_pkey', ['pool_id', 'after_hash'])
    .modifyEnd(keyedTable)
    .execute();
  await db.schema
    .createTable('pool_evidence_dropped')
    .addColumn('pool_id', text, (column) => column.notNull())
    .addColumn('version', integer, (column) => column.notNull())
    .addColumn('lists', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('pool_evidence_dropped_pkey', ['pool_id', 'version'])
    .modifyEnd(keyedTable)
    .execute();
}
