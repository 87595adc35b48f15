import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** Tokens of members for programs that read and write in some of their rooms. */
export async function up({ schema }: Db, { text, integer, table, keyedTable }: ColumnTypes): Promise<void> {
  await schema
    .createTable('bot_tokens')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('member_id', text, (column) => column.notNull().references('members.id').onDelete('cascade'))
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('token_hash', text, (column) => column.notNull().unique())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('last_used_at', integer)
    .addColumn('expires_at', integer)
    .modifyEnd(table)
    .execute();
  await schema.createIndex('bot_tokens_member').on('bot_tokens').columns(['member_id', 'id']).execute();
  await schema
    .createIndex('bot_tokens_expiry')
    .on('bot_tokens')
    .column('expires_at')
    .where('expires_at', 'is not', null)
    .execute();
  await schema
    .createTable('bot_token_rooms')
    .addColumn('bot_id', text, (column) => column.notNull().references('bot_tokens.id').onDelete('cascade'))
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('room_id', text, (column) => column.notNull())
    .addColumn('member_id', text, (column) => column.notNull())
    .addColumn('may', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('bot_token_rooms_key', ['bot_id', 'room_id'])
    .modifyEnd(keyedTable)
    .execute();
  await schema
    .createIndex('bot_token_rooms_member')
    .on('bot_token_rooms')
    .columns(['kind', 'room_id', 'member_id'])
    .execute();
}
