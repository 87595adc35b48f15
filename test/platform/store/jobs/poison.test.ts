import { describe, expect, it } from 'vitest';
import type { Database } from '../../../../src/platform/store/database.ts';
import {
  claimJobs,
  leaseMs,
  maximumAttempts,
  never,
  retryDelay,
} from '../../../../src/platform/store/jobs/job-rows.ts';
import { runJobs, type JobHandler } from '../../../../src/platform/store/jobs/jobs.ts';
import { repeatJob } from '../../../../src/platform/store/jobs/plans.ts';
import type { JobRow } from '../../../../src/platform/store/tables/tables.ts';
import { collectLog } from '../../../support/collected-log.ts';
import { eventually } from '../../../support/eventually.ts';
import { jobRow } from '../../../support/jobs.ts';
import { engines, openTestStore } from '../../../support/stores.ts';

const noRandom = (size: number): Uint8Array => new Uint8Array(size);

/** A runner over jobs that are there before it starts; `ran` has the ids of those that ended. */
function run(database: Database, handlers: Record<string, JobHandler>, longestRunMs?: number) {
  const abort = new AbortController();
  const log = collectLog();
  const ran: string[] = [];
  const good: JobHandler = async (_, { id }) => void ran.push(id);
  const clock = { now: () => 1_000 };
  const options = {
    clock,
    random: noRandom,
    signal: abort.signal,
    log,
    ...(longestRunMs !== undefined && { longestRunMs }),
  };
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
    const held = { kind: 'bad', attempts: 1, claim: 'of a process that is gone', claimed_until: 999 };
    const rows = [
      jobRow('bad', { ...held, deaths: maximumAttempts - 1 }),
      jobRow('other', { ...held, deaths: 0 }),
      good,
    ];
    await using database = await openWith(engine, rows);
    const tried: unknown[] = [];
    await using runner = run(database, {
      bad: async (_, { id, attempt }) => void tried.push([id, attempt]),
    });
    await eventually(() => expect(runner.ran).toEqual(['good']));
    await wanted(database, 'bad', { run_at: never, last_error: 'JobFailed: its process ended each time while it ran' });
    await eventually(() => expect(tried).toEqual([['other', 2]]));
    expect(logged(runner.log, 'error')).toEqual([['bad', 'job gave up after the last attempt']]);
  });

  it('one that runs when its process dies again and again: it waits ever longer, by a time of its own', async () => {
    const held = { kind: 'bad', attempts: 1, claim: 'of a process that is gone', claimed_until: 999, deaths: 11 };
    await using database = await openWith(engine, [jobRow('bad', held), good]);
    const until: (number | null | undefined)[] = [];
    await using runner = run(database, {
      bad: async () => void until.push((await rowOf(database, 'bad'))?.claimed_until),
    });
    await eventually(() => expect(runner.ran).toEqual(['good']));
    await eventually(() => expect(until).toEqual([1_000 + leaseMs + retryDelay(12, noRandom)]));
    await eventually(async () => expect(await rowOf(database, 'bad')).toBeUndefined());
  });
});

describe.each(engines)('a job that orderly stops cut off, on %s', (engine) => {
  const untilAborted: JobHandler = async (_, { signal }) =>
    await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));

  const endsEarly: JobHandler = async (_, { signal }) =>
    await new Promise((resolve) => signal.addEventListener('abort', () => resolve()));

  it.each([
    ['fails', untilAborted],
    ['ends where it is', endsEarly],
  ])('and %s then is never given up for that, and runs at once in the next process', async (_name, whenStopped) => {
    await using database = await openWith(engine, [jobRow('cut', { kind: 'bad', deaths: 3 })]);
    for (let stops = 0; stops < maximumAttempts + 2; stops += 1) {
      await using runner = run(database, { bad: whenStopped });
      await eventually(async () => expect((await rowOf(database, 'cut'))?.claimed_until).not.toBeNull());
      await runner[Symbol.asyncDispose]();
      expect(await rowOf(database, 'cut')).toMatchObject({ attempts: 0, deaths: 3, run_at: 0, claimed_until: null });
    }
    const tried: number[] = [];
    await using runner = run(database, { bad: async (_, { attempt }) => void tried.push(attempt) });
    await eventually(() => expect(tried).toEqual([4]));
    expect(logged(runner.log, 'error')).toEqual([]);
  });

  it('counts no end of a process that was killed because the stop took too long', async () => {
    await using database = await openWith(engine, [jobRow('slow', { kind: 'bad', deaths: 2 })]);
    let release: (() => void) | undefined;
    const slow: JobHandler = async () => await new Promise((resolve) => (release = resolve));
    const stopped = run(database, { bad: slow });
    await eventually(() => expect(release).toBeDefined());
    const ended = stopped[Symbol.asyncDispose]();
    await eventually(async () => expect(await rowOf(database, 'slow')).toMatchObject({ deaths: 1 }));
    const [again] = await claimJobs(database, ['bad'], never - 2 * leaseMs, 1, 'of the next process');
    expect(again).toMatchObject({ id: 'slow', deaths: 2 });
    release?.();
    await ended;
  });
});
