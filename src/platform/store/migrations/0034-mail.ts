import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** E-mail: contents in encrypted blocks, the copies of members with what lists need, and deliveries to and from other nodes. */
export async function up({ schema }: Db, types: ColumnTypes): Promise<void> {
  const { text, integer, blob } = types;

  await schema
    .createTable('mail_contents')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('node_key', blob, (column) => column.notNull())
    .addColumn('sealed_layout', blob, (column) => column.notNull())
    .addColumn('size', integer, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .modifyEnd(types.table)
    .execute();
  await schema
    .createTable('mail_member_keys')
    .addColumn('member_id', text, (column) => column.notNull().references('members.id').onDelete('cascade'))
    .addColumn('number', integer, (column) => column.notNull())
    .addColumn('for_member', blob, (column) => column.notNull())
    .addColumn('for_node', blob, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('mail_member_keys_key', ['member_id', 'number'])
    .modifyEnd(types.keyedTable)
    .execute();
  await schema
    .createTable('mail_content_keys')
    .addColumn('content_id', text, (column) => column.notNull().references('mail_contents.id').onDelete('cascade'))
    .addColumn('member_id', text, (column) => column.notNull())
    .addColumn('key_number', integer, (column) => column.notNull())
    .addColumn('wrapped', blob, (column) => column.notNull())
    .addPrimaryKeyConstraint('mail_content_keys_key', ['content_id', 'member_id'])
    .modifyEnd(types.keyedTable)
    .execute();
  await schema
    .createTable('mail_parts')
    .addColumn('content_id', text, (column) => column.notNull().references('mail_contents.id').onDelete('cascade'))
    .addColumn('part', integer, (column) => column.notNull())
    .addColumn('piece', integer, (column) => column.notNull())
    .addColumn('hash', text, (column) => column.notNull())
    .addColumn('block_id', text)
    .addColumn('sealed', blob)
    .addColumn('size', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('mail_parts_key', ['content_id', 'part', 'piece'])
    .modifyEnd(types.table)
    .execute();
  await schema
    .createIndex('mail_parts_block')
    .on('mail_parts')
    .column('block_id')
    .where('block_id', 'is not', null)
    .execute();

  await schema
    .createTable('mail_boxes')
    .addColumn('member_id', text, (column) =>
      column.primaryKey().notNull().references('members.id').onDelete('cascade'),
    )
    .addColumn('modseq', integer, (column) => column.notNull())
    .modifyEnd(types.keyedTable)
    .execute();
  await schema
    .createTable('mail_mailboxes')
    .addColumn('member_id', text, (column) => column.notNull().references('members.id').onDelete('cascade'))
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('name_key', text, (column) => column.notNull())
    .addColumn('uid_validity', integer, (column) => column.notNull())
    .addColumn('uid_next', integer, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('mail_mailboxes_key', ['member_id', 'name'])
    .addUniqueConstraint('mail_mailboxes_name', ['member_id', 'name_key'])
    .modifyEnd(types.keyedTable)
    .execute();

  await schema
    .createTable('mail_items')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('member_id', text, (column) => column.notNull().references('members.id').onDelete('cascade'))
    .addColumn('content_id', text, (column) => column.notNull().references('mail_contents.id'))
    .addColumn('message_id', text, (column) => column.notNull())
    .addColumn('thread_id', text, (column) => column.notNull())
    .addColumn('folder', text, (column) => column.notNull())
    .addColumn('uid', integer, (column) => column.notNull())
    .addColumn('modseq', integer, (column) => column.notNull())
    .addColumn('seen', integer, (column) => column.notNull())
    .addColumn('flagged', integer, (column) => column.notNull())
    .addColumn('keywords', text, (column) => column.notNull())
    .addColumn('has_attachments', integer, (column) => column.notNull())
    .addColumn('from_key', text, (column) => column.notNull())
    .addColumn('subject', text, (column) => column.notNull())
    .addColumn('subject_key', text, (column) => column.notNull())
    .addColumn('dated_at', integer, (column) => column.notNull())
    .addColumn('received_at', integer, (column) => column.notNull())
    .addColumn('size', integer, (column) => column.notNull())
    .addColumn('sealed', blob, (column) => column.notNull())
    .addColumn('origin', text)
    .modifyEnd(types.table)
    .execute();
  const items = (name: string, ...columns: string[]) =>
    schema.createIndex(`mail_items_${name}`).on('mail_items').columns(columns);
  await items('date', 'member_id', 'folder', 'dated_at', 'id').execute();
  await items('seen', 'member_id', 'folder', 'seen', 'dated_at', 'id').execute();
  await items('sender', 'member_id', 'folder', 'from_key', 'dated_at', 'id').execute();
  await items('subject', 'member_id', 'folder', 'subject_key', 'id').execute();
  await items('size', 'member_id', 'folder', 'size', 'id').execute();
  await items('message', 'member_id', 'message_id').execute();
  await items('thread', 'member_id', 'thread_id').execute();
  await items('uid', 'member_id', 'folder', 'uid').unique().execute();
  await items('modseq', 'member_id', 'modseq').execute();
  await items('content', 'content_id').execute();
  await items('origin', 'member_id', 'origin').unique().where('origin', 'is not', null).execute();

  await schema
    .createTable('mail_item_labels')
    .addColumn('member_id', text, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('uid', integer, (column) => column.notNull())
    .addColumn('item_id', text, (column) => column.notNull().references('mail_items.id').onDelete('cascade'))
    .addPrimaryKeyConstraint('mail_item_labels_key', ['member_id', 'name', 'uid'])
    .modifyEnd(types.keyedTable)
    .execute();
  await schema
    .createIndex('mail_item_labels_item')
    .on('mail_item_labels')
    .columns(['item_id', 'name'])
    .unique()
    .execute();
  await schema
    .createTable('mail_removed')
    .addColumn('member_id', text, (column) => column.notNull().references('members.id').onDelete('cascade'))
    .addColumn('modseq', integer, (column) => column.notNull())
    .addColumn('item_id', text, (column) => column.notNull())
    .addColumn('removed_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('mail_removed_key', ['member_id', 'modseq', 'item_id'])
    .modifyEnd(types.keyedTable)
    .execute();
  await schema
    .createTable('mail_thread_ids')
    .addColumn('member_id', text, (column) => column.notNull().references('members.id').onDelete('cascade'))
    .addColumn('message_id', text, (column) => column.notNull())
    .addColumn('thread_id', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('mail_thread_ids_key', ['member_id', 'message_id'])
    .modifyEnd(types.keyedTable)
    .execute();
  await schema
    .createIndex('mail_thread_ids_thread')
    .on('mail_thread_ids')
    .columns(['member_id', 'thread_id'])
    .execute();

  await schema
    .createTable('mail_deliveries')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('sender_id', text, (column) => column.notNull().references('members.id').onDelete('cascade'))
    .addColumn('item_id', text, (column) => column.notNull())
    .addColumn('message_id', text, (column) => column.notNull())
    .addColumn('content_id', text, (column) => column.notNull().references('mail_contents.id'))
    .addColumn('number', integer, (column) => column.notNull())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('address', text, (column) => column.notNull())
    .addColumn('domain', text, (column) => column.notNull())
    .addColumn('status', text, (column) => column.notNull())
    .addColumn('node_id', text)
    .addColumn('offer_id', text)
    .addColumn('code', text)
    .addColumn('reason', text)
    .addColumn('send_at', integer, (column) => column.notNull())
    .addColumn('expires_at', integer, (column) => column.notNull())
    .addColumn('updated_at', integer, (column) => column.notNull())
    .modifyEnd(types.table)
    .execute();
  await schema.createIndex('mail_deliveries_item').on('mail_deliveries').columns(['item_id', 'number']).execute();
  await schema
    .createIndex('mail_deliveries_message')
    .on('mail_deliveries')
    .columns(['message_id', 'sender_id'])
    .execute();
  await schema.createIndex('mail_deliveries_content').on('mail_deliveries').columns(['content_id']).execute();
  await schema
    .createIndex('mail_deliveries_offer')
    .on('mail_deliveries')
    .column('offer_id')
    .where('offer_id', 'is not', null)
    .execute();
  await schema.createIndex('mail_deliveries_open').on('mail_deliveries').columns(['status', 'expires_at']).execute();

  await schema
    .createTable('mail_offers')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('node_id', text, (column) => column.notNull())
    .addColumn('content_id', text, (column) => column.notNull().references('mail_contents.id'))
    .addColumn('created_at', integer, (column) => column.notNull())
    .modifyEnd(types.table)
    .execute();
  await schema.createIndex('mail_offers_content').on('mail_offers').columns(['content_id', 'node_id']).execute();
  await schema
    .createTable('mail_arrivals')
    .addColumn('node_id', text, (column) => column.notNull())
    .addColumn('offer_id', text, (column) => column.notNull())
    .addColumn('offer', text, (column) => column.notNull())
    .addColumn('outcome', text)
    .addColumn('expires_at', integer, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('mail_arrivals_key', ['node_id', 'offer_id'])
    .modifyEnd(types.table)
    .execute();
  await schema
    .createIndex('mail_arrivals_waiting')
    .on('mail_arrivals')
    .columns(['node_id', 'created_at', 'outcome'])
    .where('outcome', 'is', null)
    .execute();
  await schema
    .createTable('mail_uploads')
    .addColumn('id', text, (column) => column.primaryKey().notNull().references('mail_contents.id').onDelete('cascade'))
    .addColumn('member_id', text, (column) => column.notNull().references('members.id').onDelete('cascade'))
    .addColumn('size', integer, (column) => column.notNull())
    .addColumn('expires_at', integer, (column) => column.notNull())
    .modifyEnd(types.table)
    .execute();
  await schema.createIndex('mail_uploads_expiry').on('mail_uploads').column('expires_at').execute();
  await schema
    .createTable('mail_rules')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('member_id', text, (column) => column.notNull().references('members.id').onDelete('cascade'))
    .addColumn('place', integer, (column) => column.notNull())
    .addColumn('sealed', blob, (column) => column.notNull())
    .modifyEnd(types.table)
    .execute();
  await schema.createIndex('mail_rules_member').on('mail_rules').columns(['member_id', 'place']).execute();
}
