import { copyFile, mkdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { latestVersion, migrate, migrations, schemaVersion } from '../../../src/platform/store/migrations.ts';
import { openDatabase } from '../../../src/platform/store/open.ts';
import { openPostgresDatabase } from '../../../src/platform/store/postgres/postgres-database.ts';
import { openSqljsDatabase } from '../../../src/platform/store/sqljs/sqljs-database.ts';
import { jobRow } from '../../support/jobs.ts';
import { bothEngines, createPostgresDatabase, putMigratedStore, temporaryFolder } from '../../support/stores.ts';

/** A store with some hundred pages. */
async function makeStore(dataDir: string): Promise<string> {
  await putMigratedStore(dataDir);
  await using database = await openDatabase({ dataDir });
  for (let index = 0; index < 100; index += 1)
    await database.db
      .insertInto('jobs')
      .values(jobRow(`row ${index}`, { payload: 'x'.repeat(5_000) }))
      .execute();
  return join(dataDir, 'store.db');
}

async function plainSqlite(statements: string): Promise<Uint8Array> {
  const { default: initSqlJs } = await import('sql.js');
  const { Database } = await initSqlJs();
  const database = new Database();
  try {
    database.run(statements);
    return database.export();
  } finally {
    database.close();
  }
}

describe('opening the embedded store', () => {
  it('makes it where there is none, for nobody else to read', async () => {
    await using folder = await temporaryFolder();
    const dataDir = join(folder.path, 'a', 'b');
    await expect(openDatabase({ dataDir })).rejects.toMatchObject({ kind: 'missing', code: 'STORE_MISSING' });
    await using database = await openDatabase({ dataDir, create: true, migrate: true });
    expect(await schemaVersion(database)).toBe(latestVersion());
    await database.db.insertInto('jobs').values(jobRow('a')).execute();
    const modes = await Promise.all(
      ['', 'store.db', 'store.db-wal'].map(async (name) => (await stat(join(dataDir, name))).mode & 0o777),
    );
    expect(modes).toEqual([0o700, 0o600, 0o600]);
  });

  it('tells a second opener who has it', async () => {
    await using folder = await temporaryFolder();
    await putMigratedStore(folder.path);
    await using database = await openDatabase({ dataDir: folder.path, command: 'conclave serve' });
    await expect(openDatabase({ dataDir: folder.path, command: 'conclave status' })).rejects.toMatchObject({
      kind: 'conflict',
      code: 'STORE_IN_USE',
      message: expect.stringContaining(`conclave serve (process ${process.pid}, since `),
    });
    await database[Symbol.asyncDispose]();
    await using second = await openDatabase({ dataDir: folder.path });
    expect(second.engine).toBe('sqljs');
  });

  it('keeps several stores of one process apart', async () => {
    await using folder = await temporaryFolder();
    const databases = await Promise.all(
      [1, 2, 3].map((index) => openDatabase({ dataDir: join(folder.path, `${index}`), migrate: true })),
    );
    await Promise.all(
      databases.map((database, index) =>
        database.db
          .insertInto('jobs')
          .values(jobRow(`of ${index}`))
          .execute(),
      ),
    );
    for (const [index, database] of databases.entries())
      expect(await database.db.selectFrom('jobs').select('id').execute()).toEqual([{ id: `of ${index}` }]);
    await Promise.all(databases.map((database) => database[Symbol.asyncDispose]()));
  });

  it('refuses what is not a store, and leaves it as it is', async () => {
    await using folder = await temporaryFolder();
    const contents: [string, Uint8Array][] = [
      ['text', Buffer.from('# my notes\n'.repeat(1000))],
      ['short', Buffer.from('x')],
      ['zeros', Buffer.alloc(20_000)],
      ['foreign', await plainSqlite('create table notes(text); insert into notes values (1)')],
      ['application', await plainSqlite('pragma application_id = 7; create table notes(text)')],
    ];
    for (const [name, content] of contents) {
      const dataDir = join(folder.path, name);
      await mkdir(dataDir);
      const file = join(dataDir, 'store.db');
      await writeFile(file, content);
      const opening = openDatabase({ dataDir, migrate: true });
      await expect(opening, name).rejects.toMatchObject({
        kind: 'invalid',
        code: 'STORE_NOT_A_STORE',
        message: expect.stringMatching(/Move it away.*conclave admin store restore/),
      });
      expect(Buffer.compare(await readFile(file), content), name).toBe(0);
    }
    const dataDir = join(folder.path, 'folder');
    await mkdir(join(dataDir, 'store.db'), { recursive: true });
    await expect(openDatabase({ dataDir, migrate: true })).rejects.toMatchObject({ code: 'STORE_NOT_A_STORE' });
  });

  it('takes an empty file for a store that is still to be made', async () => {
    await using folder = await temporaryFolder();
    await writeFile(join(folder.path, 'store.db'), '');
    await using database = await openDatabase({ dataDir: folder.path, migrate: true });
    expect(await schemaVersion(database)).toBe(latestVersion());
  });

  it('refuses a damaged store and says what to do', async () => {
    await using folder = await temporaryFolder();
    const damage: [string, (file: string) => Promise<void>][] = [
      ['cut to half', async (file) => await truncate(file, 200_000)],
      ['cut to its first page', async (file) => await truncate(file, 4096)],
      ['cut in its header', async (file) => await truncate(file, 50)],
      ['first page', async (file) => await overwrite(file, 100, 3000)],
      ['page size', async (file) => await overwrite(file, 16, 2)],
    ];
    const whole = await makeStore(join(folder.path, 'whole'));
    for (const [name, harm] of damage) {
      const dataDir = join(folder.path, name);
      await mkdir(dataDir);
      await copyFile(whole, join(dataDir, 'store.db'));
      await harm(join(dataDir, 'store.db'));
      const opening = openDatabase({ dataDir, migrate: true });
      await expect(opening, name).rejects.toMatchObject({
        kind: 'internal',
        code: 'STORE_DAMAGED',
        message: expect.stringMatching(/conclave admin store restore/),
      });
      // The lock was given back: a second try meets the same, not the first.
      await expect(openDatabase({ dataDir }), name).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    }
  });

  it('finds damage inside when it gets there, and reads the rest', async () => {
    await using folder = await temporaryFolder();
    const file = await makeStore(folder.path);
    await overwrite(file, (await stat(file)).size - 60_000, 40_000);
    await using database = await openDatabase({ dataDir: folder.path });
    await expect(database.db.selectFrom('jobs').selectAll().execute()).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    expect(await database.db.selectFrom('members').selectAll().execute()).toEqual([]);
  });
});

async function overwrite(file: string, at: number, size: number): Promise<void> {
  const content = await readFile(file);
  content.fill(0xa5, at, at + size);
  await writeFile(file, content);
}

describe.each(bothEngines)('versions of a store on %s', (engine) => {
  async function place(): Promise<AsyncDisposable & { options: { dataDir: string; url?: string } }> {
    const folder = await temporaryFolder();
    if (engine === 'sqljs')
      return { options: { dataDir: folder.path }, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
    const created = await createPostgresDatabase({ migrated: false });
    return {
      options: { dataDir: folder.path, url: created.url },
      async [Symbol.asyncDispose]() {
        await created[Symbol.asyncDispose]();
        await folder[Symbol.asyncDispose]();
      },
    };
  }

  const openRaw = async ({ dataDir, url }: { dataDir: string; url?: string }) =>
    url === undefined ? await openSqljsDatabase(dataDir) : await openPostgresDatabase(url);

  it(
    'are refused when newer than the program, and when older without leave to migrate',
    { tags: 'thorough' },
    async () => {
      await using here = await place();
      await expect(openDatabase({ ...here.options, create: false })).rejects.toMatchObject({ code: 'STORE_MISSING' });
      {
        await using database = await openRaw(here.options);
        await migrate(database, () => 5, migrations.slice(0, 1));
      }
      await expect(openDatabase(here.options)).rejects.toMatchObject({
        kind: 'conflict',
        code: 'STORE_TOO_OLD',
        message: expect.stringMatching(/conclave admin store migrate/),
      });
      {
        await using database = await openDatabase({ ...here.options, migrate: true });
        expect(await schemaVersion(database)).toBe(latestVersion());
        await sql`insert into schema_migrations (version, name, applied_at) values (999, 'future', 0)`.execute(
          database.db,
        );
      }
      const refusal = {
        kind: 'conflict',
        code: 'STORE_TOO_NEW',
        message: expect.stringMatching(/version 999.*newer program/),
      };
      await expect(openDatabase(here.options)).rejects.toMatchObject(refusal);
      await expect(openDatabase({ ...here.options, migrate: true })).rejects.toMatchObject(refusal);
      await using database = await openRaw(here.options);
      await expect(migrate(database)).rejects.toMatchObject(refusal);
    },
  );
});
