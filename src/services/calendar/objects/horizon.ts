import { performance } from 'node:perf_hooks';
import { transaction, type Context } from '../../../service/context.ts';
import { apart, type Apart } from '../../../service/sweep.ts';
import type { JobHandler } from '../../../platform/store/jobs/jobs.ts';
import { planJob, repeatJob } from '../../../platform/store/jobs/plans.ts';
import type { CalendarReminderRow } from '../../../platform/store/tables/calendar-invitations.ts';
import type { CalendarObjectRow, CalendarRow } from '../../../platform/store/tables/calendars.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { hasReminders, remindersFor, replaceReminders } from '../reminders/plan.ts';
import { openContentKey } from '../own-calendars.ts';
import { openContent } from './content.ts';
import { DAY } from '../recurrence/civil.ts';
import { renewal, writtenInstances, type Renewal } from './instances.ts';
import { zonesOf, zonesOfObject, zonesVersion } from './known-zones.ts';
import { replaceInstances, runsOfObject } from './run-rows.ts';
import { instancesOf } from './runs.ts';

const horizonKind = 'calendar-horizon';

/** Objects whose instances are rows for less than this are due. They get about a month more, so that few are due on one day. */
const AHEAD_MS = 700 * DAY;
/** Objects that one look finds. */
const FOUND = 200;
/** A transaction does nothing further after so long, so that it ends within about 10 ms: others wait for it, and no request gets its turn. */
const STEP_MS = 5;
/** Rows of one object that go in one piece of work. */
const FORGOTTEN = 300;

/** Has the instances of all objects renewed once a day. Every process may plan it at any time. */
export async function planHorizon({ store, clock }: Context): Promise<void> {
  const job = { id: horizonKind, kind: horizonKind, payload: null, schedule: { everyMs: DAY } };
  await store.transaction(async (db) => await repeatJob(db, { ...job, now: clock.now() }));
}

interface OfCalendar {
  readonly calendarId: string;
}

/** Has the instances of a calendar computed anew, after the commit that gives it another zone. */
export async function planNewZone({ db, clock }: Pick<Context, 'db' | 'clock'>, calendarId: string): Promise<void> {
  const now = clock.now();
  const payload: OfCalendar = { calendarId };
  await planJob(db, { id: `${horizonKind}/${calendarId}`, kind: horizonKind, payload, runAt: now, now });
}

/** An object that is due, with its place among those. */
interface Due extends Pick<CalendarObjectRow, 'id' | 'calendar_id'> {
  readonly at: string | number;
}

/** Where the next look begins. */
type Place = readonly [at: string | number, id: string];

interface Look {
  /** Zones have changed: no row is kept. */
  readonly anew: boolean;
  readonly first: Place;
  readonly find: (db: Context['db'], after: Place) => Promise<readonly Due[]>;
}

const dueBy = (column: 'zones' | 'written_to', is: '<' | '>') =>
  writtenQuery<Due>(`
    select id, calendar_id, ${column} as at from calendar_objects
    where ${column} ${is} $1 and (${column}, id) > ($2, $3) order by ${column}, id limit ${FOUND}`);
const byTime = dueBy('written_to', '<');
const byEarlierZones = dueBy('zones', '<');
const byLaterZones = dueBy('zones', '>');
const ofCalendar = writtenQuery<Due>(`
  select id, calendar_id, change_seq as at from calendar_objects
  where calendar_id = $1 and change_seq > $2 order by change_seq limit ${FOUND}`);

function looksOf({ clock }: Context, payload: Partial<OfCalendar> | null): Look[] {
  const calendarId = payload?.calendarId;
  if (calendarId !== undefined)
    return [
      {
        anew: true,
        first: [-1, ''],
        find: async (db, [at]) => (await db.executeQuery(ofCalendar(calendarId, at))).rows,
      },
    ];
  const until = clock.now() + AHEAD_MS;
  const byZones = [byEarlierZones, byLaterZones].map((due): Look => ({
    anew: true,
    first: ['', ''],
    find: async (db, [at, id]) => (await db.executeQuery(due(zonesVersion, at, id))).rows,
  }));
  return [
    ...byZones,
    {
      anew: false,
      first: [Number.MIN_SAFE_INTEGER, ''],
      find: async (db, [at, id]) => (await db.executeQuery(byTime(until, at, id))).rows,
    },
  ];
}

interface Todo {
  readonly id: string;
  readonly anew: boolean;
}

