import { join } from 'node:path';
import { Problem } from '../../../base/problem.ts';
import { systemRandom } from '../../../crypto/bytes.ts';
import { openBlocks } from '../blocks/blocks.ts';
import { idOf, idText, nameBlockFolder } from '../blocks/folder-id.ts';
import { tableCounts } from '../census.ts';
import type { Database } from '../database.ts';
import { nodeFiles, type StoreFiles } from '../files.ts';
import { asStoreFull } from '../full-disk.ts';
import { migrate, schemaVersion } from '../migrations.ts';
import { openDatabase } from '../open.ts';
import { finishRestore, restoreFolders, syncFile, syncFolder, type InStep } from '../pending-restore.ts';
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
  /** folder for the blocks and the embedded store; the caller has locked it and has finished an older restore in it */
  readonly dataDir: string;
  /** set when the store is in PostgreSQL */
  readonly url?: string | undefined;
  /** replace an existing store */
  readonly force: boolean;
  /** Sees the database as it will be, and may change it. */
  readonly inspect?: ((staged: Database) => Promise<void>) | undefined;
  /** Files that are put into the data directory together with the store, for the embedded engine; asked for after `inspect`. */
  readonly inStep?: (() => readonly { readonly name: InStep; readonly content: Uint8Array | string }[]) | undefined;
  /** Runs when everything is checked and prepared, before the store changes. */
  readonly beforeSwitch?: (() => Promise<void>) | undefined;
  readonly onProgress?: OnProgress | undefined;
  /** the disk that the restore writes to, for its own files and for the embedded engine */
  readonly files?: StoreFiles | undefined;
  readonly disk?: Disk | undefined;
}

export interface RestoredStore {
  readonly schemaVersion: number;
  /** the tables as they are restored, without the rows of sessions */
  readonly tables: readonly { readonly name: string; readonly rows: number }[];
  /** how many sessions the backup had; all of them are ended */
  readonly endedSessions: number;
}

/**
 * Puts a backup in place of a store. The restore is complete, or it changes nothing when it is refused or cut off. Before the store
 * changes, the backup is read to its end, and its database is opened, migrated and checked. Blocks are added first, since an unneeded block
 * does no harm. All sessions end, so everybody signs in again.
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
    const { blockFolder, ...restored } = await prepare(partial, disk, onProgress, options.inspect);
    await extractBlocks(backup, openBlocks(dataDir, files), { alone: target === undefined, onProgress });
    await options.beforeSwitch?.();
    if (target) {
      await using staged = await openSqljsDatabase(partial);
      await target.exclusively(
        async (db) => await copyTables(staged, { db, engine: target.engine }, { replace: options.force, onProgress }),
      );
      // Blocks of another store may be there too, and nothing refers to them any more.
      await nameBlockFolder(dataDir, blockFolder);
    } else {
      await switchTo(partial, options, blockFolder, files);
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

/** Opens the database of the backup in its folder, migrates it, checks that it is sound, and ends its sessions. */
async function prepare(
  folder: string,
  disk: Disk,
  onProgress: OnProgress,
  inspect: RestoreOptions['inspect'],
): Promise<RestoredStore & { readonly blockFolder: string }> {
  try {
    await using staged = await openSqljsDatabase(folder, disk);
    // The check comes before the first write: a trigger would run with the first row that a migration changes.
    const [strange] = await schemaFaults(staged, await schemaVersion(staged));
    if (strange !== undefined) throw damaged(`its database was changed: ${strange}`);
    await migrate(staged);
    const fault = (await checkDatabase(staged, onProgress)).find(({ ok }) => !ok);
    if (fault) throw damaged(`its database is not sound (${fault.detail})`);
    const endedSessions = await endSessions(staged);
    await inspect?.(staged);
    const blockFolder = await idOf(staged, systemRandom);
    return {
      blockFolder,
      schemaVersion: await schemaVersion(staged),
      tables: await tableCounts(staged),
      endedSessions,
    };
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

/** The new store counts from the rename on; see pending-restore.ts. */
async function switchTo(
  partial: string,
  { dataDir, inStep }: RestoreOptions,
  blockFolder: string,
  files: StoreFiles,
): Promise<void> {
  const { rename, writeFile } = files;
  if (await exists(join(partial, `${storeFile}-wal`))) throw new Error('the restored database was not closed properly');
  const besides = [...(inStep?.() ?? []), { name: 'store.id' as const, content: idText(blockFolder) }];
  for (const { name, content } of besides)
    await writeFile(join(partial, name), content, { mode: 0o600, flag: 'wx', flush: true });
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
 * Ends what must not outlive the moment of a backup. After the backup, a logout, a change of password or a suspension may have ended a
 * session. That session would be valid again with its token. Nobody knows any more which sessions these are, so all of them are removed,
 * with their secrets. Remembered answers are removed too: one may hold a token, and a key that a request had just taken would never get its
 * answer. Nonces of answered challenges stay. Events are forgotten, and event numbers go on from a higher one: a client that saw events
 * published since the backup must not take the next events for their continuation.
 *
 * @returns how many sessions there were
 */
export async function endSessions(database: Database): Promise<number> {
  return await database.transaction(async (db) => {
    const { numDeletedRows } = await db.deleteFrom('sessions').executeTakeFirstOrThrow();
    await db.deleteFrom('idempotency_keys').execute();
    await db.deleteFrom('block_processes').execute();
    await forgetEvents(db);
    // Somebody who left after the backup was made is a member again, and has keys of that time.
    await db.updateTable('room_key_heads').set({ closed: 1 }).execute();
    return Number(numDeletedRows);
  });
}
