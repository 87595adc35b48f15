import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '../../base/problem.ts';
import type { Database } from './database.ts';
import { acquireLock } from './lock.ts';
import { migrate, schemaVersion, type MigrationReport } from './migrations.ts';
import { refuseMoved } from './moved.ts';
import { finishRestore } from './pending-restore.ts';

export interface MigrateOptions {
  readonly dataDir: string;
  readonly url?: string | undefined;
  /** shown to another process that wants the store */
  readonly command: string;
}

/**
 * Brings a store up to date and returns the old and the new version. `openDatabase` can also do this.
 *
 * @throws Problem missing STORE_MISSING | conflict STORE_IN_USE | STORE_MOVED | STORE_TOO_NEW
 */
export async function migrateStore({ dataDir, url, command }: MigrateOptions): Promise<MigrationReport> {
  if (url !== undefined) {
    const { openPostgresDatabase } = await import('./postgres/postgres-database.ts');
    await using database = await openPostgresDatabase(url);
    return await migrateExisting(database);
  }
  const { openSqljsDatabase, storeFile } = await import('./sqljs/sqljs-database.ts');
  // A missing folder can't be locked.
  if (!(await isThere(dataDir))) throw missing();
  const lock = await acquireLock(dataDir, command);
  try {
    await finishRestore(dataDir);
    await refuseMoved(dataDir);
    if (!(await isThere(join(dataDir, storeFile)))) throw missing();
    await using database = await openSqljsDatabase(dataDir);
    return await migrateExisting(database);
  } finally {
    await lock[Symbol.asyncDispose]();
  }
}

async function migrateExisting(database: Database): Promise<MigrationReport> {
  if ((await schemaVersion(database)) === 0) throw missing();
  return await migrate(database);
}

function missing(): Problem {
  return new Problem('missing', 'STORE_MISSING', 'There is no store here yet.');
}

async function isThere(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}
