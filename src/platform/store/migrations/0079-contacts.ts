import { sql } from 'kysely';
import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** Address books of members, and their contacts, sealed. */
export async function up({ schema }: Db, { text, integer, blob, table, keyedTable }: ColumnTypes): Promise<void> {
  await schema
    .createTable('contact_books')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('owner_id', text, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('about', text, (column) => column.notNull())
    .addColumn('is_default', integer, (column) => column.notNull())
    .addColumn('content_key', blob, (column) => column.notNull())
    .addColumn('change_seq', integer, (column) => column.notNull())
    .addColumn('forgotten_seq', integer, (column) => column.notNull())
    .addColumn('cards', integer, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('modified_at', integer, (column) => column.notNull())
    .modifyEnd(table)
    .execute();
  await schema.createIndex('contact_books_owner').on('contact_books').columns(['owner_id', 'id']).execute();
  await schema
    .createIndex('contact_books_default')
    .on('contact_books')
    .column('owner_id')
    .unique()
    .where(sql<boolean>`is_default = 1`)
    .execute();

  await schema
    .createTable('contact_cards')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('book_id', text, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('uid_key', text, (column) => column.notNull())
    .addColumn('etag', text, (column) => column.notNull())
    .addColumn('change_seq', integer, (column) => column.notNull())
    .addColumn('bytes', integer, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('modified_at', integer, (column) => column.notNull())
    .addColumn('summary', blob, (column) => column.notNull())
    .addColumn('octets', blob, (column) => column.notNull())
    .modifyEnd(table)
    .execute();
  await schema.createIndex('contact_cards_uid').on('contact_cards').columns(['book_id', 'uid_key']).unique().execute();
  await schema.createIndex('contact_cards_name').on('contact_cards').columns(['book_id', 'name']).unique().execute();
  await schema.createIndex('contact_cards_changes').on('contact_cards').columns(['book_id', 'change_seq']).execute();

  await schema
    .createTable('contact_tombstones')
    .addColumn('book_id', text, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('card_id', text, (column) => column.notNull())
    .addColumn('change_seq', integer, (column) => column.notNull())
    .addColumn('deleted_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('contact_tombstones_key', ['book_id', 'name'])
    .modifyEnd(keyedTable)
    .execute();
  await schema
    .createIndex('contact_tombstones_changes')
    .on('contact_tombstones')
    .columns(['book_id', 'change_seq'])
    .execute();
  await schema.createIndex('contact_tombstones_time').on('contact_tombstones').column('deleted_at').execute();
}
