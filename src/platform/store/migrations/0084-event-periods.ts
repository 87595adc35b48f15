import { sql } from 'kysely';
import type { Db } from '../database.ts';

const DAY = 86_400_000;

/**
 * Instances are found by the four weeks in which they begin, and stand there by their objects. By their begin alone, each one of a series
 * stood between those of others, so that a series changed a page of the index for each. Those of at most a day are a kind of their own: most
 * are, and a range looks back only so far for them.
 */
export async function up(db: Db): Promise<void> {
  await db.schema.dropIndex('event_instances_time').execute();
  await sql`update event_instances set long = case
    when end_at - start_at > ${sql.lit(31 * DAY)} then 2 when end_at - start_at > ${sql.lit(DAY)} then 1 else 0 end`.execute(
    db,
  );
  await db.schema
    .createIndex('event_instances_time')
    .on('event_instances')
    .expression(sql`calendar_id, long, (start_at / ${sql.lit(28 * DAY)}), object_id, recurrence, start_at, end_at`)
    .execute();
}
