import { join } from 'node:path';
import { sql, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { Database } from '../database.ts';
import { handlesOf, isRead, type Session } from '../executor.ts';
import { createListeners } from '../signals.ts';
import { loadBuild } from './build.ts';
import { autoCheckpointPages, createSnapshots } from './checkpoint.ts';
import { openConnection, type Connection } from './connection.ts';
import { nodeDisk, type Disk } from './disk.ts';
import { notAStore, storeChanged } from './failure.ts';
import { openFiles, type Files } from './files.ts';
import { createGroupCommit } from './group-commit.ts';
import { inPlaceCheck } from './in-place.ts';
import { applicationId, checkHeader } from './header.ts';
import { startRuntime } from './runtime.ts';
import { queryResult } from './transaction-session.ts';

export const storeFile = 'store.db';

/** Settings for a new SQLite connection. */
const settings = [
  'journal_mode = wal',
  // Flushes the log at each commit; with the default of WAL, a power failure would lose the newest commits.
  'synchronous = full',
  'foreign_keys = on',
  'temp_store = memory',
  'cell_size_check = on',
  'trusted_schema = off',
  // LIKE is case-sensitive, as on PostgreSQL.
  'case_sensitive_like = on',
  // 16,000 pages of 4 KiB, of a store that has so many. A page that is not in this cache is one read from the page cache of the system,
  // which takes ten times as long: a timeline of a thousand members looks at a thousand places of an index.
  'cache_size = 16000',
  // The log is moved into the database every 4 MiB. After a large transaction its file shrinks to 16 MiB again.
  `wal_autocheckpoint = ${autoCheckpointPages}`,
  'journal_size_limit = 16777216',
  // What is deleted is overwritten where its page is written anyway: keys of files that were destroyed, and secrets of sessions.
  'secure_delete = fast',
] as const;

const dialect = {
  createAdapter: () => new SqliteAdapter(),
  createQueryCompiler: () => new SqliteQueryCompiler(),
  createIntrospector: (db: ConstructorParameters<typeof SqliteIntrospector>[0]) => new SqliteIntrospector(db),
};

function single(connection: Connection, statement: string): unknown {
  return Object.values(connection.run(statement, []).rows[0] ?? {})[0];
}

function set(connection: Connection, setting: string): void {
  connection.run(`pragma ${setting}`, []);
}

/** @throws Problem STORE_NOT_A_STORE for another program's database, STORE_DAMAGED for one that SQLite can't read */
function prepare(connection: Connection): void {
  // This must come before the first use of the log: the log's index is then kept in memory that is not shared with other processes.
  set(connection, 'locking_mode = exclusive');
  // This is the first read: SQLite rolls back changes of a dead process, and compares the size of the file with its header.
  const tables = single(connection, 'select count(*) from sqlite_schema');
  const isOurs = single(connection, 'pragma application_id') === applicationId;
  if (!isOurs && tables !== 0) throw notAStore('it is the database of another program');
  // We make no triggers and views. Foreign ones would run with our writes and reads, and hide or change data.
  const strange = single(connection, "select type || ' ' || name from sqlite_schema where type in ('trigger', 'view')");
  if (typeof strange === 'string') throw storeChanged(strange);
  for (const setting of settings) set(connection, setting);
  if (!isOurs) set(connection, `application_id = ${applicationId}`);
}

function createDatabase(connection: Connection, file: string, files: Files, assertInPlace: () => void): Database {
  const handles = handlesOf(dialect);
  const listeners = createListeners();
  const groups = createGroupCommit(connection, handles, ({ channel, payload }) => listeners.signal(channel, payload), {
    assertInPlace,
    committing: (commit) => files.committing(commit),
  });

  const snapshots = createSnapshots(connection, groups);
  let closing: Promise<void> | undefined;

  const outside: Session = {
    async execute(query) {
      if (!isRead(query)) return await groups.submit((db) => db.executeQuery(query));
      // Nothing may run between this wait and the statement: changes that a group has not committed must stay invisible.
      while (groups.busy) await groups.idle();
      return queryResult(connection.run(query.sql, query.parameters));
    },
    async notify(channel, payload) {
      listeners.signal(channel, payload);
    },
    async atCommit() {
      throw new Error('a statement at the commit joins a transaction');
    },
    async savepoint() {
      throw new Error('a savepoint joins a transaction');
    },
  };

  async function close(): Promise<void> {
    const answered = groups.close();
    await snapshots.idle();
    await answered;
    connection.close();
  }

  return {
    engine: 'sqljs',
    db: handles.store(outside),
    transaction: (body) => groups.submit(body),
    // Only one process uses this store.
    exclusively: (body) => groups.submit(body, true),
    inTurn: (body) => groups.submit(body),
    async assertWritable() {
      assertInPlace();
      if (groups.unwritable)
        await groups.submit(
          async (db) => await sql`update schema_migrations set applied_at = applied_at where version = 1`.execute(db),
        );
    },
    snapshot: (body) => snapshots.take(() => body({ kind: 'file', file })),
    async listen(channel, listener) {
      const remove = listeners.add(channel, listener);
      return { [Symbol.asyncDispose]: async () => remove() };
    },
    [Symbol.asyncDispose]() {
      closing ??= close();
      return closing;
    },
  };
}

/**
 * Opens the store of a data directory, or makes an empty one. The caller has locked the directory.
 * @throws Problem STORE_NOT_A_STORE, STORE_DAMAGED, STORE_FULL, STORE_UNAVAILABLE, STORE_ENGINE
 */
export async function openSqljsDatabase(dataDir: string, disk: Disk = nodeDisk): Promise<Database> {
  const path = join(dataDir, storeFile);
  checkHeader(path);
  const files = openFiles(dataDir, disk);
  const connection = openConnection(await startRuntime(await loadBuild(), files), files, storeFile);
  try {
    prepare(connection);
    return createDatabase(connection, path, files, inPlaceCheck(dataDir, storeFile, disk));
  } catch (error) {
    connection.close();
    throw error;
  }
}
