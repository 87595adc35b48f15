import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../../../src/platform/store/database.ts';
import { leaseMs } from '../../../../src/platform/store/jobs/job-rows.ts';
import { enqueue } from '../../../../src/platform/store/jobs/jobs.ts';
import { planJob, repeatJob } from '../../../../src/platform/store/jobs/plans.ts';
import { openDatabase } from '../../../../src/platform/store/open.ts';
import { openPostgresDatabase } from '../../../../src/platform/store/postgres/postgres-database.ts';
import { bundle, type Bundle } from '../../../support/bundle.ts';
import { inStage } from '../../../support/stage.ts';
import { createPostgresDatabase, bothEngines, putMigratedStore, temporaryFolder } from '../../../support/stores.ts';

const number = 60;
const ids = Array.from({ length: number }, (_, index) => `job ${String(index).padStart(2, '0')}`);

async function fill(database: Database): Promise<void> {
  await database.transaction(async (db) => {
    for (const [index, id] of ids.entries()) {
      const job = { id, kind: 'once', payload: null, runAt: 0, now: 0 };
      if (index % 2 === 0) await enqueue(db, job);
      else await planJob(db, job);
    }
    const schedule = { everyMs: 15 };
    await repeatJob(db, { id: 'again', kind: 'again', payload: null, schedule, now: Date.now() });
  });
}

/** Every effect is there once, every job is gone, and what repeats waits for its next time. */
async function assertDone(database: Database): Promise<void> {
  const { db } = database;
  const of = (expires: number) =>
    db
      .selectFrom('used_direct_login_tokens')
      .select('nonce')
      .where('expires_at', '=', expires)
      .orderBy('nonce')
      .execute();
  expect((await of(0)).map(({ nonce }) => nonce)).toEqual(ids);
  expect((await of(1)).length).toBeGreaterThan(0);
  expect(await db.selectFrom('jobs').select(['id', 'last_error']).execute()).toEqual([
    { id: 'again', last_error: null },
  ]);
}

describe('jobs whose end is in the transaction of their effect', () => {
  let program: Bundle;
  beforeAll(async () => {
    program = await bundle('test/support/job-runner.ts');
  });
  afterAll(async () => {
    await program[Symbol.asyncDispose]();
  });

  /** @returns what it says of failures */
  async function run(
    place: readonly [dataDir: string, url: string],
    ahead: number,
    die = ['never', '0'],
    onFirst: () => void = () => undefined,
  ): Promise<string[]> {
    const runner = execa(process.execPath, [program.path, ...place, `${ahead}`, ...die], {
      reject: false,
      stderr: 'inherit',
    });
    runner.stdout.once('data', onFirst);
    const { stdout, signal } = await runner;
    expect(signal).toBe(die[0] === 'never' ? undefined : 'SIGKILL');
    return stdout.split('\n').filter((line) => line.startsWith('!'));
  }

  it.runIf(bothEngines.includes('sqljs'))(
    'happen once on the embedded store, however often its process is killed',
    async () => {
      await using folder = await temporaryFolder();
      await putMigratedStore(folder.path);
      {
        await using database = await openDatabase({ dataDir: folder.path });
        await fill(database);
      }
      const deaths = [
        ['inside', '1'],
        ...inStage(
          [],
          [],
          [
            ['after', '1'],
            ['inside', '7'],
          ],
        ),
        ['after', '9'],
        ['never', '0'],
      ];
      // What a dead process held is free when its claim has run out; the clock of each is so far ahead of the one before.
      for (const [round, die] of deaths.entries())
        expect(await run([folder.path, '-'], round * (leaseMs + 1), die)).toEqual([]);
      await using database = await openDatabase({ dataDir: folder.path });
      await assertDone(database);
    },
    300_000,
  );

  it.runIf(bothEngines.includes('postgres'))(
    'happen once on PostgreSQL, where one of two processes is killed and another takes its jobs',
    async () => {
      await using created = await createPostgresDatabase({ migrated: true });
      await using folder = await temporaryFolder();
      await using database = await openPostgresDatabase(created.url);
      await fill(database);
      const place = [folder.path, created.url] as const;
      // It takes four jobs at once, so that the third is its own when the other one begins.
      let dying: Promise<string[]> = Promise.resolve([]);
      await new Promise<void>((resolve) => {
        dying = run(place, 0, ['inside', '3'], resolve);
      });
      const living = run(place, 0);
      expect(await dying).toEqual([]);
      // Its clock takes the claims of the living one for run out as well: then two have the same job, and one of them in vain.
      const taking = run(place, leaseMs + 1);
      expect(await living).toEqual([]);
      expect(await taking).toEqual([]);
      await assertDone(database);
    },
    300_000,
  );
});
