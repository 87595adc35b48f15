import { join } from 'node:path';
import { Problem } from '../../problem.ts';
import { openBlocks } from '../blocks/blocks.ts';
import { tableCounts } from '../census.ts';
import type { Database } from '../database.ts';
import { nodeFiles, type StoreFiles } from '../files.ts';
import { asStoreFull } from '../full-disk.ts';
import { migrate, schemaVersion } from '../migrations.ts';
import { openDatabase } from '../open.ts';
import { finishRestore, restoreFolders, syncFile, syncFolder } from '../pending-restore.ts';
import { nodeDisk, type Disk } from '../sqljs/disk.ts';
import { openSqljsDatabase, storeFile } from '../sqljs/sqljs-database.ts';
import { schemaFaults } from '../schema.ts';
import { copyTables, refuseRows, storeExists } from '../transfer/copy-tables.ts';
import { calm, type OnProgress } from '../transfer/progress.ts';
import { tableShapes } from '../transfer/table-shape.ts';
import { checkDatabase } from '../verify.ts';
import { damaged } from './damage.ts';
import { extractBlocks, extractDatabase } from './extract.ts';
import { codeOf } from './place.ts';
import type { Backup } from './read-backup.ts';
import { forgetEvents } from '../event-rows.ts';

export interface RestoreOptions {
  /** where blocks go, and the embedded store; locked by the caller, who has also finished an older restore in it */
  readonly dataDir: string;
  /** the store is in PostgreSQL */
  readonly url?: string | undefined;
  /** replace a store that is there */
  readonly force: boolean;
  /** For the embedded engine: the node secret that takes its place in the data directory together with the store. */
  readonly secret?: Uint8Array | undefined;
  /** Runs when everything is checked and prepared, before the store changes. */
  readonly beforeSwitch?: (() => Promise<void>) | undefined;
  readonly onProgress?: OnProgress | undefined;
  /** the disk that it writes to: for itself, and for the embedded engine */
  readonly files?: StoreFiles | undefined;
  readonly disk?: Disk | undefined;
}

export interface RestoredStore {
  readonly schemaVersion: number;
  /** as they are restored, without those of sessions */
  readonly tables: readonly { readonly name: string; readonly rows: number }[];
  /** how many sessions the backup had: none of them goes on */
  readonly endedSessions: number;
}

/**
 * Puts a backup in place of a store: all of it, or, when it is refused or cut off anywhere, nothing. The backup is read to its end
 * and its database opened, brought up to date and checked before the store changes. Blocks come first; an unneeded one does no harm. Its sessions end: everybody signs in again.
 *
 * @throws Problem conflict STORE_EXISTS | invalid BACKUP_DAMAGED | unavailable STORE_FULL
 */
export async function restoreBackup(backup: Backup, options: RestoreOptions): Promise<RestoredStore> {
  const onProgress = calm(options.onProgress);
  const { dataDir, files = nodeFiles, disk = nodeDisk } = options;
  const { mkdir, rm } = files;
  if (options.url === undefined && !options.force && (await exists(join(dataDir, storeFile))))
    throw storeExists(storeFile);
  const partial = join(dataDir, restoreFolders.partial);
  await rm(partial, { recursive: true, force: true });
  try {
    await using target = options.url === undefined ? undefined : await openTarget(options.url, backup, options);
    await backup.checkContents(onProgress);
    await mkdir(partial, { mode: 0o700 });
    await extractDatabase(backup, join(partial, storeFile), files);
    const restored = await prepare(partial, disk, onProgress);
    await extractBlocks(backup, openBlocks(dataDir, files), { alone: target === undefined, onProgress });
    await options.beforeSwitch?.();
    if (target) {
      await using staged = await openSqljsDatabase(partial);
      await target.exclusively(
        async (db) => await copyTables(staged, { db, engine: target.engine }, { replace: options.force, onProgress }),
      );
    } else {
      await switchTo(partial, options, files);
    }
    return restored;
  } catch (error) {
    throw asStoreFull(error);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

async function openTarget(url: string, backup: Backup, { dataDir, force }: RestoreOptions): Promise<Database> {
  const target = await openDatabase({ dataDir, url, migrate: true, create: true });
  try {
    const known = new Set((await tableShapes(target)).map(({ name }) => name));
    if (!force)
      await refuseRows(
        target.db,
        backup.manifest.tables.map(({ name }) => name).filter((name) => known.has(name)),
      );
    return target;
  } catch (error) {
    await target[Symbol.asyncDispose]();
    throw error;
  }
}

/** Opens the database of the backup in its folder, brings it up to date, looks whether it is sound, and ends its sessions. */
async function prepare(folder: string, disk: Disk, onProgress: OnProgress): Promise<RestoredStore> {
  try {
    await using staged = await openSqljsDatabase(folder, disk);
    // Before anything is written: a trigger would run with the first row that a migration changes.
    const [strange] = await schemaFaults(staged, await schemaVersion(staged));
    if (strange !== undefined) throw damaged(`its database was changed: ${strange}`);
    await migrate(staged);
    const fault = (await checkDatabase(staged, onProgress)).find(({ ok }) => !ok);
    if (fault) throw damaged(`its database is not sound (${fault.detail})`);
    const endedSessions = await endSessions(staged);
    return { schemaVersion: await schemaVersion(staged), tables: await tableCounts(staged), endedSessions };
  } catch (error) {
    if (!(error instanceof Problem) || !['STORE_DAMAGED', 'STORE_NOT_A_STORE', 'STORE_CHANGED'].includes(error.code))
      throw error;
    throw damaged(
      error.code === 'STORE_CHANGED'
        ? `its database was changed: ${error.message}`
        : 'its database is not one of Conclave, or not sound',
      { cause: error },
    );
  }
}

/** From the rename on the new store counts; see pending-restore.ts. */
async function switchTo(partial: string, { dataDir, secret }: RestoreOptions, files: StoreFiles): Promise<void> {
  const { rename, writeFile } = files;
  if (await exists(join(partial, `${storeFile}-wal`))) throw new Error('the restored database was not closed properly');
  if (secret) await writeFile(join(partial, 'node.secret'), secret, { mode: 0o600, flag: 'wx', flush: true });
  await syncFile(join(partial, storeFile), files);
  await syncFolder(partial, files);
  await rename(partial, join(dataDir, restoreFolders.pending));
  await syncFolder(dataDir, files);
  await finishRestore(dataDir, files);
}

async function exists(file: string): Promise<boolean> {
  try {
    await nodeFiles.stat(file);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/**
 * Ends what must not outlive the moment of a backup. A session that was ended since, by a logout, a change of password or a
 * suspension, would live again with its token: which ones those are, nobody knows any more, so all of them go. Secrets of sessions
 * go with them. So do remembered answers: one may hold a token, and a key that a request had just taken then waits for nobody.
 * Nonces of answered challenges stay. What was published since the backup is forgotten: clients that heard of it must not take what comes
 * next for its continuation.
 *
 * @returns how many sessions there were
 */
export async function endSessions(database: Database): Promise<number> {
  return await database.transaction(async (db) => {
    const { numDeletedRows } = await db.deleteFrom('sessions').executeTakeFirstOrThrow();
    await db.deleteFrom('idempotency_keys').execute();
    await forgetEvents(db);
    return Number(numDeletedRows);
  });
}
