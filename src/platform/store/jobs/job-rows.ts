import { sql } from 'kysely';
import type { Database, Db } from '../database.ts';
import { perEngine } from '../per-engine.ts';
import { notify } from '../signals.ts';
import { assertSchedule, nextMoment, type Schedule } from './schedule.ts';

/** The channel of the signal that a job has come. It names the kind. */
export const jobsChannel = 'jobs';
/** The longest time between two looks at the jobs: a signal can be lost, and the clocks of two machines differ. */
export const longestPauseMs = 30_000;

/** A process extends its claim on a job within this time. Otherwise another process may take the job. */
export const leaseMs = 60_000;
/** A job gives up after this many failures, or ends of its process, in a row. Its row stays, with the last error, for the operator. */
export const maximumAttempts = 20;
/** The due time of a job that gave up after the last attempt. */
export const never = Number.MAX_SAFE_INTEGER;

const firstDelayMs = 1_000;
const longestDelayMs = 60 * 60 * 1000;
const errorLength = 500;

/** Has all processes look at the jobs, once the transaction of `db` is committed. Those due later are found at the next look anyway. */
export async function tellOfJob(db: Db, kind: string, waitMs: number): Promise<void> {
  if (waitMs < longestPauseMs) await notify(db, jobsChannel, kind);
}

/** A job that this process holds. */
export interface ClaimedJob {
  readonly id: string;
  readonly kind: string;
  readonly payload: unknown;
  /** counts from 1 */
  readonly attempt: number;
  /** those of them that failed, and this one */
  readonly tries: number;
  /** how often in a row its process ended while it ran */
  readonly deaths: number;
  /** differs from every other claim */
  readonly claim: string;
  /** undefined for a job that runs once */
  readonly schedule: Schedule | undefined;
  /** why its payload or its schedule can't be read; such a job never runs */
  readonly unreadable?: string;
}

/**
 * Claims due jobs of the given kinds, the longest due first. Only one process gets each job.
 * @param claim a text that no other claim uses
 */
export async function claimJobs(
  database: Database,
  kinds: readonly string[],
  now: number,
  limit: number,
  claim: string,
): Promise<ClaimedJob[]> {
  if (kinds.length === 0) return [];
  const rows = await database.db
    .updateTable('jobs')
    .set((row) => {
      const isFree = row.case().when('claimed_until', 'is', null);
      return {
        claimed_until: now + leaseMs,
        claim,
        attempts: isFree
          .then(row('attempts', '+', 1))
          .else(row.ref('attempts'))
          .end(),
        // The claim of a process has run out, so it has ended.
        deaths: isFree
          .then(row.ref('deaths'))
          .else(row('deaths', '+', 1))
          .end(),
      };
    })
    .where('id', 'in', (from) =>
      from
        .selectFrom('jobs')
        .select('id')
        .where('kind', 'in', kinds)
        .where('run_at', '<=', now)
        .where((row) => row.or([row('claimed_until', 'is', null), row('claimed_until', '<=', now)]))
        .orderBy('run_at')
        .orderBy('id')
        .limit(limit)
        // A process skips the rows that another process has locked, so none waits for another.
        .modifyEnd(perEngine({ sqljs: sql``, postgres: sql`for update skip locked` })),
    )
    .returning(['id', 'kind', 'payload', 'attempts', 'deaths', 'run_at', 'schedule'])
    .execute();
  rows.sort((a, b) => a.run_at - b.run_at || (a.id < b.id ? -1 : 1));
  return rows.map(({ id, kind, payload, attempts: tries, deaths, schedule }) =>
    Object.assign(read(payload, schedule), { id, kind, attempt: tries + deaths, tries, deaths, claim }),
  );
}

/** A row that somebody damaged must not keep the others that were claimed with it. */
function read(payload: string, schedule: string | null): Pick<ClaimedJob, 'payload' | 'schedule' | 'unreadable'> {
  try {
    return { payload: JSON.parse(payload) as unknown, schedule: readSchedule(schedule) };
  } catch (error) {
    return { payload: undefined, schedule: undefined, unreadable: String(error) };
  }
}

/** @throws SyntaxError, TypeError or RangeError for a text that is no schedule */
export function readSchedule(text: string | null): Schedule | undefined {
  if (text === null) return undefined;
  const schedule = JSON.parse(text) as Schedule;
  assertSchedule(schedule);
  return schedule;
}

