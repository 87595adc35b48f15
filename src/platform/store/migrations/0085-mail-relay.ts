import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** Mail of the calendar that goes over the mail relay of the operator, and how much of it went lately. */
export async function up({ schema }: Db, { text, integer, table }: ColumnTypes): Promise<void> {
  await schema
    .alterTable('mail_deliveries')
    .addColumn('relay', integer, (column) => column.notNull().defaultTo(0))
    .execute();
  await schema
    .createTable('mail_relayed')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('since', integer, (column) => column.notNull())
    .addColumn('count', integer, (column) => column.notNull())
    .modifyEnd(table)
    .execute();
}
