import type { Db } from '../database.ts';
import { notify } from '../signals.ts';
import { jobsChannel } from './job-rows.ts';
import { assertSchedule, nextMoment, type Daily, type Every, type Schedule } from './schedule.ts';

/** What is planned under an id, which whoever plans it makes: one that says what it is about, so that it can be found again. */
interface Planned {
  readonly id: string;
  readonly kind: string;
  /** kept as JSON */
  readonly payload: unknown;
  readonly now: number;
}

export interface PlannedOnce extends Planned {
  /** milliseconds since 1970; what lies in the past runs at once */
  readonly runAt: number;
}

export interface PlannedAgain extends Planned {
  /** a period counts from the moment when it was planned first unless it says another */
  readonly schedule: Daily | (Omit<Every, 'from'> & Partial<Every>);
}

/**
 * Has something run at a moment, or at this one instead of the one that it had, once the transaction of `db` is committed. Where it is
 * running already, that counts for nothing if its end is written in the transaction of its effect, and it runs again.
 */
export async function planJob(db: Db, { id, kind, payload, runAt, now }: PlannedOnce): Promise<void> {
  await put(db, { id, kind, payload: JSON.stringify(payload), run_at: runAt, schedule: null, created_at: now });
}

/**
 * Has something run again and again. The same as it is there already changes nothing, so every start of every process may say it.
 * However many times were missed while nobody ran, it runs once and goes on with the schedule.
 * @throws RangeError for a schedule that is none
 */
export async function repeatJob(db: Db, { id, kind, payload, schedule, now }: PlannedAgain): Promise<void> {
  const there = await db
    .selectFrom('jobs')
    .select(['kind', 'payload', 'schedule'])
    .where('id', '=', id)
    .executeTakeFirst();
  const before = there?.schedule == null ? undefined : (JSON.parse(there.schedule) as Schedule);
  const wanted = complete(schedule, before, now);
  assertSchedule(wanted);
  const row = { id, kind, payload: JSON.stringify(payload), schedule: JSON.stringify(wanted) };
  if (there?.kind === kind && there.payload === row.payload && there.schedule === row.schedule) return;
  await put(db, { ...row, run_at: nextMoment(wanted, now), created_at: now });
}

/** @returns whether it was there: it may be running, and its end then counts for nothing as with `planJob` */
export async function cancelJob(db: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('jobs').where('id', '=', id).executeTakeFirstOrThrow();
  return numDeletedRows === 1n;
}

/** Waits for whoever is just replacing or cancelling a job, and keeps others from it until the transaction of `db` ends. */
export async function lockJob(db: Db, id: string): Promise<void> {
  await db
    .updateTable('jobs')
    .set((row) => ({ run_at: row.ref('run_at') }))
    .where('id', '=', id)
    .execute();
}

interface PlannedRow {
  readonly id: string;
  readonly kind: string;
  readonly payload: string;
  readonly run_at: number;
  readonly schedule: string | null;
  readonly created_at: number;
}

async function put(db: Db, row: PlannedRow): Promise<void> {
  const fresh = { attempts: 0, claimed_until: null, claim: null, last_error: null };
  const { id: _id, created_at: _created, ...changed } = row;
  await db
    .insertInto('jobs')
    .values({ ...row, ...fresh })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ ...changed, ...fresh }))
    .execute();
  await notify(db, jobsChannel, row.kind);
}

/** In one spelling, whatever the order of what was given. */
function complete(schedule: PlannedAgain['schedule'], before: Schedule | undefined, now: number): Schedule {
  if (!('everyMs' in schedule)) return { at: schedule.at, timeZone: schedule.timeZone };
  const since = before !== undefined && 'everyMs' in before && before.everyMs === schedule.everyMs ? before.from : now;
  return { everyMs: schedule.everyMs, from: schedule.from ?? since };
}