/** When the next job of these kinds can be claimed, if there is one. */
export async function nextJobAt(db: Db, kinds: readonly string[]): Promise<number | undefined> {
  if (kinds.length === 0) return undefined;
  const waiting = await db
    .selectFrom('jobs')
    .select('run_at as at')
    .where('kind', 'in', kinds)
    .where('claimed_until', 'is', null)
    .orderBy('run_at')
    .limit(1)
    .executeTakeFirst();
  const held = await db
    .selectFrom('jobs')
    .select('claimed_until as at')
    .where('kind', 'in', kinds)
    .where('claimed_until', 'is not', null)
    .where('run_at', '<', never)
    .orderBy('claimed_until')
    .limit(1)
    .executeTakeFirst();
  const times = [waiting?.at, held?.at].filter((at) => at != null && at < never) as number[];
  return times.length > 0 ? Math.min(...times) : undefined;
}

type Claim = Pick<ClaimedJob, 'id' | 'tries' | 'deaths' | 'claim' | 'schedule' | 'unreadable'>;

/**
 * Ends a job that ran: removes it, or sets its next time.
 * @returns false when the claim was lost: another process has the job, or it was replaced or cancelled
 */
export async function finishJob(db: Db, job: Claim, now: number): Promise<boolean> {
  if (job.schedule === undefined) {
    const { numDeletedRows } = await whileHeld(db.deleteFrom('jobs'), job).executeTakeFirstOrThrow();
    return numDeletedRows === 1n;
  }
  const waiting = { run_at: nextMoment(job.schedule, now), attempts: 0, deaths: 0, last_error: null, ...unclaimed };
  const { numUpdatedRows } = await whileHeld(db.updateTable('jobs').set(waiting), job).executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

const unclaimed = { claimed_until: null, claim: null };

interface Filtered<Query> {
  where(column: 'id' | 'claim', operator: '=', value: string): Query;
  where(column: 'attempts', operator: '=', value: number): Query;
  where(column: 'claimed_until', operator: 'is not', value: null): Query;
}

/** Limits a statement to the job as long as this claim on it holds. */
function whileHeld<Query extends Filtered<Query>>(
  query: Query,
  { id, tries, claim }: Pick<Claim, 'id' | 'tries' | 'claim'>,
): Query {
  return query
    .where('id', '=', id)
    .where('claim', '=', claim)
    .where('attempts', '=', tries)
    .where('claimed_until', 'is not', null);
}

/** @returns false when the claim was lost */
export async function extendClaim(db: Db, job: Claim, until: number): Promise<boolean> {
  const longer = db.updateTable('jobs').set({ claimed_until: until });
  const { numUpdatedRows } = await whileHeld(longer, job).executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** An orderly stop began while the job ran. If the process ends before the job does, that counts for nothing. */
export async function excuseDeath(db: Db, job: Claim): Promise<void> {
  await whileHeld(db.updateTable('jobs').set({ deaths: job.deaths - 1 }), job).execute();
}

/** Releases a job that an orderly stop cut off, as if it had not run. */
export async function putBack(db: Db, { deaths, ...job }: Claim): Promise<void> {
  await whileHeld(db.updateTable('jobs').set({ attempts: job.tries - 1, deaths, ...unclaimed }), job).execute();
}

/** Doubles after each failure, from a second to an hour. A random value from its upper half is used, so that jobs spread. */
export function retryDelay(attempt: number, random: (size: number) => Uint8Array): number {
  const delay = Math.min(longestDelayMs, firstDelayMs * 2 ** (attempt - 1));
  const fraction = Buffer.from(random(4)).readUInt32BE() / 2 ** 32;
  return Math.floor(delay / 2 + (fraction * delay) / 2);
}

/**
 * Releases a failed job, to be run again later, or never after `maximumAttempts` and where it can't be read. A repeated job is not delayed
 * beyond its next time.
 * @returns when it runs again
 */
export async function releaseJob(
  db: Db,
  job: Claim,
  error: string,
  times: { readonly now: number; readonly retryAt: number },
): Promise<number> {
  const next = job.schedule === undefined ? never : nextMoment(job.schedule, times.now);
  const ends = Math.max(job.tries, job.deaths) >= maximumAttempts || job.unreadable !== undefined;
  const runAt = ends ? next : Math.min(times.retryAt, next);
  const released = {
    run_at: runAt,
    last_error: error.slice(0, errorLength),
    deaths: 0,
    ...unclaimed,
    ...(job.schedule !== undefined && runAt === next ? { attempts: 0 } : {}),
  };
  await whileHeld(db.updateTable('jobs').set(released), job).execute();
  return runAt;
}
