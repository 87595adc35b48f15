import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** An inverted index. The build of SQLite that the embedded engine is has no FTS5, and PostgreSQL would do it in another way again. */
export async function up({ schema }: Db, types: ColumnTypes): Promise<void> {
  const { text, integer } = types;
  await schema
    .createTable('search_spaces')
    .addColumn('name', text, (column) => column.notNull().primaryKey())
    .addColumn('id', integer, (column) => column.notNull().unique())
    .modifyEnd(types.table)
    .execute();

  await schema
    .createTable('search_documents')
    .addColumn('space', integer, (column) => column.notNull())
    .addColumn('at', integer, (column) => column.notNull())
    .addColumn('number', integer, (column) => column.notNull())
    .addColumn('id', text, (column) => column.notNull())
    .addColumn('words', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('search_documents_place', ['space', 'at', 'number'])
    .modifyEnd(types.table)
    .execute();
  await schema.createIndex('search_documents_id').unique().on('search_documents').columns(['space', 'id']).execute();

  await schema
    .createTable('search_postings')
    .addColumn('space', integer, (column) => column.notNull())
    .addColumn('word', text, (column) => column.notNull())
    .addColumn('at', integer, (column) => column.notNull())
    .addColumn('number', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('search_postings_place', ['space', 'word', 'at', 'number'])
    .modifyEnd(types.keyedTable)
    .execute();
}
