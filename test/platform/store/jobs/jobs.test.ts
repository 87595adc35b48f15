import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { Database } from '../../../../src/platform/store/database.ts';
import {
  claimJobs,
  extendClaim,
  finishJob,
  jobsChannel,
  leaseMs,
  longestPauseMs,
  maximumAttempts,
  never,
  nextJobAt,
  releaseJob,
  retryDelay,
} from '../../../../src/platform/store/jobs/job-rows.ts';
import { enqueue, runJobs, type JobHandler } from '../../../../src/platform/store/jobs/jobs.ts';
import { planJob } from '../../../../src/platform/store/jobs/plans.ts';
import { listen, notify } from '../../../../src/platform/store/signals.ts';
import { collectLog } from '../../../support/collected-log.ts';
import { eventually } from '../../../support/eventually.ts';
import { bothEngines, openTestStore } from '../../../support/stores.ts';
import { slowly, staysSo } from '../../../support/real-time.ts';

const noRandom = (size: number): Uint8Array => new Uint8Array(size);

function startRunner(database: Database, handlers: Record<string, JobHandler>, clock: { time: number }, atOnce = 4) {
  const abort = new AbortController();
  const log = collectLog();
  const ended = runJobs(database, handlers, {
    clock: { now: () => clock.time },
    random: noRandom,
    signal: abort.signal,
    log,
    atOnce,
  });
  return {
    log,
    listeners: () => getEventListeners(abort.signal, 'abort').length,
    async stop() {
      abort.abort();
      await ended;
    },
  };
}

const add = (
  database: Database,
  id: string,
  runAt = 0,
  kind = 'mail',
  payload: unknown = { to: id },
): Promise<boolean> => database.transaction((db) => enqueue(db, { id, kind, payload, runAt, now: 0 }));

