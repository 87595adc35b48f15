import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** Where the history of a conversation begins for those who join it, and the key under which its words are searched. */
export async function up({ schema }: Db, { integer, blob }: ColumnTypes): Promise<void> {
  await schema
    .alterTable('conversations')
    .addColumn('open_from', integer, (column) => column.notNull().defaultTo(0))
    .execute();
  await schema.alterTable('conversations').addColumn('search_epoch', integer).execute();
  await schema.alterTable('conversations').addColumn('search_key', blob).execute();
  await schema
    .createIndex('room_invites_maker')
    .on('room_invites')
    .columns(['kind', 'room_id', 'created_by'])
    .execute();
}
