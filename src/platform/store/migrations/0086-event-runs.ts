import { sql } from 'kysely';
import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

const DAY = 86_400_000;

/**
 * Instances of an object that follow each other in equal steps are one row, for each eight weeks: a series of one event a week had 157, and has
 * some twenty. What there was goes over one by one; the job that renews instances brings together what belongs together, because it finds no
 * version of time zones.
 */
export async function up(db: Db, { text, integer, keyedTable }: ColumnTypes): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('event_runs')
    .addColumn('object_id', text, (column) => column.notNull())
    .addColumn('recurrence', integer, (column) => column.notNull())
    .addColumn('calendar_id', text, (column) => column.notNull())
    .addColumn('start_at', integer, (column) => column.notNull())
    .addColumn('end_at', integer, (column) => column.notNull())
    .addColumn('duration', integer, (column) => column.notNull())
    .addColumn('step', integer, (column) => column.notNull())
    .addColumn('long', integer, (column) => column.notNull())
    .addColumn('opaque', integer, (column) => column.notNull())
    .addColumn('status', text, (column) => column.notNull())
    .addColumn('visibility', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('event_runs_key', ['object_id', 'recurrence'])
    .modifyEnd(keyedTable)
    .execute();
  await sql`insert into event_runs
    (object_id, recurrence, calendar_id, start_at, end_at, duration, step, long, opaque, status, visibility)
    select object_id, recurrence, calendar_id, start_at, end_at, end_at - start_at, 1, long, opaque, status, visibility
    from event_instances`.execute(db);
  await schema.dropTable('event_instances').execute();
  await schema
    .createIndex('event_runs_time')
    .on('event_runs')
    .expression(
      sql`calendar_id, long, (start_at / ${sql.lit(56 * DAY)}), object_id, recurrence, start_at, end_at, duration, step`,
    )
    .execute();
  await sql`update calendar_objects set zones = ''`.execute(db);
}
