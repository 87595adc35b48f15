import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** Which deliveries are told of when they fail. Those that were sent before are not. */
export async function up({ schema }: Db, { integer }: ColumnTypes): Promise<void> {
  await schema
    .alterTable('mail_deliveries')
    .addColumn('notice', integer, (column) => column.notNull().defaultTo(0))
    .execute();
}
