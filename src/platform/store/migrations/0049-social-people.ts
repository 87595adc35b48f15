import { sql } from 'kysely';
import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** What members say of themselves, and who follows whom. */
export async function up({ schema }: Db, { text, integer, keyedTable }: ColumnTypes): Promise<void> {
  const texts = { location: '', website: '', approve_mode: 'approve_none', privacy: '{}' };
  for (const [column, initial] of Object.entries(texts)) {
    await schema
      .alterTable('social_profiles')
      .addColumn(column, text, (is) => is.notNull().defaultTo(initial))
      .execute();
  }
  for (const column of ['protected', 'verified', 'follower_count', 'following_count', 'post_count']) {
    await schema
      .alterTable('social_profiles')
      .addColumn(column, integer, (is) => is.notNull().defaultTo(0))
      .execute();
  }

  await schema
    .createTable('social_follows')
    .addColumn('follower_id', text, (column) => column.notNull().references('members.id').onDelete('cascade'))
    .addColumn('followee_id', text, (column) => column.notNull().references('members.id').onDelete('cascade'))
    .addColumn('requested', integer, (column) => column.notNull())
    .addColumn('message', text, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('social_follows_key', ['follower_id', 'followee_id'])
    .modifyEnd(keyedTable)
    .execute();
  await schema
    .createIndex('social_follows_followers')
    .on('social_follows')
    .columns(['followee_id', 'follower_id'])
    .where(sql<boolean>`requested = 0`)
    .execute();
  await schema
    .createIndex('social_follows_requests')
    .on('social_follows')
    .columns(['followee_id', 'created_at', 'follower_id'])
    .where(sql<boolean>`requested = 1`)
    .execute();
}
