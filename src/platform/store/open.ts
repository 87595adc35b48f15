import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '../../base/problem.ts';
import { copyBeforeUpdate } from './before-update.ts';
import type { Database } from './database.ts';
import { acquireLock } from './lock.ts';
import { latestVersion, migrate, refuseNewer, schemaVersion } from './migrations.ts';
import { refuseMoved } from './moved.ts';
import { finishRestore, restoreFolders } from './pending-restore.ts';
import { acquireServerLock, type ServerStart } from './wait-for-lock.ts';

export interface OpenOptions {
  /** The folder with store.db, blocks and sockets. If it is missing and `create` is set, it is made with mode 0700. */
  readonly dataDir: string;
  /** postgres://… for PostgreSQL; without it the embedded engine uses its file in `dataDir` */
  readonly url?: string | undefined;
  /** Bring an older store up to date instead of refusing it. */
  readonly migrate?: boolean | undefined;
  /** Make a missing store instead of refusing. The default is the value of `migrate`. */
  readonly create?: boolean | undefined;
  /** Shown to a second process that wants the store, such as "conclave serve". */
  readonly command?: string | undefined;
  /** set by a server: it waits for a command that has the store, and others learn that it is a server */
  readonly server?: ServerStart | undefined;
  /** set by a server with the embedded engine: it copies an older store, says where, and brings it up to date */
  readonly onUpdate?: ((update: StoreUpdate) => void) | undefined;
  /** milliseconds since 1970 */
  readonly now?: (() => number) | undefined;
}

export interface StoreUpdate {
  readonly from: number;
  readonly to: number;
  /** the path of the database as it was before */
  readonly copy: string;
}

function missing(): Problem {
  return new Problem('missing', 'STORE_MISSING', 'There is no store here yet.');
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch {
    return false;
  }
}

async function bringUp(database: Database, options: OpenOptions): Promise<Database> {
  const version = await schemaVersion(database);
  refuseNewer(version);
  if (version === latestVersion()) return database;
  if (version === 0 && !(options.create ?? options.migrate)) throw missing();
  if (version > 0 && !options.migrate) {
    if (options.onUpdate !== undefined && database.engine === 'sqljs') return await update(database, version, options);
    throw new Problem(
      'conflict',
      'STORE_TOO_OLD',
      `The store has version ${version}, and this program needs version ${latestVersion()}. Bring it up to date: conclave admin store migrate`,
    );
  }
  await migrate(database, options.now);
  return database;
}

/** Others may serve a store on PostgreSQL with the program of before, so that one is brought up to date by its operator alone. */
async function update(database: Database, from: number, { dataDir, now, onUpdate }: OpenOptions): Promise<Database> {
  const copy = await copyBeforeUpdate(database, dataDir, { version: from, now: (now ?? Date.now)() });
  const { to } = await migrate(database, now);
  onUpdate?.({ from, to, copy });
  return database;
}

async function openEmbedded(options: OpenOptions): Promise<Database> {
  const { dataDir, command = 'another command', server, now } = options;
  // sql.js has a megabyte, so it is loaded only when it is used.
  const [{ openSqljsDatabase, storeFile }, { loadBuild }] = await Promise.all([
    import('./sqljs/sqljs-database.ts'),
    import('./sqljs/build.ts'),
  ]);
  if (options.create ?? options.migrate) await mkdir(dataDir, { recursive: true, mode: 0o700 });
  else if (!(await exists(join(dataDir, storeFile))) && !(await exists(join(dataDir, restoreFolders.pending))))
    throw missing();
  // Other threads compile while this one takes the lock. Opening awaits the same promise and throws its error.
  void loadBuild().catch(() => undefined);
  const lock =
    server === undefined
      ? await acquireLock(dataDir, command, { now })
      : await acquireServerLock(dataDir, command, now, server);
  try {
    await finishRestore(dataDir);
    await refuseMoved(dataDir);
    const database = await openSqljsDatabase(dataDir);
    return {
      ...database,
      async [Symbol.asyncDispose]() {
        await database[Symbol.asyncDispose]();
        await lock[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await lock[Symbol.asyncDispose]();
    throw error;
  }
}

async function openPostgres(url: string): Promise<Database> {
  const { openPostgresDatabase } = await import('./postgres/postgres-database.ts');
  return await openPostgresDatabase(url);
}

/**
 * Opens the store. The embedded engine locks the data directory until the database is disposed. PostgreSQL serves any number of processes.
 * @throws Problem missing STORE_MISSING; conflict STORE_IN_USE, STORE_MOVED, STORE_TOO_NEW, STORE_TOO_OLD; invalid STORE_NOT_A_STORE,
 *   STORE_URL; internal STORE_DAMAGED, STORE_ENGINE; unavailable STORE_FULL, STORE_UNAVAILABLE
 */
export async function openDatabase(options: OpenOptions): Promise<Database> {
  const database = options.url === undefined ? await openEmbedded(options) : await openPostgres(options.url);
  try {
    return await bringUp(database, options);
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw error;
  }
}
