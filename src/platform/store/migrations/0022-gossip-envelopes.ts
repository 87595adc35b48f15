import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/**
 * Announcements travel in envelopes of several, with one row for what was seen and what is kept. Envelopes of the form before can't be
 * read any more: they were kept for a day at most, and nodes tell their addresses again when they connect.
 */
export async function up(db: Db, { text, integer, blob, table }: ColumnTypes): Promise<void> {
  await db.schema.dropTable('gossip_recent').execute();
  await db.schema.dropTable('gossip_seen').execute();
  await db.deleteFrom('gossip_addresses').execute();
  await db.schema
    .createTable('gossip_envelopes')
    .addColumn('id', text, (column) => column.notNull().primaryKey())
    .addColumn('timestamp', integer, (column) => column.notNull())
    .addColumn('kept_until', integer, (column) => column.notNull())
    .addColumn('expires_at', integer, (column) => column.notNull())
    .addColumn('envelope', blob)
    .modifyEnd(table)
    .execute();
  await db.schema.createIndex('gossip_envelopes_expires_at').on('gossip_envelopes').column('expires_at').execute();
}
