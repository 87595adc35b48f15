import { describe, expect, it } from 'vitest';
import type { Database, Db } from '../../../../src/platform/store/database.ts';
import { jobsChannel, maximumAttempts } from '../../../../src/platform/store/jobs/job-rows.ts';
import { inTransaction, runJobs, type JobHandler } from '../../../../src/platform/store/jobs/jobs.ts';
import { cancelJob, planJob, repeatJob } from '../../../../src/platform/store/jobs/plans.ts';
import { notify } from '../../../../src/platform/store/signals.ts';
import { collectLog } from '../../../support/collected-log.ts';
import { eventually } from '../../../support/eventually.ts';
import { bothEngines, openTestStore } from '../../../support/stores.ts';

const hour = 3_600_000;
let claims = 0;
/** Claims differ as in earnest, and retries come after half of their delay. */
const random = (size: number): Uint8Array => {
  const bytes = new Uint8Array(size);
  if (size > 4) new DataView(bytes.buffer).setUint32(0, (claims += 1));
  return bytes;
};

/** Runs jobs by a clock that tests move; `at` also lets the runner look at once. */
function startRunner(database: Database, handlers: Record<string, JobHandler>, time = 0) {
  const abort = new AbortController();
  const log = collectLog();
  const clock = { time };
  const ended = runJobs(database, handlers, { clock: { now: () => clock.time }, random, signal: abort.signal, log });
  return {
    log,
    async at(moment: number) {
      clock.time = moment;
      const [kind = ''] = Object.keys(handlers);
      await database.transaction((db) => notify(db, jobsChannel, kind));
    },
    async stop() {
      abort.abort();
      await ended;
    },
  };
}

const rowsOf = async (database: Database) => await database.db.selectFrom('jobs').selectAll().orderBy('id').execute();
const plan = async (database: Database, runAt: number, payload: unknown = null, id = 'a') =>
  await database.transaction((db) => planJob(db, { id, kind: 'remind', payload, runAt, now: 0 }));
const note = (db: Db, nonce: string) =>
  db.insertInto('used_direct_login_tokens').values({ nonce, expires_at: 0 }).execute();
const notes = async (database: Database) =>
  (await database.db.selectFrom('used_direct_login_tokens').select('nonce').orderBy('nonce').execute()).map(
    ({ nonce }) => nonce,
  );

/** A job that waits in the middle of its work until the test lets it go on. */
function heldHandler(database: Database) {
  const started: unknown[] = [];
  const waiting: (() => void)[] = [];
  const remind: JobHandler = async (payload, job) => {
    started.push(payload);
    await new Promise<void>((resolve) => waiting.push(resolve));
    await inTransaction<{ db: Db }>(
      (body) => database.transaction((db) => body({ db })),
      ({ db }) => note(db, String(payload)).then(() => undefined),
    )(payload, job);
  };
  return { remind, started, release: () => waiting.shift()?.() };
}

