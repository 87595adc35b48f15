import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** Messages of the social network: requests, what was forwarded, what members delete from their own view, and reports. */
export async function up({ schema }: Db, { text, integer, blob, table }: ColumnTypes): Promise<void> {
  await schema.alterTable('conversations').addColumn('request', text).execute();
  await schema.alterTable('conversations').addColumn('picture_id', text).execute();
  await schema
    .alterTable('conversations')
    .addColumn('changed_at', integer, (column) => column.notNull().defaultTo(0))
    .execute();
  await schema
    .createIndex('conversations_picture')
    .on('conversations')
    .column('picture_id')
    .where('picture_id', 'is not', null)
    .execute();
  await schema
    .alterTable('conversation_places')
    .addColumn('closed', integer, (column) => column.notNull().defaultTo(0))
    .execute();
  await schema.alterTable('conversation_messages').addColumn('forwarded_from', text).execute();

  await schema
    .createTable('conversation_reports')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('message_id', text, (column) => column.notNull())
    .addColumn('conversation_id', text, (column) => column.notNull())
    .addColumn('sender_id', text, (column) => column.notNull())
    .addColumn('epoch', integer, (column) => column.notNull())
    .addColumn('revision', integer, (column) => column.notNull())
    .addColumn('sealed', blob, (column) => column.notNull())
    .addColumn('reporter_id', text, (column) => column.notNull())
    .addColumn('reason', text, (column) => column.notNull())
    .addColumn('status', text, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('reviewed_by', text)
    .addColumn('reviewed_at', integer)
    .modifyEnd(table)
    .execute();
  await schema
    .createIndex('conversation_reports_open')
    .on('conversation_reports')
    .columns(['message_id', 'reporter_id', 'status'])
    .execute();
  await schema
    .createIndex('conversation_reports_status')
    .on('conversation_reports')
    .columns(['status', 'id'])
    .execute();
  for (const column of ['reporter_id', 'sender_id', 'reviewed_by'] as const)
    await schema.createIndex(`conversation_reports_${column}`).on('conversation_reports').column(column).execute();
}
