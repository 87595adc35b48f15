import type { Context } from '../../../service/context.ts';
import type { EventRunRow } from '../../../platform/store/tables/calendars.ts';
import { insertRows, writtenList, writtenQuery } from '../../../platform/store/written-query.ts';
import { instancesOf, runsOf, type EventInstance } from './runs.ts';

/** Rows of one statement, of several objects and of one. Widths are few, so that each text is read and planned once. */
const TOGETHER = 16;
const widths = [16, 4] as const;

/** What the rows of most series have alike. */
const alike = ['object_id', 'calendar_id', 'duration', 'step', 'long', 'opaque', 'status', 'visibility'] as const;
const own = ['recurrence', 'start_at', 'end_at'] as const;

/** Their common values are bound once: a third of the time of inserting each with its own. */
const insertOf = new Map(widths.map((width) => [width, writtenQuery(insertText(width))]));

function insertText(width: number): string {
  const marks = alike.map((_, index) => `$${index + 1}`);
  const tuples = Array.from({ length: width }, (_, row) => {
    const further = own.map((_column, index) => `$${alike.length + row * own.length + index + 1}`);
    return `(${[...marks, ...further].join(', ')})`;
  });
  return `insert into event_runs (${[...alike, ...own].join(', ')}) values ${tuples.join(', ')}`;
}

export async function insertInstances(ctx: Pick<Context, 'db'>, instances: readonly EventInstance[]): Promise<void> {
  await insertRuns(ctx, runsOf(instances));
}

async function insertRuns({ db }: Pick<Context, 'db'>, runs: readonly EventRunRow[]): Promise<void> {
  const others: EventRunRow[] = [];
  for (const some of thoseAlike(runs)) {
    let at = 0;
    const [first] = some;
    if (first === undefined) continue;
    const common = alike.map((column) => first[column]);
    for (const [width, insert] of insertOf)
      for (; some.length - at >= width; at += width) {
        const parameters: unknown[] = [...common];
        for (let row = at; row < at + width; row += 1) {
          const { recurrence, start_at: start, end_at: end } = some[row] as EventRunRow;
          parameters.push(recurrence, start, end);
        }
        await db.executeQuery(insert(...parameters));
      }
    others.push(...some.slice(at));
  }
  for (let at = 0; at < others.length; at += TOGETHER)
    await insertRows(db, 'event_runs', others.slice(at, at + TOGETHER));
}

/** Rows in their order, those together that differ in nothing but their times. */
function thoseAlike(rows: readonly EventRunRow[]): EventRunRow[][] {
  const found: EventRunRow[][] = [];
  let latest: EventRunRow[] = [];
  for (const row of rows) {
    const [first] = latest;
    if (first === undefined || alike.some((column) => row[column] !== first[column])) {
      latest = [];
      found.push(latest);
    }
    latest.push(row);
  }
  return found;
}

const ofObject = writtenQuery<EventRunRow>(
  'select * from event_runs where object_id = $1 order by start_at, recurrence',
);

/** The runs of an object, by their begin. */
export async function runsOfObject({ db }: Pick<Context, 'db'>, objectId: string): Promise<EventRunRow[]> {
  return (await db.executeQuery(ofObject(objectId))).rows;
}

const around = writtenQuery<EventRunRow>(`
  select * from event_runs
  where object_id = $1 and recurrence <= $2 and recurrence + end_at - duration - start_at >= $2`);

/** The instance that its rule put at a moment, if it is in a row. */
export async function instanceAt(
  { db }: Pick<Context, 'db'>,
  objectId: string,
  recurrence: number,
): Promise<EventInstance | undefined> {
  const { rows } = await db.executeQuery(around(objectId, recurrence));
  return rows.flatMap((run) => instancesOf(run)).find((instance) => instance.recurrence === recurrence);
}

const removeSome = writtenList(1, (times) => `delete from event_runs where object_id = $1 and recurrence in ${times}`);

/**
 * Writes what differs of the instances of an object: most changes leave most of a long series as it is.
 * @param there its rows, if they were read already
 */
export async function replaceInstances(
  ctx: Pick<Context, 'db'>,
  objectId: string,
  instances: readonly EventInstance[],
  there?: readonly EventRunRow[],
): Promise<void> {
  const before = there ?? (await runsOfObject(ctx, objectId));
  const wanted = new Map(runsOf(instances).map((run) => [run.recurrence, run]));
  const stale: number[] = [];
  for (const row of before) {
    const run = wanted.get(row.recurrence);
    if (run !== undefined && isSame(run, row)) wanted.delete(run.recurrence);
    else stale.push(row.recurrence);
  }
  if (stale.length > 0 && stale.length === before.length) await removeInstances(ctx, objectId);
  else if (stale.length > 0) await ctx.db.executeQuery(removeSome(stale, objectId));
  await insertRuns(ctx, [...wanted.values()]);
}

const remove = writtenQuery('delete from event_runs where object_id = $1');

export async function removeInstances({ db }: Pick<Context, 'db'>, objectId: string): Promise<void> {
  await db.executeQuery(remove(objectId));
}

function isSame(one: EventRunRow, other: EventRunRow): boolean {
  return (Object.keys(one) as (keyof EventRunRow)[]).every((column) => one[column] === other[column]);
}