describe.each(bothEngines)('a planned job on %s', (engine) => {
  it('runs at the moment that it was given last', async () => {
    await using database = await openTestStore(engine);
    const ran: unknown[] = [];
    const runner = startRunner(database, { remind: async (payload) => void ran.push(payload) });
    await plan(database, hour, 'early');
    await plan(database, 2 * hour, 'late');
    await plan(database, hour, 'other', 'b');
    await runner.at(hour);
    // Its end too: two hours later its claim would have run out.
    await eventually(async () => expect(await rowsOf(database)).toMatchObject([{ payload: '"late"' }]));
    expect(ran).toEqual(['other']);
    await runner.at(2 * hour);
    await eventually(() => expect(ran).toEqual(['other', 'late']));
    await eventually(async () => expect(await rowsOf(database)).toEqual([]));
    await runner.stop();
  });

  it('follows the transaction that plans, replaces or cancels it', async () => {
    await using database = await openTestStore(engine);
    await plan(database, 5, 'kept');
    const before = await rowsOf(database);
    for (const change of [
      (db: Db) => planJob(db, { id: 'a', kind: 'remind', payload: 'other', runAt: 6, now: 0 }),
      (db: Db) => planJob(db, { id: 'b', kind: 'remind', payload: 'new', runAt: 6, now: 0 }),
      (db: Db) => cancelJob(db, 'a'),
    ]) {
      const refused = database.transaction(async (db) => {
        await change(db);
        throw new Error('refused');
      });
      await expect(refused).rejects.toThrow('refused');
      expect(await rowsOf(database)).toEqual(before);
    }
    expect(await database.transaction((db) => cancelJob(db, 'a'))).toBe(true);
    expect(await database.transaction((db) => cancelJob(db, 'a'))).toBe(false);
    expect(await rowsOf(database)).toEqual([]);
  });

  it('that is cancelled while it runs does nothing', async () => {
    await using database = await openTestStore(engine);
    const held = heldHandler(database);
    const runner = startRunner(database, { remind: held.remind });
    await plan(database, 0, 'cancelled');
    await eventually(() => expect(held.started).toEqual(['cancelled']));
    expect(await database.transaction((db) => cancelJob(db, 'a'))).toBe(true);
    held.release();
    await eventually(() =>
      expect(runner.log.lines.map(({ msg, message }) => msg ?? message).at(-1)).toMatch(/cancelled/),
    );
    await runner.stop();
    expect(await notes(database)).toEqual([]);
    expect(await rowsOf(database)).toEqual([]);
  });

  it.each(['replaced', 'cancelled and planned again'])(
    'that is %s while it runs does what it was given last',
    async (how) => {
      await using database = await openTestStore(engine);
      const held = heldHandler(database);
      const runner = startRunner(database, { remind: held.remind });
      await plan(database, 0, 'first');
      await eventually(() => expect(held.started).toEqual(['first']));
      if (how !== 'replaced') await database.transaction((db) => cancelJob(db, 'a'));
      await plan(database, 0, 'second');
      // Both run at the same time, and have both been tried once.
      await eventually(() => expect(held.started).toEqual(['first', 'second']));
      held.release();
      await eventually(() => expect(runner.log.lines.length).toBeGreaterThan(0));
      expect(await notes(database)).toEqual([]);
      held.release();
      await eventually(async () => expect(await rowsOf(database)).toEqual([]));
      expect(await notes(database)).toEqual(['second']);
      await runner.stop();
    },
  );

  it('may plan its next one in the transaction that ends it', async () => {
    await using database = await openTestStore(engine);
    const remind = inTransaction<{ db: Db }>(
      (body) => database.transaction((db) => body({ db })),
      async ({ db }, payload, { id }) => {
        await note(db, String(payload));
        if (payload !== 3) await planJob(db, { id, kind: 'remind', payload: Number(payload) + 1, runAt: 0, now: 0 });
      },
    );
    const runner = startRunner(database, { remind });
    await plan(database, 0, 1);
    await eventually(async () => expect(await notes(database)).toEqual(['1', '2', '3']));
    expect(await rowsOf(database)).toEqual([]);
    await runner.stop();
  });
});

