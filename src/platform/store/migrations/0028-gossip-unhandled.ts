import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** Envelopes with announcements that this node has recorded and not handled yet. */
export async function up({ schema }: Db, { text, integer, keyedTable }: ColumnTypes): Promise<void> {
  await schema
    .createTable('gossip_unhandled')
    .addColumn('id', text, (column) => column.notNull().primaryKey())
    .addColumn('attempts', integer, (column) => column.notNull())
    .addColumn('next_at', integer, (column) => column.notNull())
    .addColumn('announcements', text)
    .modifyEnd(keyedTable)
    .execute();
}
