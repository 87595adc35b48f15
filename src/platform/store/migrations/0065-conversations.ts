import { sql } from 'kysely';
import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** Conversations of members: messages under keys of rooms, and what each member has in a conversation. */
export async function up(db: Db, { text, integer, blob, table, keyedTable }: ColumnTypes): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('conversations')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('type', text, (column) => column.notNull())
    .addColumn('mode', text, (column) => column.notNull())
    .addColumn('pair', text)
    .addColumn('name', text)
    .addColumn('name_key', text)
    .addColumn('topic', text)
    .addColumn('visibility', text)
    .addColumn('history_visible', integer, (column) => column.notNull())
    .addColumn('created_by', text, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('last_seq', integer, (column) => column.notNull())
    .addColumn('active_at', integer, (column) => column.notNull())
    .addColumn('told_at', integer, (column) => column.notNull())
    .addColumn('noticed_seq', integer, (column) => column.notNull())
    .modifyEnd(table)
    .execute();
  await schema
    .createIndex('conversations_pair')
    .on('conversations')
    .column('pair')
    .unique()
    .where('pair', 'is not', null)
    .execute();
  await schema
    .createIndex('conversations_name')
    .on('conversations')
    .column('name_key')
    .unique()
    .where('name_key', 'is not', null)
    .execute();
  await schema
    .createIndex('conversations_begun')
    .on('conversations')
    .columns(['created_by', 'type', 'created_at'])
    .execute();

  await schema
    .createTable('conversation_places')
    .addColumn('conversation_id', text, (column) => column.notNull())
    .addColumn('member_id', text, (column) => column.notNull())
    .addColumn('joined_seq', integer, (column) => column.notNull())
    .addColumn('left_seq', integer)
    .addColumn('cleared_seq', integer, (column) => column.notNull())
    .addColumn('read_seq', integer, (column) => column.notNull())
    .addColumn('read_at', integer)
    .addColumn('level', text)
    .addColumn('muted_until', integer)
    .addColumn('pinned', integer, (column) => column.notNull())
    .addColumn('archived', integer, (column) => column.notNull())
    .addColumn('busy_until', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('conversation_places_key', ['conversation_id', 'member_id'])
    .modifyEnd(keyedTable)
    .execute();
  await schema
    .createIndex('conversation_places_member')
    .on('conversation_places')
    .columns(['member_id', 'archived', 'conversation_id'])
    .execute();

  // A text may be longer than a page of the file, so the rows lie beside their key.
  await schema
    .createTable('conversation_messages')
    .addColumn('conversation_id', text, (column) => column.notNull())
    .addColumn('seq', integer, (column) => column.notNull())
    .addColumn('id', text, (column) => column.notNull())
    .addColumn('sender_id', text, (column) => column.notNull())
    .addColumn('client_id', text)
    .addColumn('reply_to_id', text)
    .addColumn('epoch', integer, (column) => column.notNull())
    .addColumn('revision', integer, (column) => column.notNull())
    .addColumn('sealed', blob)
    .addColumn('bytes', integer, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('edited_at', integer)
    .addColumn('deleted_at', integer)
    .addPrimaryKeyConstraint('conversation_messages_key', ['conversation_id', 'seq'])
    .modifyEnd(table)
    .execute();
  await schema.createIndex('conversation_messages_id').on('conversation_messages').column('id').unique().execute();
  await schema
    .createIndex('conversation_messages_client')
    .on('conversation_messages')
    .columns(['conversation_id', 'sender_id', 'client_id'])
    .unique()
    .where('client_id', 'is not', null)
    .execute();

  await schema
    .createTable('conversation_edits')
    .addColumn('message_id', text, (column) => column.notNull())
    .addColumn('revision', integer, (column) => column.notNull())
    .addColumn('epoch', integer, (column) => column.notNull())
    .addColumn('sealed', blob, (column) => column.notNull())
    .addColumn('edited_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('conversation_edits_key', ['message_id', 'revision'])
    .modifyEnd(table)
    .execute();

  await schema
    .createTable('conversation_reactions')
    .addColumn('message_id', text, (column) => column.notNull())
    .addColumn('emoji', text, (column) => column.notNull())
    .addColumn('member_id', text, (column) => column.notNull())
    .addColumn('id', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('conversation_reactions_key', ['message_id', 'emoji', 'member_id'])
    .modifyEnd(keyedTable)
    .execute();
  await schema.createIndex('conversation_reactions_id').on('conversation_reactions').column('id').unique().execute();

  await schema
    .createTable('conversation_pins')
    .addColumn('conversation_id', text, (column) => column.notNull())
    .addColumn('message_id', text, (column) => column.notNull())
    .addColumn('pinned_by', text, (column) => column.notNull())
    .addColumn('pinned_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('conversation_pins_key', ['conversation_id', 'message_id'])
    .modifyEnd(keyedTable)
    .execute();

  await schema
    .createTable('conversation_mentions')
    .addColumn('conversation_id', text, (column) => column.notNull())
    .addColumn('member_id', text, (column) => column.notNull())
    .addColumn('seq', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('conversation_mentions_key', ['conversation_id', 'member_id', 'seq'])
    .modifyEnd(keyedTable)
    .execute();

  // Until now it was the moment of joining that decided what members of encrypted hubs hear again.
  await schema
    .alterTable('room_members')
    .addColumn('heard_from', integer, (column) => column.notNull().defaultTo(0))
    .execute();
  await sql`
    update room_members set heard_from = coalesce(
      (select max(e.seq) from events e where e.topic = 'hub:' || room_members.room_id and e.created_at <= room_members.joined_at), 0)
    where kind = 'hub' and room_id in (select id from social_hubs where trust_tier = 'encrypted')`.execute(db);
}
