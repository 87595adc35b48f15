import { sql } from 'kysely';
import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** Channels besides the list in the program: push messages to browsers, and digests by e-mail. And who is behind a group. */
export async function up(db: Db, { text, integer, blob, table, keyedTable }: ColumnTypes): Promise<void> {
  const { schema } = db;
  await schema.alterTable('notifications').addColumn('actors', text).execute();
  await schema
    .alterTable('notifications')
    .addColumn('actor_count', integer, (column) => column.notNull().defaultTo(0))
    .execute();
  await schema
    .alterTable('notifications')
    .addColumn('digest', integer, (column) => column.notNull().defaultTo(0))
    .execute();
  await schema.alterTable('notifications').addColumn('pushed_at', integer).execute();
  await sql`update notifications set actor_count = 1 where actor_id is not null`.execute(db);
  // A group is of one type and one target, so one index finds groups and what is withdrawn.
  for (const name of ['notifications_group', 'notifications_target']) await schema.dropIndex(name).execute();
  await schema
    .createIndex('notifications_about')
    .on('notifications')
    .columns(['target_id', 'type', 'recipient_id'])
    .where('target_id', 'is not', null)
    .execute();
  await schema
    .createIndex('notifications_hidden')
    .on('notifications')
    .columns(['updated_at', 'held'])
    .where('held', '=', 2)
    .execute();

  // Each member may have a digest that waits for an hour. A look for jobs whose process is gone passes over them.
  await schema
    .createIndex('jobs_claimed')
    .on('jobs')
    .column('claimed_until')
    .where('claimed_until', 'is not', null)
    .execute();

  await schema
    .createTable('notification_actors')
    .addColumn('notification_id', text, (column) => column.notNull().references('notifications.id').onDelete('cascade'))
    .addColumn('actor_id', text, (column) => column.notNull())
    .addColumn('content', text, (column) => column.notNull())
    .addColumn('times', integer, (column) => column.notNull())
    .addColumn('at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('notification_actors_key', ['notification_id', 'actor_id'])
    .modifyEnd(keyedTable)
    .execute();
  await schema
    .createTable('notification_once')
    .addColumn('recipient_id', text, (column) => column.notNull().references('members.id').onDelete('cascade'))
    .addColumn('type', text, (column) => column.notNull())
    .addColumn('target_id', text, (column) => column.notNull())
    .addColumn('actor_id', text, (column) => column.notNull())
    .addColumn('withdrawn', integer, (column) => column.notNull())
    .addColumn('at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('notification_once_key', ['recipient_id', 'type', 'target_id', 'actor_id'])
    .modifyEnd(keyedTable)
    .execute();
  await schema.createIndex('notification_once_at').on('notification_once').column('at').execute();

  await schema
    .createTable('absence_reminders')
    .addColumn('member_id', text, (column) =>
      column.primaryKey().notNull().references('members.id').onDelete('cascade'),
    )
    .addColumn('reminded_at', integer, (column) => column.notNull())
    .modifyEnd(keyedTable)
    .execute();

  await schema
    .createTable('push_subscriptions')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('member_id', text, (column) => column.notNull().references('members.id').onDelete('cascade'))
    .addColumn('session_id', text, (column) => column.notNull().references('sessions.id').onDelete('cascade'))
    .addColumn('endpoint_tag', text, (column) => column.notNull())
    .addColumn('origin', text, (column) => column.notNull())
    .addColumn('sealed', blob, (column) => column.notNull())
    .addColumn('user_agent', text, (column) => column.notNull())
    .addColumn('failures', integer, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('pushed_at', integer)
    .modifyEnd(table)
    .execute();
  await schema
    .createIndex('push_subscriptions_member')
    .unique()
    .on('push_subscriptions')
    .columns(['member_id', 'endpoint_tag'])
    .execute();
  await schema.createIndex('push_subscriptions_session').on('push_subscriptions').column('session_id').execute();
}
