import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** Access lists that wait for the signatures of further administrators. */
export async function up(db: Db, { text, integer, table }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('pool_proposals')
    .addColumn('pool_id', text, (column) => column.notNull())
    .addColumn('hash', text, (column) => column.notNull())
    .addColumn('version', integer, (column) => column.notNull())
    .addColumn('prev', text, (column) => column.notNull())
    .addColumn('document', text, (column) => column.notNull())
    .addColumn('signatures', text, (column) => column.notNull())
    .addColumn('received_at', integer, (column) => column.notNull())
    .addColumn('expires_at', integer, (column) => column.notNull())
    .addColumn('source', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('pool_proposals_pkey', ['pool_id', 'hash'])
    .modifyEnd(table)
    .execute();
}
