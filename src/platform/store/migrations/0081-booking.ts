import { sql } from 'kysely';
import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** Booking pages of members, what guests have booked, and the time of hosts that it takes. */
export async function up({ schema }: Db, { text, integer, blob, table, keyedTable }: ColumnTypes): Promise<void> {
  await schema
    .createTable('booking_pages')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('owner_id', text, (column) => column.notNull())
    .addColumn('slug', text, (column) => column.notNull())
    .addColumn('active', integer, (column) => column.notNull())
    .addColumn('content_key', blob, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('modified_at', integer, (column) => column.notNull())
    .addColumn('deleted_at', integer)
    .addColumn('sealed', blob, (column) => column.notNull())
    .modifyEnd(table)
    .execute();
  await schema.createIndex('booking_pages_slug').on('booking_pages').column('slug').unique().execute();
  await schema.createIndex('booking_pages_owner').on('booking_pages').columns(['owner_id', 'id']).execute();
  await schema
    .createIndex('booking_pages_deleted')
    .on('booking_pages')
    .column('deleted_at')
    .where('deleted_at', 'is not', null)
    .execute();

  await schema
    .createTable('appointments')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('host_id', text, (column) => column.notNull())
    .addColumn('page_id', text, (column) => column.notNull())
    .addColumn('type_id', text, (column) => column.notNull())
    .addColumn('status', text, (column) => column.notNull())
    .addColumn('start_at', integer, (column) => column.notNull())
    .addColumn('end_at', integer, (column) => column.notNull())
    .addColumn('busy_from', integer, (column) => column.notNull())
    .addColumn('busy_to', integer, (column) => column.notNull())
    .addColumn('seat', integer)
    .addColumn('calendar_id', text, (column) => column.notNull())
    .addColumn('object_id', text, (column) => column.notNull())
    .addColumn('token_hash', text, (column) => column.notNull())
    .addColumn('request_hash', text)
    .addColumn('guest_key', text, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('modified_at', integer, (column) => column.notNull())
    .addColumn('sealed', blob, (column) => column.notNull())
    .modifyEnd(table)
    .execute();
  const held = sql<boolean>`seat is not null`;
  await schema
    .createIndex('appointments_seat')
    .on('appointments')
    .columns(['type_id', 'start_at', 'seat'])
    .unique()
    .where(held)
    .execute();
  await schema
    .createIndex('appointments_request')
    .on('appointments')
    .column('request_hash')
    .unique()
    .where(sql<boolean>`request_hash is not null`)
    .execute();
  await schema
    .createIndex('appointments_busy')
    .on('appointments')
    .columns(['host_id', 'busy_from'])
    .where(held)
    .execute();
  await schema.createIndex('appointments_host').on('appointments').columns(['host_id', 'start_at', 'id']).execute();
  await schema.createIndex('appointments_page').on('appointments').columns(['page_id', 'created_at']).execute();
  await schema
    .createIndex('appointments_guest')
    .on('appointments')
    .columns(['page_id', 'guest_key', 'end_at'])
    .where(held)
    .execute();
  await schema.createIndex('appointments_end').on('appointments').column('end_at').execute();

  await schema
    .createTable('booking_cells')
    .addColumn('host_id', text, (column) => column.notNull())
    .addColumn('cell', integer, (column) => column.notNull())
    .addColumn('type_id', text, (column) => column.notNull())
    .addColumn('start_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('booking_cells_key', ['host_id', 'cell'])
    .modifyEnd(keyedTable)
    .execute();
  await schema.createIndex('booking_cells_time').on('booking_cells').column('cell').execute();
}
