import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** A message that failed by itself waits by itself, so the oldest of a queue are those that are due first. */
export async function up({ schema }: Db, { integer }: ColumnTypes): Promise<void> {
  for (const name of ['tries', 'next_at'])
    await schema
      .alterTable('outbox_messages')
      .addColumn(name, integer, (column) => column.notNull().defaultTo(0))
      .execute();
  await schema.dropIndex('outbox_messages_queue').execute();
  await schema
    .createIndex('outbox_messages_due')
    .on('outbox_messages')
    .columns(['node_id', 'channel', 'next_at', 'place'])
    .execute();
}
