import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** What programs that speak DAV chose for calendars and address books: segments of paths, kinds of components, their order. */
export async function up({ schema }: Db, { text, integer, table }: ColumnTypes): Promise<void> {
  await schema
    .createTable('dav_collections')
    .addColumn('collection_id', text, (column) => column.primaryKey().notNull())
    .addColumn('owner_id', text, (column) => column.notNull())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('segment', text, (column) => column.notNull())
    .addColumn('components', text, (column) => column.notNull())
    .addColumn('position', integer)
    .modifyEnd(table)
    .execute();
  await schema
    .createIndex('dav_collections_segment')
    .on('dav_collections')
    .columns(['owner_id', 'kind', 'segment'])
    .unique()
    .execute();
}
