import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import type { Database, EngineName } from '../../src/platform/store/database.ts';
import { latestVersion, migrate, migrations } from '../../src/platform/store/migrations.ts';
import { openPostgresDatabase } from '../../src/platform/store/postgres/postgres-database.ts';
import { nodeDisk, type Disk } from '../../src/platform/store/sqljs/disk.ts';
import { openSqljsDatabase, storeFile } from '../../src/platform/store/sqljs/sqljs-database.ts';
import { lendPostgresDatabase, type TestDatabase } from './lent-databases.ts';
import { chosenEngines, ofStage } from './engines-of-stage.ts';
import { stage } from './stage.ts';

/**
 * The engines of tests of what the engines themselves do: the store, races, plans, lists, search, and a scenario a service. The quick stage
 * has the embedded one only.
 */
export const bothEngines: readonly EngineName[] = ofStage(chosenEngines(), stage === 'quick');

/** For `describe.each` of everything else: the embedded engine, and in the soak stage both. */
export const engines: readonly EngineName[] = ofStage(chosenEngines(), stage !== 'soak');

/** Serialises what must not happen at once on one cluster: making the template, and copying it while nobody is connected to it. */
const templateLock = 0x74_65_73_74;

function serverUrl(): string {
  const url = inject('postgresUrl');
  if (url === undefined) throw new Error('this run has no PostgreSQL: CONCLAVE_TEST_ENGINES leaves it out');
  return url;
}

function databaseUrl(name: string): string {
  const url = new URL(serverUrl());
  url.pathname = `/${name}`;
  return url.href;
}

async function onServer<T>(body: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(serverUrl());
  await client.connect();
  try {
    return await body(client);
  } finally {
    await client.end();
  }
}

/** A migrated, empty database, made once in a run; its name says which migrations it has behind it. */
async function template(client: pg.Client): Promise<string> {
  const name = `template_${latestVersion()}_${migrations.length}`;
  const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
  if (rowCount !== 0) return name;
  await client.query(`create database ${name}`);
  await using database = await openPostgresDatabase(databaseUrl(name));
  await migrate(database);
  return name;
}

/** An empty database of PostgreSQL, dropped with what is still connected to it. */
export async function createPostgresDatabase(options: { migrated: boolean }): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await onServer(async (client) => {
    await client.query('select pg_advisory_lock($1)', [templateLock]);
    await client.query(`create database ${name} template ${options.migrated ? await template(client) : 'template0'}`);
  });
  return {
    url: databaseUrl(name),
    [Symbol.asyncDispose]: () =>
      onServer(async (client) => void (await client.query(`drop database ${name} with (force)`))),
  };
}

/** A folder of its own in the system's temporary one, removed when disposed. */
export async function temporaryFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'conclave-store-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Puts an empty embedded store with all migrations behind it into a folder: to run them takes far longer than to copy what they make. */
export async function putMigratedStore(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true });
  await copyFile(inject('migratedStore'), join(dataDir, storeFile));
}

/** Nothing of these stores has to survive a crash, as nothing of the PostgreSQL of the tests has. Tests of flushing open their own. */
const unflushed: Disk = {
  ...nodeDisk,
  fsyncSync: () => undefined,
  fdatasyncSync: () => undefined,
  fdatasync: (_fd, done) => done(null),
};

/** An empty store with all migrations behind it. Disposing it removes it, or empties it for the next one. */
export async function openTestStore(engine: EngineName): Promise<Database> {
  if (engine === 'sqljs') {
    const folder = await temporaryFolder();
    await putMigratedStore(folder.path);
    return withCleanUp(await openSqljsDatabase(folder.path, unflushed), folder);
  }
  const lent = await lendPostgresDatabase(() => createPostgresDatabase({ migrated: true }));
  const database = await openPostgresDatabase(lent.url, Math.random, async () => lent.connections);
  return withCleanUp(database, lent);
}

function withCleanUp(database: Database, place: AsyncDisposable): Database {
  return {
    ...database,
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}