describe.each(bothEngines)('a repeated job on %s', (engine) => {
  const sweep = { id: 'sweep', kind: 'sweep', payload: null };
  const repeat = async (database: Database, schedule: Parameters<typeof repeatJob>[1]['schedule'], now = 0) =>
    await database.transaction((db) => repeatJob(db, { ...sweep, schedule, now }));

  it('comes at each of its times, and once for all that it missed', async () => {
    await using database = await openTestStore(engine);
    const ran: number[] = [];
    let now = 0;
    await repeat(database, { everyMs: hour });
    const runner = startRunner(database, { sweep: async () => void ran.push(now) });
    const at = async (moment: number) => {
      now = moment;
      await runner.at(moment);
    };
    const next = async () => (await rowsOf(database)).map(({ run_at: runAt, claimed_until: held }) => [runAt, held]);
    await at(hour - 1);
    await at(hour);
    await eventually(async () => expect(await next()).toEqual([[2 * hour, null]]));
    // A week later, and not at the full hour.
    await at(170.5 * hour);
    await eventually(async () => expect(await next()).toEqual([[171 * hour, null]]));
    expect(ran).toEqual([hour, 170.5 * hour]);
    await runner.stop();
  });

  it('comes at a time of the clock of a place', async () => {
    await using database = await openTestStore(engine);
    const now = Date.parse('2026-03-28T12:00Z');
    await repeat(database, { at: '08:00', timeZone: 'Europe/Berlin' }, now);
    const runner = startRunner(database, { sweep: async () => undefined }, now);
    const next = async () => (await rowsOf(database)).map(({ run_at: runAt }) => new Date(runAt).toISOString());
    expect(await next()).toEqual(['2026-03-29T06:00:00.000Z']);
    await runner.at(Date.parse('2026-10-24T12:00Z'));
    await eventually(async () => expect(await next()).toEqual(['2026-10-25T07:00:00.000Z']));
    await runner.stop();
  });

  it('stays as it is when it is planned the same again, and changes when it is planned otherwise', async () => {
    await using database = await openTestStore(engine);
    await repeat(database, { everyMs: hour }, 5);
    const [first] = await rowsOf(database);
    await Promise.all([repeat(database, { everyMs: hour }, 99), repeat(database, { everyMs: hour }, 98)]);
    expect(await rowsOf(database)).toEqual([first]);
    await repeat(database, { everyMs: 2 * hour }, 100);
    expect(await rowsOf(database)).toEqual([expect.objectContaining({ run_at: 100 + 2 * hour })]);
    await repeat(database, { at: '00:30', timeZone: 'UTC' }, 200);
    expect(await rowsOf(database)).toEqual([expect.objectContaining({ run_at: hour / 2 })]);
    await expect(repeat(database, { at: '25:00', timeZone: 'UTC' })).rejects.toThrow(RangeError);
    expect(await database.transaction((db) => cancelJob(db, 'sweep'))).toBe(true);
    expect(await rowsOf(database)).toEqual([]);
  });

  it('that fails is tried again before its next time, never after it, and never given up', async () => {
    await using database = await openTestStore(engine);
    await repeat(database, { everyMs: hour });
    const failing = async () => await Promise.reject(new Error('no connection'));
    const runner = startRunner(database, { sweep: failing }, hour);
    const row = async () => (await rowsOf(database))[0]!;
    await eventually(async () => expect(await row()).toMatchObject({ attempts: 1, run_at: hour + 500 }));
    await runner.at(2 * hour - 100);
    await eventually(async () =>
      expect(await row()).toMatchObject({ attempts: 0, run_at: 2 * hour, last_error: 'Error: no connection' }),
    );
    await database.db
      .updateTable('jobs')
      .set({ attempts: maximumAttempts - 1 })
      .where('id', '=', 'sweep')
      .execute();
    await runner.at(2 * hour);
    await eventually(async () =>
      expect(await row()).toMatchObject({ attempts: 0, run_at: 3 * hour, claimed_until: null }),
    );
    await runner.stop();
  });

  it('runs in one of two processes each time', async () => {
    await using database = await openTestStore(engine);
    await repeat(database, { everyMs: 10 });
    const handler = inTransaction<{ db: Db }>(
      (body) => database.transaction((db) => body({ db })),
      async ({ db }) => {
        await db
          .insertInto('used_direct_login_tokens')
          .values({ nonce: 'count', expires_at: 1 })
          .onConflict((conflict) =>
            conflict
              .column('nonce')
              .doUpdateSet((row) => ({ expires_at: row('used_direct_login_tokens.expires_at', '+', 1) })),
          )
          .execute();
      },
    );
    const runners = [1, 2].map(() => startRunner(database, { sweep: handler }));
    for (let turn = 1; turn <= 12; turn += 1) {
      await Promise.all(runners.map((runner) => runner.at(turn * 10)));
      await eventually(async () =>
        expect(await rowsOf(database)).toMatchObject([{ run_at: turn * 10 + 10, claim: null }]),
      );
    }
    await Promise.all(runners.map((runner) => runner.stop()));
    expect(await database.db.selectFrom('used_direct_login_tokens').select('expires_at').execute()).toEqual([
      { expires_at: 12 },
    ]);
  });
});
