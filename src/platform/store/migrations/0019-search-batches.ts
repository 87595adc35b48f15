import { sql } from 'kysely';
import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** Documents wait for their postings, which are then made of many at once, sorted, first in a small table and later in the large one. */
export async function up(db: Db, { text, integer, keyedTable }: ColumnTypes): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('search_texts')
    .addColumn('space', integer, (column) => column.notNull())
    .addColumn('at', integer, (column) => column.notNull())
    .addColumn('number', integer, (column) => column.notNull())
    .addColumn('id', text, (column) => column.notNull())
    .addColumn('version', integer, (column) => column.notNull())
    .addColumn('words', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('search_documents_key', ['space', 'at', 'number'])
    .modifyEnd(keyedTable)
    .execute();
  // ` one=1 two=3 ` becomes {"one":1,"two":3}.
  await sql`insert into search_texts (space, at, number, id, version, words)
    select space, at, number, id, 1, case trim(words) when '' then '{}'
      else '{"' || replace(replace(trim(words), '=', '":'), ' ', ',"') || '}' end
    from search_documents order by space, at, number`.execute(db);
  await schema.dropTable('search_documents').execute();
  await schema.alterTable('search_texts').renameTo('search_documents').execute();
  await schema.createIndex('search_documents_by_id').unique().on('search_documents').columns(['space', 'id']).execute();

  await schema
    .createTable('search_pending')
    .addColumn('space', integer, (column) => column.notNull())
    .addColumn('at', integer, (column) => column.notNull())
    .addColumn('number', integer, (column) => column.notNull())
    .addColumn('size', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('search_pending_key', ['space', 'at', 'number'])
    .modifyEnd(keyedTable)
    .execute();
  await schema
    .createTable('search_recent')
    .addColumn('space', integer, (column) => column.notNull())
    .addColumn('word', text, (column) => column.notNull())
    .addColumn('at', integer, (column) => column.notNull())
    .addColumn('number', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('search_recent_key', ['space', 'word', 'at', 'number'])
    .modifyEnd(keyedTable)
    .execute();
  await schema
    .createTable('search_merges')
    .addColumn('space', integer, (column) => column.notNull().primaryKey())
    .addColumn('recent', integer, (column) => column.notNull())
    .addColumn('moved_to', text)
    .modifyEnd(keyedTable)
    .execute();
  await sql`insert into search_merges (space, recent) select id, 0 from search_spaces`.execute(db);
}
