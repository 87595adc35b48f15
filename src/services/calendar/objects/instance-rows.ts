import type { Context } from '../../../service/context.ts';
import type { EventInstanceRow } from '../../../platform/store/tables/calendars.ts';
import { insertRows, writtenList, writtenQuery } from '../../../platform/store/written-query.ts';

/** Rows of one statement. */
const TOGETHER = 16;

export async function insertInstances({ db }: Pick<Context, 'db'>, rows: readonly EventInstanceRow[]): Promise<void> {
  for (let at = 0; at < rows.length; at += TOGETHER)
    await insertRows(db, 'event_instances', rows.slice(at, at + TOGETHER));
}

const ofObject = writtenQuery<EventInstanceRow>('select * from event_instances where object_id = $1');
const removeSome = writtenList(
  1,
  (times) => `delete from event_instances where object_id = $1 and recurrence in ${times}`,
);

/** Writes what differs of the instances of an object: most changes leave most of a long series as it is. */
export async function replaceInstances(
  { db }: Pick<Context, 'db'>,
  objectId: string,
  rows: readonly EventInstanceRow[],
): Promise<void> {
  const there = await db.executeQuery(ofObject(objectId));
  const wanted = new Map(rows.map((row) => [row.recurrence, row]));
  const stale: number[] = [];
  for (const before of there.rows) {
    const row = wanted.get(before.recurrence);
    if (row !== undefined && isSame(row, before)) wanted.delete(row.recurrence);
    else stale.push(before.recurrence);
  }
  if (stale.length === there.rows.length) await removeInstances({ db }, objectId);
  else if (stale.length > 0) await db.executeQuery(removeSome(stale, objectId));
  await insertInstances({ db }, [...wanted.values()]);
}

const remove = writtenQuery('delete from event_instances where object_id = $1');

export async function removeInstances({ db }: Pick<Context, 'db'>, objectId: string): Promise<void> {
  await db.executeQuery(remove(objectId));
}

const forget = writtenQuery(`
  delete from event_instances where object_id = $1 and (end_at < $2 or (end_at = $2 and start_at < $2))`);

/** Removes instances that are over at a moment. */
export async function forgetInstances({ db }: Pick<Context, 'db'>, objectId: string, before: number): Promise<void> {
  await db.executeQuery(forget(objectId, before));
}

const forgetFrom = writtenQuery('delete from event_instances where object_id = $1 and start_at >= $2');

/** Removes instances that begin at a moment or later. */
export async function forgetLater({ db }: Pick<Context, 'db'>, objectId: string, from: number): Promise<void> {
  await db.executeQuery(forgetFrom(objectId, from));
}

function isSame(one: EventInstanceRow, other: EventInstanceRow): boolean {
  return (Object.keys(one) as (keyof EventInstanceRow)[]).every((column) => one[column] === other[column]);
}
