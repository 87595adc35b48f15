import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** Jobs that can be replaced while they run, and jobs that come again. */
export async function up({ schema }: Db, { text }: ColumnTypes): Promise<void> {
  for (const column of ['claim', 'schedule']) await schema.alterTable('jobs').addColumn(column, text).execute();
}
