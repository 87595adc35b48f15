import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** Digests of who has signed access lists, by which nodes notice that they have different signatures of the same list. */
export async function up(db: Db, { text }: ColumnTypes): Promise<void> {
  for (const table of ['pool_lists', 'pool_evidence'])
    await db.schema
      .alterTable(table)
      .addColumn('signers', text, (column) => column.notNull().defaultTo(''))
      .execute();
}