describe.each(bothEngines)('jobs on %s', (engine) => {
  it('hear of the stop by one listener, however many run, so that nothing warns of a leak', async () => {
    await using database = await openTestStore(engine);
    let running = 0;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const handler: JobHandler = async () => {
      running += 1;
      await released;
    };
    for (let id = 0; id < 16; id += 1) await add(database, `${id}`);
    const runner = startRunner(database, { mail: handler }, { time: 10 }, 16);
    await eventually(() => expect(running).toBe(16));
    expect(runner.listeners()).toBe(1);
    release();
    await runner.stop();
  });

  it('run with their payload once their transaction is committed', async () => {
    await using database = await openTestStore(engine);
    const ran: unknown[] = [];
    const runner = startRunner(
      database,
      { mail: async (payload, { id, attempt }) => void ran.push({ id, attempt, payload }) },
      { time: 10 },
    );
    const failed = database.transaction(async (db) => {
      await enqueue(db, { id: 'never', kind: 'mail', payload: null, runAt: 0, now: 0 });
      throw new Error('refused');
    });
    await expect(failed).rejects.toThrow('refused');
    expect(await add(database, 'a')).toBe(true);
    await eventually(() => expect(ran).toEqual([{ id: 'a', attempt: 1, payload: { to: 'a' } }]));
    await eventually(async () => expect(await database.db.selectFrom('jobs').selectAll().execute()).toEqual([]));
    await runner.stop();
  });

  it('are added once under one id', async () => {
    await using database = await openTestStore(engine);
    expect(await Promise.all([add(database, 'a'), add(database, 'a'), add(database, 'a')])).toEqual(
      expect.arrayContaining([true, false, false]),
    );
    expect(await add(database, 'a', 99)).toBe(false);
    expect(await database.db.selectFrom('jobs').select(['id', 'run_at']).execute()).toEqual([{ id: 'a', run_at: 0 }]);
  });

  it('wait for their time, and for somebody who knows their kind', async () => {
    await using database = await openTestStore(engine);
    const clock = { time: 1000 };
    const ran: string[] = [];
    await add(database, 'due', 1000);
    await add(database, 'later', 1040);
    await add(database, 'unknown', 0, 'other');
    const runner = startRunner(database, { mail: async (_payload, { id }) => void ran.push(id) }, clock);
    await eventually(() => expect(ran).toEqual(['due']));
    await staysSo(() => expect(ran).toEqual(['due']), 60);
    clock.time = 1040;
    await eventually(() => expect(ran).toEqual(['due', 'later']));
    await runner.stop();
    expect(await nextJobAt(database.db, ['mail'])).toBeUndefined();
    expect(await nextJobAt(database.db, ['other'])).toBe(0);
  });

  it('ring for those who run them, unless they are due later than those look anyway', async () => {
    await using database = await openTestStore(engine);
    const rings: string[] = [];
    await using _ = await listen(database, jobsChannel, (kind) => rings.push(kind));
    await add(database, 'later', longestPauseMs, 'late');
    await add(database, 'sooner', longestPauseMs - 1, 'soon');
    const planned = { payload: null, now: 5 };
    await database.transaction(async (db) => {
      await planJob(db, { ...planned, id: 'later', kind: 'late', runAt: longestPauseMs + 5 });
      await planJob(db, { ...planned, id: 'sooner', kind: 'moved', runAt: 0 });
    });
    await eventually(() => expect(rings).toEqual(['soon', 'moved']));
  });

  it('run again after a failure, later each time, and are left alone in the end', async () => {
    await using database = await openTestStore(engine);
    const clock = { time: 0 };
    const times: number[] = [];
    await add(database, 'a');
    const runner = startRunner(
      database,
      {
        mail: async () => {
          times.push(clock.time);
          throw new Error('no connection');
        },
      },
      clock,
    );
    const row = () => database.db.selectFrom('jobs').selectAll().where('id', '=', 'a').executeTakeFirstOrThrow();
    for (let attempt = 1; attempt <= maximumAttempts; attempt += 1) {
      await eventually(async () =>
        expect(await row()).toMatchObject({
          attempts: attempt,
          claimed_until: null,
          last_error: 'Error: no connection',
        }),
      );
      const { run_at: runAt } = await row();
      if (attempt < maximumAttempts) expect(runAt).toBe(clock.time + retryDelay(attempt, noRandom));
      else expect(runAt).toBe(never);
      // To the moment when it is due, and a ring for the runner, whose timer follows the real time.
      clock.time = Math.min(runAt, 10 * clock.time + 10_000_000);
      await database.transaction((db) => notify(db, jobsChannel, 'mail'));
    }
    await staysSo(() => expect(times).toHaveLength(maximumAttempts), 50);
    expect(runner.log.lines.map(({ message, msg }) => message ?? msg).at(-1)).toMatch(/gave up/);
    await runner.stop();
  });

  it('go to one of two runners each', async () => {
    await using database = await openTestStore(engine);
    const ran: string[] = [];
    const handler =
      (runner: string): JobHandler =>
      async (_payload, { id }) => {
        ran.push(id);
        await slowly(runner === 'first' ? 1 : 2);
      };
    const clock = { time: 0 };
    const runners = ['first', 'second'].map((name) => startRunner(database, { mail: handler(name) }, clock));
    const ids = Array.from({ length: 40 }, (_, index) => `job ${index}`);
    await Promise.all(ids.map((id) => add(database, id)));
    await eventually(async () => expect(await database.db.selectFrom('jobs').selectAll().execute()).toEqual([]));
    await Promise.all(runners.map((runner) => runner.stop()));
    expect(ran.toSorted()).toEqual(ids.toSorted());
  });

  it('are claimed by one, until the claim runs out', async () => {
    await using database = await openTestStore(engine);
    for (let index = 0; index < 30; index += 1) await add(database, `job ${String(index).padStart(2, '0')}`, index);
    const claims = await Promise.all(
      Array.from({ length: 10 }, (_, turn) => claimJobs(database, ['mail'], 100, 4, `turn ${turn}`)),
    );
    const ids = claims.flat().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length + (await claimJobs(database, ['mail'], 100, 100, 'rest')).length).toBe(30);
    expect(await claimJobs(database, ['mail'], 100 + leaseMs - 1, 100, 'early')).toEqual([]);
    const [first] = claims.flat();
    const [again] = await claimJobs(database, ['mail'], 100 + leaseMs, 1, 'again');
    expect(again).toMatchObject({ id: 'job 00', attempt: 2 });
    // Whoever had it before has it no more, and changes nothing.
    const lost = { ...first!, id: 'job 00' };
    expect(await finishJob(database.db, lost, 200)).toBe(false);
    expect(await extendClaim(database.db, lost, 200)).toBe(false);
    await releaseJob(database.db, lost, 'late', { now: 200, retryAt: 0 });
    expect(await extendClaim(database.db, again!, 300)).toBe(true);
    expect(await finishJob(database.db, again!, 300)).toBe(true);
    expect(await claimJobs(database, [], 1e12, 10, 'nothing')).toEqual([]);
  });

  it('can end in the transaction that does their work', async () => {
    await using database = await openTestStore(engine);
    const runner = startRunner(
      database,
      {
        mail: async (_payload, job) => {
          await database.transaction(async (db) => {
            await db
              .insertInto('used_direct_login_tokens')
              .values({ nonce: job.id, expires_at: job.attempt })
              .execute();
            await job.finish(db);
            if (job.attempt === 1) throw new Error('cut off');
          });
        },
      },
      { time: 10_000_000 },
    );
    await add(database, 'a');
    const row = () => database.db.selectFrom('jobs').selectAll().where('id', '=', 'a').executeTakeFirst();
    await eventually(async () =>
      expect(await row()).toMatchObject({ last_error: 'Error: cut off', claimed_until: null }),
    );
    expect(await database.db.selectFrom('used_direct_login_tokens').selectAll().execute()).toEqual([]);
    await database.db.updateTable('jobs').set({ run_at: 0 }).execute();
    await add(database, 'ring', never);
    await eventually(async () =>
      expect(await database.db.selectFrom('used_direct_login_tokens').selectAll().execute()).toEqual([
        { nonce: 'a', expires_at: 2 },
      ]),
    );
    await runner.stop();
    expect(await row()).toBeUndefined();
  });

  it('that run are waited for when the runner is told to end', async () => {
    await using database = await openTestStore(engine);
    const events: string[] = [];
    const runner = startRunner(
      database,
      {
        mail: async (_payload, { signal }) => {
          events.push('begins');
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          await slowly(20);
          events.push('ends');
        },
      },
      { time: 0 },
    );
    await add(database, 'a');
    await eventually(() => expect(events).toEqual(['begins']));
    await runner.stop();
    expect(events).toEqual(['begins', 'ends']);
    // Nobody knows whether all is done.
    const left = await database.db.selectFrom('jobs').selectAll().execute();
    expect(left).toMatchObject([{ id: 'a', attempts: 0, claimed_until: null }]);
  });
});

it('waits twice as long after each failure, up to an hour', () => {
  const most = (size: number): Uint8Array => new Uint8Array(size).fill(255);
  expect([1, 2, 3, 12, 13, 1000].map((attempt) => [retryDelay(attempt, noRandom), retryDelay(attempt, most)])).toEqual([
    [500, 999],
    [1000, 1999],
    [2000, 3999],
    [1_024_000, 2_047_999],
    [1_800_000, 3_599_999],
    [1_800_000, 3_599_999],
  ]);
});
