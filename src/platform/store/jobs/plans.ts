import type { Db } from '../database.ts';
import { insertRows } from '../written-query.ts';
import { readSchedule, tellOfJob } from './job-rows.ts';
import { assertSchedule, nextMoment, type Daily, type Every, type Schedule } from './schedule.ts';

/** A job under an id that the planner chooses. The id names the subject, so that the job can be found again. */
interface Planned {
  readonly id: string;
  readonly kind: string;
  /** stored as JSON */
  readonly payload: unknown;
  readonly now: number;
}

export interface PlannedOnce extends Planned {
  /** milliseconds since 1970; a job whose time has passed runs at once */
  readonly runAt: number;
}

export interface PlannedAgain extends Planned {
  /** a period counts from the moment when it was first planned, unless `from` is given */
  readonly schedule: Daily | (Omit<Every, 'from'> & Partial<Every>);
}

/**
 * Plans a job for a moment, or moves it there if it is planned already; this counts once the transaction of `db` is committed. If the job
 * is running at that time, it runs again afterwards. The current run has no effect if it writes its end and its effect in one transaction.
 */
export async function planJob(db: Db, job: PlannedOnce): Promise<void> {
  await planJobs(db, [job]);
}

/** The same for jobs of different ids, with one statement. */
export async function planJobs(db: Db, jobs: readonly PlannedOnce[]): Promise<void> {
  await put(db, jobs.map(onceRow));
}

/** Plans jobs of different ids, except those that are planned already, with one statement. */
export async function planMissing(db: Db, jobs: readonly PlannedOnce[]): Promise<void> {
  await put(db, jobs.map(onceRow), 'on conflict (id) do nothing');
}

function onceRow({ id, kind, payload, runAt, now }: PlannedOnce): PlannedRow {
  return { id, kind, payload: JSON.stringify(payload), run_at: runAt, schedule: null, created_at: now };
}

/**
 * Plans a repeated job. Planning the same job again changes nothing, so every process may do it at every start. If no process ran for a
 * while, the job runs once, however many times it missed, and then follows its schedule.
 * @throws RangeError for an invalid schedule
 */
export async function repeatJob(db: Db, { id, kind, payload, schedule, now }: PlannedAgain): Promise<void> {
  const there = await db
    .selectFrom('jobs')
    .select(['kind', 'payload', 'schedule'])
    .where('id', '=', id)
    .executeTakeFirst();
  const before = scheduleBefore(there?.schedule ?? null);
  const wanted = complete(schedule, before, now);
  assertSchedule(wanted);
  const row = { id, kind, payload: JSON.stringify(payload), schedule: JSON.stringify(wanted) };
  if (there?.kind === kind && there.payload === row.payload && there.schedule === row.schedule) return;
  await put(db, [{ ...row, run_at: nextMoment(wanted, now), created_at: now }]);
}

/** As `cancelJob`, for several. */
export async function cancelJobs(db: Db, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await db.deleteFrom('jobs').where('id', 'in', ids).execute();
}

/** @returns whether the job existed; it may be running, and its end then has no effect, as with `planJob` */
export async function cancelJob(db: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('jobs').where('id', '=', id).executeTakeFirstOrThrow();
  return numDeletedRows === 1n;
}

/** Waits for a transaction that is replacing or cancelling the job, and keeps others from doing so until the transaction of `db` ends. */
export async function lockJob(db: Db, id: string): Promise<void> {
  await db
    .updateTable('jobs')
    .set((row) => ({ run_at: row.ref('run_at') }))
    .where('id', '=', id)
    .execute();
}

/** What can't be read is replaced. */
function scheduleBefore(text: string | null): Schedule | undefined {
  try {
    return readSchedule(text);
  } catch {
    return undefined;
  }
}

interface PlannedRow {
  readonly id: string;
  readonly kind: string;
  readonly payload: string;
  readonly run_at: number;
  readonly schedule: string | null;
  readonly created_at: number;
}

const replacing = `on conflict (id) do update set kind = excluded.kind, payload = excluded.payload, run_at = excluded.run_at,
  schedule = excluded.schedule, attempts = 0, deaths = 0, claimed_until = null, claim = null, last_error = null`;

/** In the order of ids, so that two who plan the same ones wait for each other, and never both. */
async function put(db: Db, planned: readonly PlannedRow[], ending = replacing): Promise<void> {
  const fresh = { attempts: 0, deaths: 0, claimed_until: null, claim: null, last_error: null };
  const rows = planned.map((row) => ({ ...row, ...fresh })).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  await insertRows(db, 'jobs', rows, ending);
  const waits = new Map<string, number>();
  for (const { kind, run_at: runAt, created_at: now } of planned)
    waits.set(kind, Math.min(waits.get(kind) ?? Infinity, runAt - now));
  for (const [kind, wait] of waits) await tellOfJob(db, kind, wait);
}

/** Gives equal schedules the same JSON, whatever the order of their fields. */
function complete(schedule: PlannedAgain['schedule'], before: Schedule | undefined, now: number): Schedule {
  if (!('everyMs' in schedule)) return { at: schedule.at, timeZone: schedule.timeZone };
  const since = before !== undefined && 'everyMs' in before && before.everyMs === schedule.everyMs ? before.from : now;
  return { everyMs: schedule.everyMs, from: schedule.from ?? since };
}
