import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** How much of what other branches of the access list did was recorded one by one in a day, and how much was only counted. */
export async function up(db: Db, { text, integer, keyedTable }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('pool_recorded')
    .addColumn('pool_id', text, (column) => column.notNull())
    .addColumn('day', integer, (column) => column.notNull())
    .addColumn('what', text, (column) => column.notNull())
    .addColumn('signers', text, (column) => column.notNull())
    .addColumn('recorded', integer, (column) => column.notNull())
    .addColumn('counted', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('pool_recorded_pkey', ['pool_id', 'day', 'what', 'signers'])
    .modifyEnd(keyedTable)
    .execute();
  await db.schema
    .alterTable('pool_evidence')
    .addColumn('recorded', integer, (column) => column.notNull().defaultTo(1))
    .execute();
}
