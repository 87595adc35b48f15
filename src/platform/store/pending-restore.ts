import { dirname, join } from 'node:path';
import { nodeFiles, type StoreFiles } from './files.ts';

/**
 * A restore changes files that belong together: the database, the node secret, the erasure keys, the id of the blocks. It must also remove
 * the log of the old database, because SQLite would replay that log into the new database. The restore prepares everything in a folder in the
 * data directory. The new store counts from the moment when this folder is renamed. The steps that remain are done in this file: by the
 * restore, or, if it was killed, by the next process that opens the store.
 */
export const restoreFolders = { partial: 'restore.partial', pending: 'restore.pending' } as const;

/** Lies beside store.db and says that the store of this folder moved. Deleting it puts the old store back in use. See moved.ts. */
export const movedFile = 'store.moved.json';

/** These files lie beside store.db; SQLite recovers from them. */
const oldLogs = ['store.db-wal', 'store.db-journal', 'store.db-shm'] as const;

/** The names in the folder of the restore, and where they go. */
const places = {
  'store.db': 'store.db',
  'node.secret': 'node.secret',
  'erasure.keys': 'erasure.keys',
  // Names the store that the blocks belong to.
  'store.id': join('blocks', 'store.id'),
} as const;
/** What may come with the database. */
export type InStep = Exclude<keyof typeof places, 'store.db'>;

/**
 * Completes a restore that reached its point of no return, or removes the files of a restore that did not. The caller has locked the data
 * directory, and has read neither the database nor the node secret. If this call is cut off, it can be repeated.
 */
export async function finishRestore(dataDir: string, files: StoreFiles = nodeFiles): Promise<void> {
  const { mkdir, rename, rm } = files;
  // Removes the files of a restore that was killed before its point of no return.
  await rm(join(dataDir, restoreFolders.partial), { recursive: true, force: true });
  const pending = join(dataDir, restoreFolders.pending);
  const names = await namesIn(pending, files);
  if (names === undefined) return;
  if (names.includes('store.db')) {
    // The restored store is in use here, even if the old one moved.
    for (const name of [...oldLogs, movedFile]) await rm(join(dataDir, name), { force: true });
    // The removal of the old log must be durable before the new database is in its place.
    await syncFolder(dataDir, files);
  }
  for (const [name, place] of Object.entries(places)) {
    if (!names.includes(name)) continue;
    const folder = dirname(join(dataDir, place));
    if (folder !== dataDir) await mkdir(folder, { recursive: true, mode: 0o700 });
    await rename(join(pending, name), join(dataDir, place));
    if (folder !== dataDir) await syncFolder(folder, files);
  }
  await syncFolder(dataDir, files);
  await rm(pending, { recursive: true, force: true });
  await syncFolder(dataDir, files);
}

async function namesIn(folder: string, { readdir }: StoreFiles): Promise<string[] | undefined> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Makes the names in a folder survive a crash, on systems that can flush a folder. */
export async function syncFolder(folder: string, { open }: StoreFiles = nodeFiles): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } catch (error) {
    if (!['EINVAL', 'ENOTSUP', 'EBADF'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  } finally {
    await handle.close();
  }
}

/** Flushes a file's content. */
export async function syncFile(file: string, { open }: StoreFiles = nodeFiles): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
