import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** When members with sockets last gave a sign of themselves. */
export async function up({ schema }: Db, { integer }: ColumnTypes): Promise<void> {
  await schema
    .alterTable('presence_sockets')
    .addColumn('seen_at', integer, (column) => column.notNull().defaultTo(0))
    .execute();
}
