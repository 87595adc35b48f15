import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** What moderators do is kept for rooms of every kind. Until now hubs alone had it. */
export async function up({ schema }: Db, { text }: ColumnTypes): Promise<void> {
  await schema.dropIndex('social_hub_log_hub').execute();
  await schema.dropIndex('social_hub_log_subject').execute();
  await schema.alterTable('social_hub_log').renameTo('room_log').execute();
  for (const [before, after] of [
    ['hub_id', 'room_id'],
    ['moderator_id', 'actor_id'],
    ['post_id', 'item_id'],
  ] as const)
    await schema.alterTable('room_log').renameColumn(before, after).execute();
  await schema
    .alterTable('room_log')
    .addColumn('kind', text, (column) => column.notNull().defaultTo('hub'))
    .execute();
  await schema.createIndex('room_log_room').on('room_log').columns(['room_id', 'kind', 'id']).execute();
  await schema
    .createIndex('room_log_subject')
    .on('room_log')
    .columns(['subject_id', 'kind', 'room_id', 'id'])
    .execute();
}
