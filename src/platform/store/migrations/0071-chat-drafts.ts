import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** What members have written in conversations and not sent: drafts, and messages that are sent later. */
export async function up({ schema }: Db, { text, integer, blob, table }: ColumnTypes): Promise<void> {
  await schema
    .createTable('conversation_drafts')
    .addColumn('conversation_id', text, (column) => column.notNull())
    .addColumn('member_id', text, (column) => column.notNull())
    .addColumn('epoch', integer)
    .addColumn('sealed', blob, (column) => column.notNull())
    .addColumn('bytes', integer, (column) => column.notNull())
    .addColumn('updated_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('conversation_drafts_key', ['conversation_id', 'member_id'])
    .modifyEnd(table)
    .execute();
  await schema
    .createTable('conversation_scheduled')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('member_id', text, (column) => column.notNull())
    .addColumn('conversation_id', text, (column) => column.notNull())
    .addColumn('client_id', text)
    .addColumn('epoch', integer, (column) => column.notNull())
    .addColumn('sealed', blob)
    .addColumn('bytes', integer, (column) => column.notNull())
    .addColumn('send_at', integer, (column) => column.notNull())
    .addColumn('failed', text)
    .addColumn('created_at', integer, (column) => column.notNull())
    .modifyEnd(table)
    .execute();
  await schema
    .createIndex('conversation_scheduled_member')
    .on('conversation_scheduled')
    .columns(['member_id', 'send_at', 'id'])
    .execute();
  await schema
    .createIndex('conversation_scheduled_place')
    .on('conversation_scheduled')
    .columns(['conversation_id', 'member_id'])
    .execute();
}
