import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

export async function up({ schema }: Db, { text, integer, table, keyedTable }: ColumnTypes): Promise<void> {
  await schema
    .createTable('event_topics')
    .addColumn('topic', text, (column) => column.primaryKey().notNull())
    .addColumn('last_seq', integer, (column) => column.notNull())
    .addColumn('touched_at', integer, (column) => column.notNull())
    .modifyEnd(keyedTable)
    .execute();
  await schema.createIndex('event_topics_touched_at').on('event_topics').column('touched_at').execute();
  await schema
    .createTable('events')
    .addColumn('topic', text, (column) => column.notNull())
    .addColumn('seq', integer, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('data', text, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('events_pkey', ['topic', 'seq'])
    .modifyEnd(table)
    .execute();
  await schema.createIndex('events_created_at').on('events').column('created_at').execute();
  await schema
    .createTable('socket_tickets')
    .addColumn('ticket_hash', text, (column) => column.primaryKey().notNull())
    .addColumn('session_id', text, (column) => column.notNull().references('sessions.id').onDelete('cascade'))
    .addColumn('expires_at', integer, (column) => column.notNull())
    .modifyEnd(keyedTable)
    .execute();
  // Tickets go with their session.
  await schema.createIndex('socket_tickets_session_id').on('socket_tickets').column('session_id').execute();
}
