import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../../src/platform/store/open.ts';
import { storeFile } from '../../src/platform/store/sqljs/sqljs-database.ts';
import { buildThreads, bundleFolder } from './bundle.ts';
import { startPostgres } from './postgres.ts';
import { makeHome } from './prepared-home.ts';
import { chooseSeed } from './run-seed.ts';
import { seededRandomness } from './seeded-bytes.ts';
import { stage } from './stage.ts';
import { usesPostgres } from './engines-of-stage.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A superuser on the maintenance database; undefined where the stage or CONCLAVE_TEST_ENGINES leaves PostgreSQL out. */
    postgresUrl: string | undefined;
    /** The file of an embedded store with all migrations behind it, and nothing in it. */
    migratedStore: string;
    /** A data directory with an administrator, for tests of this run to copy. */
    preparedHome: string;
    /** A folder for programs that tests of this run build and start. The one that threads run is in it, as `worker.js`. */
    bundles: string;
    /** Of all that is random in the tests of this run. */
    seed: number;
    /** A folder for the statements that ran on the embedded engine, where somebody wants to know them. */
    statements: string | undefined;
  }
}

/**
 * Makes an embedded store to copy, and starts one PostgreSQL for the whole run, unless the stage or CONCLAVE_TEST_ENGINES leaves it out.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const withPostgres = usesPostgres();
  const seed = chooseSeed(process.env['CONCLAVE_TEST_SEED'], stage);
  project.provide('seed', seed);
  project.provide('statements', process.env['CONCLAVE_TEST_STATEMENTS']);
  process.stdout.write(`CONCLAVE_TEST_STAGE=${stage} CONCLAVE_TEST_SEED=${seed}\n`);
  const folder = await mkdtemp(join(tmpdir(), 'conclave-migrated-'));
  {
    await using _ = await openDatabase({ dataDir: folder, migrate: true, command: 'the tests' });
  }
  project.provide('migratedStore', join(folder, storeFile));
  const home = await mkdtemp(join(tmpdir(), 'conclave-prepared-'));
  await seeded(seed, 'prepared home', async () => await makeHome(home));
  project.provide('preparedHome', home);
  const bundles = await bundleFolder();
  await buildThreads(bundles);
  project.provide('bundles', bundles);
  const postgres = withPostgres ? await startPostgres() : undefined;
  project.provide('postgresUrl', postgres?.url);
  return async () => {
    await postgres?.[Symbol.asyncDispose]();
    await Promise.all([folder, home, bundles].map((made) => rm(made, { recursive: true })));
  };
}

/** Runs what needs randomness that is the same for the same seed. */
async function seeded(seed: number, name: string, body: () => Promise<void>): Promise<void> {
  const randomness = seededRandomness();
  randomness.begin(seed, name);
  await body().finally(randomness.end);
}
