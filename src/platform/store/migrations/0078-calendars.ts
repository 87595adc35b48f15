import { sql } from 'kysely';
import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** Calendars of members: their events, sealed, and when these happen. */
export async function up({ schema }: Db, { text, integer, blob, table, keyedTable }: ColumnTypes): Promise<void> {
  await schema
    .createTable('calendars')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('owner_id', text, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('color', text, (column) => column.notNull())
    .addColumn('about', text, (column) => column.notNull())
    .addColumn('zone', text, (column) => column.notNull())
    .addColumn('is_default', integer, (column) => column.notNull())
    .addColumn('content_key', blob, (column) => column.notNull())
    .addColumn('change_seq', integer, (column) => column.notNull())
    .addColumn('forgotten_seq', integer, (column) => column.notNull())
    .addColumn('objects', integer, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('modified_at', integer, (column) => column.notNull())
    .modifyEnd(table)
    .execute();
  await schema.createIndex('calendars_owner').on('calendars').columns(['owner_id', 'id']).execute();
  await schema
    .createIndex('calendars_default')
    .on('calendars')
    .column('owner_id')
    .unique()
    .where(sql<boolean>`is_default = 1`)
    .execute();

  await schema
    .createTable('calendar_shares')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('calendar_id', text, (column) => column.notNull())
    .addColumn('granted_to', text, (column) => column.notNull())
    .addColumn('permission', text, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('expires_at', integer)
    .modifyEnd(table)
    .execute();
  await schema
    .createIndex('calendar_shares_member')
    .on('calendar_shares')
    .columns(['granted_to', 'calendar_id'])
    .unique()
    .execute();
  await schema.createIndex('calendar_shares_calendar').on('calendar_shares').column('calendar_id').execute();

  await schema
    .createTable('calendar_objects')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('calendar_id', text, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('uid_key', text, (column) => column.notNull())
    .addColumn('component', text, (column) => column.notNull())
    .addColumn('etag', text, (column) => column.notNull())
    .addColumn('change_seq', integer, (column) => column.notNull())
    .addColumn('visibility', text, (column) => column.notNull())
    .addColumn('bytes', integer, (column) => column.notNull())
    .addColumn('created_by', text, (column) => column.notNull())
    .addColumn('zones', text, (column) => column.notNull())
    .addColumn('written_from', integer)
    .addColumn('written_to', integer)
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('modified_at', integer, (column) => column.notNull())
    // They may be longer than a page of the file. What stands behind them is found slowly.
    .addColumn('sealed', blob, (column) => column.notNull())
    .addColumn('octets', blob)
    .modifyEnd(table)
    .execute();
  await schema
    .createIndex('calendar_objects_uid')
    .on('calendar_objects')
    .columns(['calendar_id', 'uid_key'])
    .unique()
    .execute();
  await schema
    .createIndex('calendar_objects_name')
    .on('calendar_objects')
    .columns(['calendar_id', 'name'])
    .unique()
    .execute();
  await schema
    .createIndex('calendar_objects_changes')
    .on('calendar_objects')
    .columns(['calendar_id', 'change_seq'])
    .execute();
  await schema
    .createIndex('calendar_objects_later')
    .on('calendar_objects')
    .columns(['calendar_id', 'written_to'])
    .where('written_to', 'is not', null)
    .execute();
  await schema
    .createIndex('calendar_objects_earlier')
    .on('calendar_objects')
    .columns(['calendar_id', 'written_from'])
    .where('written_from', 'is not', null)
    .execute();
  await schema
    .createIndex('calendar_objects_horizon')
    .on('calendar_objects')
    .columns(['written_to', 'id'])
    .where('written_to', 'is not', null)
    .execute();
  await schema.createIndex('calendar_objects_zones').on('calendar_objects').columns(['zones', 'id']).execute();

  await schema
    .createTable('event_instances')
    .addColumn('object_id', text, (column) => column.notNull())
    .addColumn('recurrence', integer, (column) => column.notNull())
    .addColumn('calendar_id', text, (column) => column.notNull())
    .addColumn('start_at', integer, (column) => column.notNull())
    .addColumn('end_at', integer, (column) => column.notNull())
    .addColumn('long', integer, (column) => column.notNull())
    .addColumn('opaque', integer, (column) => column.notNull())
    .addColumn('status', text, (column) => column.notNull())
    .addColumn('visibility', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('event_instances_key', ['object_id', 'recurrence'])
    .modifyEnd(keyedTable)
    .execute();
  await schema
    .createIndex('event_instances_time')
    .on('event_instances')
    .columns(['calendar_id', 'long', 'start_at', 'object_id', 'recurrence', 'end_at'])
    .execute();

  await schema
    .createTable('calendar_tombstones')
    .addColumn('calendar_id', text, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('object_id', text, (column) => column.notNull())
    .addColumn('change_seq', integer, (column) => column.notNull())
    .addColumn('deleted_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('calendar_tombstones_key', ['calendar_id', 'name'])
    .modifyEnd(keyedTable)
    .execute();
  await schema
    .createIndex('calendar_tombstones_changes')
    .on('calendar_tombstones')
    .columns(['calendar_id', 'change_seq'])
    .execute();
  await schema.createIndex('calendar_tombstones_time').on('calendar_tombstones').column('deleted_at').execute();

  await schema
    .createTable('calendar_imports')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('calendar_id', text, (column) => column.notNull())
    .addColumn('member_id', text, (column) => column.notNull())
    .addColumn('mode', text, (column) => column.notNull())
    .addColumn('state', text, (column) => column.notNull())
    .addColumn('total', integer, (column) => column.notNull())
    .addColumn('done', integer, (column) => column.notNull())
    .addColumn('bytes', integer, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('updated_at', integer, (column) => column.notNull())
    .addColumn('result', blob, (column) => column.notNull())
    .modifyEnd(table)
    .execute();
  await schema.createIndex('calendar_imports_calendar').on('calendar_imports').column('calendar_id').execute();
  await schema.createIndex('calendar_imports_time').on('calendar_imports').column('updated_at').execute();
  await schema
    .createTable('calendar_import_parts')
    .addColumn('import_id', text, (column) => column.notNull())
    .addColumn('part', integer, (column) => column.notNull())
    .addColumn('sealed', blob, (column) => column.notNull())
    .addPrimaryKeyConstraint('calendar_import_parts_key', ['import_id', 'part'])
    .modifyEnd(table)
    .execute();
}
