import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** What tells a copy of the erasure keys, and the blocks of another store, from those of this one. */
export async function up({ schema }: Db, types: ColumnTypes): Promise<void> {
  const { text, integer } = types;

  for (const name of ['first_slot', 'generation', 'unfinished', 'lost'])
    await schema
      .alterTable('file_erasure')
      .addColumn(name, integer, (column) => column.notNull().defaultTo(0))
      .execute();
  await schema
    .createTable('block_folder')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .modifyEnd(types.keyedTable)
    .execute();
  await schema
    .createTable('block_processes')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('nonce', text, (column) => column.notNull())
    .addColumn('seen_at', integer, (column) => column.notNull())
    .modifyEnd(types.keyedTable)
    .execute();
}
