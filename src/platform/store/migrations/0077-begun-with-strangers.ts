import { sql } from 'kysely';
import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** Whether a conversation was begun with strangers. Only such ones count to those that a member may begin in an hour. */
export async function up(db: Db, { integer }: ColumnTypes): Promise<void> {
  const { schema } = db;
  await schema
    .alterTable('conversations')
    .addColumn('begun_with_strangers', integer, (column) => column.notNull().defaultTo(0))
    .execute();
  // Of those that there are nobody knows it any more. They go on counting as they did, and channels never have.
  await sql`update conversations set begun_with_strangers = 1 where type <> 'channel'`.execute(db);
  await schema.dropIndex('conversations_begun').execute();
  await schema
    .createIndex('conversations_begun')
    .on('conversations')
    .columns(['created_by', 'created_at'])
    .where(sql<boolean>`begun_with_strangers = 1`)
    .execute();
}
