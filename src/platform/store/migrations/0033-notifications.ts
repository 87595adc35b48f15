import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** What members should know of, and which of that they want. */
export async function up({ schema }: Db, { text, integer, table, keyedTable }: ColumnTypes): Promise<void> {
  await schema
    .createTable('notifications')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('recipient_id', text, (column) => column.notNull().references('members.id').onDelete('cascade'))
    .addColumn('type', text, (column) => column.notNull())
    .addColumn('category', text, (column) => column.notNull())
    .addColumn('actor_id', text)
    .addColumn('target_id', text)
    .addColumn('group_key', text, (column) => column.notNull())
    .addColumn('content', text, (column) => column.notNull())
    .addColumn('count', integer, (column) => column.notNull())
    .addColumn('is_read', integer, (column) => column.notNull())
    .addColumn('held', integer, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('updated_at', integer, (column) => column.notNull())
    .modifyEnd(table)
    .execute();
  await schema
    .createIndex('notifications_recipient')
    .on('notifications')
    .columns(['recipient_id', 'updated_at', 'id'])
    .execute();
  await schema.createIndex('notifications_group').on('notifications').columns(['recipient_id', 'group_key']).execute();
  await schema.createIndex('notifications_target').on('notifications').columns(['target_id', 'type']).execute();

  await schema
    .createTable('notification_preferences')
    .addColumn('member_id', text, (column) =>
      column.primaryKey().notNull().references('members.id').onDelete('cascade'),
    )
    .addColumn('categories', text, (column) => column.notNull())
    .addColumn('channels', text, (column) => column.notNull())
    .addColumn('quiet_enabled', integer, (column) => column.notNull())
    .addColumn('quiet_start', text, (column) => column.notNull())
    .addColumn('quiet_end', text, (column) => column.notNull())
    .addColumn('quiet_zone', text, (column) => column.notNull())
    .addColumn('dnd_enabled', integer, (column) => column.notNull())
    .addColumn('dnd_until', integer)
    .addColumn('sound', integer, (column) => column.notNull())
    .addColumn('updated_at', integer, (column) => column.notNull())
    .modifyEnd(keyedTable)
    .execute();
}
