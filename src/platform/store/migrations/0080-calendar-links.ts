import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** Secret addresses of calendars, and calendars that follow an address elsewhere. */
export async function up({ schema }: Db, { text, integer, blob, table, keyedTable }: ColumnTypes): Promise<void> {
  await schema
    .alterTable('calendars')
    .addColumn('subscribed', integer, (column) => column.notNull().defaultTo(0))
    .execute();

  await schema
    .createTable('calendar_links')
    .addColumn('calendar_id', text, (column) => column.notNull())
    .addColumn('detail', text, (column) => column.notNull())
    .addColumn('token_hash', text, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('expires_at', integer)
    .addPrimaryKeyConstraint('calendar_links_key', ['calendar_id', 'detail'])
    .modifyEnd(keyedTable)
    .execute();
  await schema.createIndex('calendar_links_token').on('calendar_links').column('token_hash').unique().execute();

  await schema
    .createTable('calendar_subscriptions')
    .addColumn('calendar_id', text, (column) => column.primaryKey().notNull())
    .addColumn('address', integer, (column) => column.notNull())
    .addColumn('every_ms', integer, (column) => column.notNull())
    .addColumn('next_at', integer, (column) => column.notNull())
    .addColumn('fetched_at', integer)
    .addColumn('changed_at', integer)
    .addColumn('failures', integer, (column) => column.notNull())
    .addColumn('error', text)
    .addColumn('left_out', integer, (column) => column.notNull())
    .addColumn('sealed', blob, (column) => column.notNull())
    .modifyEnd(table)
    .execute();

  await schema
    .createTable('calendar_fetch_pace')
    .addColumn('member_id', text, (column) => column.primaryKey().notNull())
    .addColumn('until_at', integer, (column) => column.notNull())
    .modifyEnd(table)
    .execute();
}
