import type { Context } from '../../../service/context.ts';
import type { EventInstanceRow } from '../../../platform/store/tables/calendars.ts';
import { insertRows, writtenList, writtenQuery } from '../../../platform/store/written-query.ts';

/** Rows of one statement, of several objects and of one. Widths are few, so that each text is read and planned once. */
const TOGETHER = 16;
const widths = [64, 16, 4] as const;

/** What the rows of most series have alike. */
const alike = ['object_id', 'calendar_id', 'long', 'opaque', 'status', 'visibility'] as const;
const own = ['recurrence', 'start_at', 'end_at'] as const;

/** Their common values are bound once: a third of the time of inserting each with its own. */
const insertOf = new Map(widths.map((width) => [width, writtenQuery(insertText(width))]));

function insertText(width: number): string {
  const marks = alike.map((_, index) => `$${index + 1}`);
  const tuples = Array.from({ length: width }, (_, row) => {
    const further = own.map((_column, index) => `$${alike.length + row * own.length + index + 1}`);
    return `(${[...marks, ...further].join(', ')})`;
  });
  return `insert into event_instances (${[...alike, ...own].join(', ')}) values ${tuples.join(', ')}`;
}

export async function insertInstances({ db }: Pick<Context, 'db'>, rows: readonly EventInstanceRow[]): Promise<void> {
  const others: EventInstanceRow[] = [];
  for (const some of runsOf(rows)) {
    let at = 0;
    const [first] = some;
    if (first === undefined) continue;
    const common = alike.map((column) => first[column]);
    for (const [width, insert] of insertOf)
      for (; some.length - at >= width; at += width) {
        const parameters: unknown[] = [...common];
        for (let row = at; row < at + width; row += 1) {
          const { recurrence, start_at: start, end_at: end } = some[row] as EventInstanceRow;
          parameters.push(recurrence, start, end);
        }
        await db.executeQuery(insert(...parameters));
      }
    others.push(...some.slice(at));
  }
  for (let at = 0; at < others.length; at += TOGETHER)
    await insertRows(db, 'event_instances', others.slice(at, at + TOGETHER));
}

/** Rows in their order, those together that differ in nothing but their times. */
function runsOf(rows: readonly EventInstanceRow[]): EventInstanceRow[][] {
  const runs: EventInstanceRow[][] = [];
  let run: EventInstanceRow[] = [];
  for (const row of rows) {
    const [first] = run;
    if (first === undefined || alike.some((column) => row[column] !== first[column])) {
      run = [];
      runs.push(run);
    }
    run.push(row);
  }
  return runs;
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