/** Renews instances, some in each transaction. An object that fails stops no other; what was renewed is not due any more. */
export function horizonHandler(ctx: Context): JobHandler {
  return async (payload, { signal }) => {
    const failures = apart(ctx, 'renewing when an event happens');
    for (const { anew, first, find } of looksOf(ctx, payload as Partial<OfCalendar> | null))
      for (let after: Place | undefined = first; after !== undefined;) {
        const due: readonly Due[] = await find(ctx.db, after);
        for (const [calendarId, ids] of byCalendar(due)) {
          let left: readonly Todo[] = ids.map((id) => ({ id, anew }));
          while (left.length > 0) {
            signal.throwIfAborted();
            const next: readonly Todo[] = left;
            left = await transaction(ctx, async (tx) => await renewSome(tx, calendarId, next, failures));
          }
        }
        const last = due.at(-1);
        after = due.length < FOUND || last === undefined ? undefined : [last.at, last.id];
      }
    failures.end();
  };
}

function byCalendar(due: readonly Due[]): Map<string, string[]> {
  const ids = new Map<string, string[]>();
  for (const { id, calendar_id: calendarId } of due) ids.set(calendarId, [...(ids.get(calendarId) ?? []), id]);
  return ids;
}

// Whoever changes an object of the calendar waits, or was before.
const lock = writtenQuery<CalendarRow>('update calendars set change_seq = change_seq where id = $1 returning *');
const byId = writtenQuery<CalendarObjectRow>('select * from calendar_objects where id = $1 and calendar_id = $2');
const note = writtenQuery('update calendar_objects set zones = $1, written_from = $2, written_to = $3 where id = $4');

/** @returns what is left to do */
async function renewSome(
  tx: Context,
  calendarId: string,
  todo: readonly Todo[],
  failures: Apart,
): Promise<readonly Todo[]> {
  const begun = performance.now();
  const [calendar] = (await tx.db.executeQuery(lock(calendarId))).rows;
  if (calendar === undefined) return [];
  const key = openContentKey(tx, calendar);
  try {
    let left = todo;
    do {
      const [next, ...others] = left;
      if (next === undefined) return [];
      const [row] = (await tx.db.executeQuery(byId(next.id, calendarId))).rows;
      const rest = row === undefined ? undefined : await renew(tx, calendar, key, { row, anew: next.anew }, failures);
      left = rest === undefined ? others : [rest, ...others];
    } while (performance.now() - begun < STEP_MS);
    return left;
  } finally {
    key.fill(0);
  }
}

const reachTo = writtenQuery('update calendar_objects set written_to = $1 where id = $2');

/** @returns what is left to do for the object */
async function renew(
  tx: Context,
  calendar: CalendarRow,
  key: Uint8Array,
  { row, anew }: { readonly row: CalendarObjectRow; readonly anew: boolean },
  failures: Apart,
): Promise<Todo | undefined> {
  const now = tx.clock.now();
  const { id } = row;
  const runs = await runsOfObject(tx, id);
  const instances = runs.flatMap((run) => instancesOf(run));
  const last = anew ? runs.at(-1 - FORGOTTEN) : undefined;
  if (last !== undefined) {
    // Many rows go piece by piece, the last ones first: what is behind them is computed meanwhile.
    const earlier = instances.filter(({ start_at: at }) => at < last.start_at);
    await replaceInstances(tx, id, earlier, runs);
    await tx.db.executeQuery(reachTo(last.start_at, id));
    return { id, anew };
  }
  let renewed: Renewal | undefined;
  let reminders: CalendarReminderRow[] | undefined;
  // Only reading it fails by itself; what the store refuses, it refuses for all.
  await failures.run({ objectId: id }, async () => {
    const object = openContent(key, row);
    const zones = zonesOfObject(zonesOf(tx), calendar.zone, object);
    const place = { ...row, ownerId: calendar.owner_id };
    renewed = renewal(place, object, zones, { now, instances, anew });
    // Otherwise they are at the times at which they were, and the next ones are written in their turn.
    if (anew && hasReminders(object))
      reminders = remindersFor(tx, calendar, id, object, writtenInstances(place, object, zones, now).rows);
  });
  if (renewed === undefined) return undefined;
  const { kept, rows, written_from: first, written_to: reached, more } = renewed;
  await tx.db.executeQuery(note(zonesVersion, first, reached, id));
  await replaceInstances(tx, id, [...kept, ...rows], runs);
  if (reminders !== undefined) await replaceReminders(tx, id, reminders);
  return more ? { id, anew: false } : undefined;
}
