import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** The keys that the members of a room share, one after another. */
export async function up({ schema }: Db, { text, integer, blob, keyedTable }: ColumnTypes): Promise<void> {
  await schema
    .createTable('room_key_heads')
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('room_id', text, (column) => column.notNull())
    .addColumn('epoch', integer, (column) => column.notNull())
    .addColumn('key_id', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('room_key_heads_key', ['kind', 'room_id'])
    .modifyEnd(keyedTable)
    .execute();

  await schema
    .createTable('room_key_epochs')
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('room_id', text, (column) => column.notNull())
    .addColumn('epoch', integer, (column) => column.notNull())
    .addColumn('key_id', text, (column) => column.notNull())
    .addColumn('reason', text, (column) => column.notNull())
    .addColumn('members_digest', text, (column) => column.notNull())
    .addColumn('is_open', integer, (column) => column.notNull())
    .addColumn('for_node', blob, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('room_key_epochs_key', ['kind', 'room_id', 'epoch'])
    .modifyEnd(keyedTable)
    .execute();

  await schema
    .createTable('room_key_members')
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('room_id', text, (column) => column.notNull())
    .addColumn('member_id', text, (column) => column.notNull())
    .addColumn('since', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('room_key_members_key', ['kind', 'room_id', 'member_id'])
    .modifyEnd(keyedTable)
    .execute();

  // All wraps of an epoch are written together, so they lie together.
  await schema
    .createTable('room_key_wraps')
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('room_id', text, (column) => column.notNull())
    .addColumn('epoch', integer, (column) => column.notNull())
    .addColumn('member_id', text, (column) => column.notNull())
    .addColumn('wrapped', blob, (column) => column.notNull())
    .addPrimaryKeyConstraint('room_key_wraps_key', ['kind', 'room_id', 'epoch', 'member_id'])
    .modifyEnd(keyedTable)
    .execute();
}
