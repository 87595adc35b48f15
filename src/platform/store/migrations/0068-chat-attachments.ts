import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** Files that members attach to messages, in encrypted blocks, and which messages refer to them. */
export async function up({ schema }: Db, { text, integer, blob, table, keyedTable }: ColumnTypes): Promise<void> {
  await schema
    .createTable('conversation_attachments')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('owner_id', text, (column) => column.notNull())
    .addColumn('size', integer, (column) => column.notNull())
    .addColumn('expires_at', integer)
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('sealed', blob)
    .addColumn('message_count', integer, (column) => column.notNull())
    .modifyEnd(table)
    .execute();
  await schema
    .createIndex('conversation_attachments_expiry')
    .on('conversation_attachments')
    .columns(['expires_at', 'id'])
    .where('expires_at', 'is not', null)
    .execute();
  await schema
    .createIndex('conversation_attachments_owner')
    .on('conversation_attachments')
    .columns(['owner_id', 'expires_at'])
    .where('expires_at', 'is not', null)
    .execute();

  await schema
    .createTable('conversation_attachment_blocks')
    .addColumn('attachment_id', text, (column) => column.notNull())
    .addColumn('piece', integer, (column) => column.notNull())
    .addColumn('hash', text, (column) => column.notNull())
    .addColumn('block_id', text)
    .addColumn('sealed', blob)
    .addColumn('size', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('conversation_attachment_blocks_key', ['attachment_id', 'piece'])
    .modifyEnd(table)
    .execute();
  await schema
    .createIndex('conversation_attachment_blocks_block')
    .on('conversation_attachment_blocks')
    .column('block_id')
    .where('block_id', 'is not', null)
    .execute();

  await schema
    .createTable('conversation_message_attachments')
    .addColumn('message_id', text, (column) => column.notNull())
    .addColumn('attachment_id', text, (column) => column.notNull())
    .addColumn('member_id', text, (column) => column.notNull())
    .addColumn('bytes', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('conversation_message_attachments_key', ['message_id', 'attachment_id'])
    .modifyEnd(keyedTable)
    .execute();
  await schema
    .createIndex('conversation_message_attachments_attachment')
    .on('conversation_message_attachments')
    .column('attachment_id')
    .execute();
}
