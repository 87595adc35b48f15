import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** Conversations that only their members can read: keys that members make and sign, and messages that their senders sign. */
export async function up({ schema }: Db, { text, integer, blob }: ColumnTypes): Promise<void> {
  await schema
    .alterTable('room_key_heads')
    .addColumn('closed', integer, (column) => column.notNull().defaultTo(0))
    .execute();
  await schema.alterTable('room_key_epochs').addColumn('author_id', text).execute();
  await schema.alterTable('room_key_epochs').addColumn('member_ids', text).execute();
  await schema.alterTable('room_key_epochs').addColumn('signature', blob).execute();
  await schema.alterTable('conversation_messages').addColumn('signature', blob).execute();
  await schema.alterTable('conversation_messages').addColumn('files', blob).execute();
  await schema.alterTable('conversation_edits').addColumn('signature', blob).execute();
}
