import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** What a node remembers of the others between two runs. */
export async function up(db: Db, types: ColumnTypes): Promise<void> {
  const { text, integer, blob } = types;
  await db.schema
    .createTable('gossip_seen')
    .addColumn('id', text, (column) => column.notNull().primaryKey())
    .addColumn('expires_at', integer, (column) => column.notNull())
    .modifyEnd(types.keyedTable)
    .execute();
  await db.schema.createIndex('gossip_seen_expires_at').on('gossip_seen').column('expires_at').execute();

  await db.schema
    .createTable('gossip_recent')
    .addColumn('id', text, (column) => column.notNull().primaryKey())
    .addColumn('node_id', text, (column) => column.notNull())
    .addColumn('timestamp', integer, (column) => column.notNull())
    .addColumn('envelope', blob, (column) => column.notNull())
    .modifyEnd(types.table)
    .execute();
  await db.schema.createIndex('gossip_recent_timestamp').on('gossip_recent').column('timestamp').execute();

  await db.schema
    .createTable('gossip_addresses')
    .addColumn('node_id', text, (column) => column.notNull().primaryKey())
    .addColumn('timestamp', integer, (column) => column.notNull())
    .addColumn('envelope', blob, (column) => column.notNull())
    .modifyEnd(types.table)
    .execute();
}
