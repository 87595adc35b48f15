import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** Messages for single nodes, what became of them, and what came from other nodes. */
export async function up({ schema }: Db, { text, integer, table, keyedTable }: ColumnTypes): Promise<void> {
  await schema
    .createTable('outbox_messages')
    .addColumn('place', text, (column) => column.notNull().primaryKey())
    .addColumn('node_id', text, (column) => column.notNull())
    .addColumn('channel', text, (column) => column.notNull())
    .addColumn('id', text, (column) => column.notNull())
    .addColumn('body', text, (column) => column.notNull())
    .addColumn('body_hash', text, (column) => column.notNull())
    .addColumn('size', integer, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('expires_at', integer, (column) => column.notNull())
    .addColumn('sent_at', integer)
    .modifyEnd(table)
    .execute();
  const messages = (name: string) => schema.createIndex(`outbox_messages_${name}`).on('outbox_messages');
  await messages('id').columns(['node_id', 'channel', 'id']).unique().execute();
  await messages('queue').columns(['node_id', 'channel', 'place']).execute();
  await messages('expires_at').column('expires_at').execute();

  await schema
    .createTable('outbox_queues')
    .addColumn('node_id', text, (column) => column.notNull())
    .addColumn('channel', text, (column) => column.notNull())
    .addColumn('attempts', integer, (column) => column.notNull())
    .addColumn('next_at', integer, (column) => column.notNull())
    .addColumn('code', text, (column) => column.notNull())
    .addColumn('reason', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('outbox_queues_pkey', ['node_id', 'channel'])
    .modifyEnd(keyedTable)
    .execute();

  await schema
    .createTable('outbox_outcomes')
    .addColumn('node_id', text, (column) => column.notNull())
    .addColumn('channel', text, (column) => column.notNull())
    .addColumn('id', text, (column) => column.notNull())
    .addColumn('outcome', text, (column) => column.notNull())
    .addColumn('receipt', text)
    .addColumn('settled_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('outbox_outcomes_pkey', ['node_id', 'channel', 'id'])
    .modifyEnd(table)
    .execute();
  await schema.createIndex('outbox_outcomes_settled_at').on('outbox_outcomes').column('settled_at').execute();

  await schema
    .createTable('inbox_messages')
    .addColumn('node_id', text, (column) => column.notNull())
    .addColumn('channel', text, (column) => column.notNull())
    .addColumn('id', text, (column) => column.notNull())
    .addColumn('body_hash', text, (column) => column.notNull())
    .addColumn('receipt', text, (column) => column.notNull())
    .addColumn('keep_until', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('inbox_messages_pkey', ['node_id', 'channel', 'id'])
    .modifyEnd(table)
    .execute();
  await schema.createIndex('inbox_messages_keep_until').on('inbox_messages').column('keep_until').execute();
}
