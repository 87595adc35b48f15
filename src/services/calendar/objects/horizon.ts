import { performance } from 'node:perf_hooks';
import { transaction, type Context } from '../../../service/context.ts';
import { apart, type Apart } from '../../../service/sweep.ts';
import type { JobHandler } from '../../../platform/store/jobs/jobs.ts';
import { planJob, repeatJob } from '../../../platform/store/jobs/plans.ts';
import type { CalendarObjectRow, CalendarRow } from '../../../platform/store/tables/calendars.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import type { JcalComponent } from '../icalendar/jcal.ts';
import { planReminders } from '../reminders/plan.ts';
import { openContentKey } from '../own-calendars.ts';
import { openContent } from './content.ts';
import { replaceInstances } from './instance-rows.ts';
import { DAY, writtenInstances } from './instances.ts';
import { zonesOf, zonesOfObject, zonesVersion } from './known-zones.ts';

const horizonKind = 'calendar-horizon';

/** Objects whose instances are rows for less than this are due. They get about a month more, so that few are due on one day. */
const AHEAD_MS = 700 * DAY;
/** Objects that one look finds. */
const FOUND = 200;
/** A transaction takes no further object after so long: others wait for it, and no request gets its turn. */
const STEP_MS = 10;

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
    return [{ first: [-1, ''], find: async (db, [at]) => (await db.executeQuery(ofCalendar(calendarId, at))).rows }];
  const until = clock.now() + AHEAD_MS;
  const byZones = [byEarlierZones, byLaterZones].map((due): Look => ({
    first: ['', ''],
    find: async (db, [at, id]) => (await db.executeQuery(due(zonesVersion, at, id))).rows,
  }));
  return [
    ...byZones,
    {
      first: [Number.MIN_SAFE_INTEGER, ''],
      find: async (db, [at, id]) => (await db.executeQuery(byTime(until, at, id))).rows,
    },
  ];
}

/** Renews instances, some objects in each transaction. One that fails stops no other; what was renewed is not due any more. */
export function horizonHandler(ctx: Context): JobHandler {
  return async (payload, { signal }) => {
    const failures = apart(ctx, 'renewing when an event happens');
    for (const { first, find } of looksOf(ctx, payload as Partial<OfCalendar> | null))
      for (let after: Place | undefined = first; after !== undefined;) {
        const due: readonly Due[] = await find(ctx.db, after);
        for (const [calendarId, ids] of byCalendar(due))
          for (let done = 0; done < ids.length;) {
            signal.throwIfAborted();
            const left = ids.slice(done);
            done += await transaction(ctx, async (tx) => await renewSome(tx, calendarId, left, failures));
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

/** @returns how many of the objects are done */
async function renewSome(tx: Context, calendarId: string, ids: readonly string[], failures: Apart): Promise<number> {
  const begun = performance.now();
  const [calendar] = (await tx.db.executeQuery(lock(calendarId))).rows;
  if (calendar === undefined) return ids.length;
  const key = openContentKey(tx, calendar);
  try {
    let done = 0;
    while (done < ids.length && (done === 0 || performance.now() - begun < STEP_MS)) {
      const [row] = (await tx.db.executeQuery(byId(ids[done], calendarId))).rows;
      done += 1;
      if (row !== undefined) await renew(tx, calendar, key, row, failures);
    }
    return done;
  } finally {
    key.fill(0);
  }
}

async function renew(
  tx: Context,
  calendar: CalendarRow,
  key: Uint8Array,
  row: CalendarObjectRow,
  failures: Apart,
): Promise<void> {
  let renewed: ReturnType<typeof writtenInstances> | undefined;
  let object: JcalComponent | undefined;
  // Only reading it fails by itself; what the store refuses, it refuses for all.
  await failures.run({ objectId: row.id }, async () => {
    object = openContent(key, row);
    const zones = zonesOfObject(zonesOf(tx), calendar.zone, object);
    renewed = writtenInstances({ ...row, ownerId: calendar.owner_id }, object, zones, tx.clock.now());
  });
  if (renewed === undefined || object === undefined) return;
  await tx.db.executeQuery(note(zonesVersion, renewed.written_from, renewed.written_to, row.id));
  await replaceInstances(tx, row.id, renewed.rows);
  await planReminders(tx, calendar, row, object, renewed.rows);
}
