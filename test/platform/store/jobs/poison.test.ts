import { describe, expect, it } from 'vitest';
import type { Database } from '../../../../src/platform/store/database.ts';
import { maximumAttempts, never } from '../../../../src/platform/store/jobs/job-rows.ts';
import { runJobs, type JobHandler } from '../../../../src/platform/store/jobs/jobs.ts';
import { repeatJob } from '../../../../src/platform/store/jobs/plans.ts';
import type { JobRow } from '../../../../src/platform/store/tables/tables.ts';
import { collectLog } from '../../../support/collected-log.ts';
import { eventually } from '../../../support/eventually.ts';
import { jobRow } from '../../../support/jobs.ts';
import { engines, openTestStore } from '../../../support/stores.ts';

/** A runner over jobs that are there before it starts; `ran` has the ids of those that ended. */
function run(database: Database, handlers: Record<string, JobHandler>, longestRunMs?: number) {
  const abort = new AbortController();
  const log = collectLog();
  const ran: string[] = [];
  const good: JobHandler = async (_, { id }) => void ran.push(id);
  const clock = { now: () => 1_000 };
  const random = (size: number): Uint8Array => new Uint8Array(size);
  const options = { clock, random, signal: abort.signal, log, ...(longestRunMs !== undefined && { longestRunMs }) };
  const ended = runJobs(database, { good, ...handlers }, options);
  return {
    ran,
    log,
    [Symbol.asyncDispose]: async () => {
      abort.abort();
      await ended;
    },
  };
}

async function openWith(engine: (typeof engines)[number], rows: readonly JobRow[]): Promise<Database> {
  const database = await openTestStore(engine);
  await database.db.insertInto('jobs').values(rows).execute();
  return database;
}

const good = jobRow('good', { kind: 'good', run_at: 900 });
const rowOf = async (database: Database, id: string) =>
  await database.db.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirst();
const wanted = async (database: Database, id: string, row: Partial<JobRow>) =>
  await eventually(async () => expect(await rowOf(database, id)).toMatchObject({ ...row, claimed_until: null }));
const logged = (log: ReturnType<typeof collectLog>, level: string) =>
  log.lines.filter((line) => line['level'] === level).map((line) => [line['job'], line['message']]);

describe.each(engines)('before a good job, on %s, there may be', (engine) => {
  it('some that always fail, and come again later', async () => {
    const bad = Array.from({ length: 9 }, (_, index) => jobRow(`bad ${index}`, { kind: 'bad', run_at: index }));
    await using database = await openWith(engine, [...bad, good]);
    await using runner = run(database, { bad: () => Promise.reject(new TypeError('no')) });
    await eventually(() => expect(runner.ran).toEqual(['good']));
    await wanted(database, 'bad 8', { attempts: 1, last_error: 'TypeError: no' });
  });

  it('some that can not be read, and never run', async () => {
    const bad = [
      jobRow('payload', { kind: 'good', payload: '{"cut' }),
      jobRow('schedule', { kind: 'good', schedule: '{"everyMs":-1,"from":0}' }),
      jobRow('no schedule', { kind: 'good', schedule: 'null' }),
      jobRow('half', { kind: 'good', schedule: '[' }),
    ];
    await using database = await openWith(engine, [...bad, good]);
    await using runner = run(database, {});
    await eventually(() => expect(runner.ran).toEqual(['good']));
    for (const { id } of bad) {
      await wanted(database, id, { run_at: never });
      expect((await rowOf(database, id))?.last_error).toContain("can't be read");
    }
    expect(logged(runner.log, 'error')).toHaveLength(bad.length);
    // Who plans a repeated job at the next start mends it.
    const plan = { id: 'schedule', kind: 'good', payload: {}, schedule: { everyMs: 500, from: 0 }, now: 2_000 };
    await database.transaction(async (db) => await repeatJob(db, plan));
    expect(await rowOf(database, 'schedule')).toMatchObject({ run_at: 2_500, last_error: null });
  });

  it('some that never end: their kind leaves a place to others', async () => {
    const bad = Array.from({ length: 9 }, (_, index) => jobRow(`bad ${index}`, { kind: 'bad', run_at: index }));
    await using database = await openWith(engine, [...bad, good]);
    const endless: JobHandler = async (_, { signal }) =>
      await new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
    await using runner = run(database, { bad: endless });
    await eventually(() => expect(runner.ran).toEqual(['good']));
  });

  it('one that never ends: it counts as failed after its time, and can do nothing any more', async () => {
    await using database = await openWith(engine, [jobRow('bad', { kind: 'bad' }), good]);
    const late: unknown[] = [];
    const bad: JobHandler = async (_, { signal, finish }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      await eventually(async () => expect((await rowOf(database, 'bad'))?.claimed_until).toBeNull());
      late.push(await finish(database.db).catch(String));
    };
    await using runner = run(database, { bad }, 50);
    await wanted(database, 'bad', { attempts: 1, last_error: 'JobFailed: it took too long' });
    await eventually(() => expect(late).toEqual([expect.stringContaining('not of this process')]));
    expect(logged(runner.log, 'warn')).toEqual([['bad', 'job failed; it will run again']]);
    await eventually(() => expect(runner.ran).toEqual(['good']));
  });

  it('one that ended its process each time: it is not tried again', async () => {
    const held = { kind: 'bad', attempts: maximumAttempts, claim: 'of a process that is gone', claimed_until: 999 };
    await using database = await openWith(engine, [jobRow('bad', held), good]);
    const tried: string[] = [];
    await using runner = run(database, { bad: async (_, { id }) => void tried.push(id) });
    await eventually(() => expect(runner.ran).toEqual(['good']));
    await wanted(database, 'bad', { run_at: never, last_error: 'JobFailed: its process ended each time while it ran' });
    expect(tried).toEqual([]);
    expect(logged(runner.log, 'error')).toEqual([['bad', 'job gave up after the last attempt']]);
  });
});
