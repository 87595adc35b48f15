import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** Addresses at which programs write into rooms. */
export async function up({ schema }: Db, { text, integer, table }: ColumnTypes): Promise<void> {
  await schema
    .createTable('room_hooks')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('room_id', text, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('token_hash', text, (column) => column.notNull().unique())
    .addColumn('created_by', text, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('busy_until', integer, (column) => column.notNull())
    .modifyEnd(table)
    .execute();
  await schema.createIndex('room_hooks_maker').on('room_hooks').columns(['kind', 'room_id', 'created_by']).execute();
  await schema.createIndex('room_hooks_member').on('room_hooks').column('created_by').execute();
  await schema.alterTable('conversation_messages').addColumn('hook_id', text).execute();
}
