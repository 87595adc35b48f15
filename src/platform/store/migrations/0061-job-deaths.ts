import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** Ends of the process of a job are counted apart from its failures. */
export async function up({ schema }: Db, { integer }: ColumnTypes): Promise<void> {
  await schema
    .alterTable('jobs')
    .addColumn('deaths', integer, (column) => column.notNull().defaultTo(0))
    .execute();
}
