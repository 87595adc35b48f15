import { sql } from 'kysely';
import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** Documents that wait for postings are searched in the table that they wait in, without looking up each of them. */
export async function up(db: Db, { text, integer, keyedTable }: ColumnTypes): Promise<void> {
  await db.schema.alterTable('search_pending').renameTo('search_waited').execute();
  await db.schema
    .createTable('search_pending')
    .addColumn('space', integer, (column) => column.notNull())
    .addColumn('at', integer, (column) => column.notNull())
    .addColumn('number', integer, (column) => column.notNull())
    .addColumn('id', text, (column) => column.notNull())
    .addColumn('words', text, (column) => column.notNull())
    .addColumn('size', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('search_pending_place', ['space', 'at', 'number'])
    .modifyEnd(keyedTable)
    .execute();
  await sql`insert into search_pending (space, at, number, id, words, size)
    select w.space, w.at, w.number, d.id, d.words, w.size from search_waited w
    join search_documents d on d.space = w.space and d.at = w.at and d.number = w.number`.execute(db);
  await db.schema.dropTable('search_waited').execute();
}
