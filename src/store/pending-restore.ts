import { join } from 'node:path';
import { nodeFiles, type StoreFiles } from './files.ts';

/**
 * A restore changes two files that belong together, the database and the node secret, and has to get rid of the log of the
 * old database, which SQLite would otherwise replay into the new one. It prepares everything in a folder in the data directory;
 * renaming that folder is the moment from which on the new store counts. What then remains is done here: by the restore, or,
 * if it was killed, by whoever opens the store next.
 */
export const restoreFolders = { partial: 'restore.partial', pending: 'restore.pending' } as const;

/** Beside store.db: says that the store in this folder moved; whoever deletes it goes on with the old one. See moved.ts. */
export const movedFile = 'store.moved.json';

/** Beside store.db, for SQLite to recover from. */
const oldLogs = ['store.db-wal', 'store.db-journal', 'store.db-shm'] as const;

const moved = ['store.db', 'node.secret'] as const;

/**
 * Completes a restore that reached its point of no return; clears away one that did not. The caller has locked the data directory,
 * and has read neither the database nor the node secret. Cut off, it can be called again.
 */
export async function finishRestore(dataDir: string, files: StoreFiles = nodeFiles): Promise<void> {
  const { rename, rm } = files;
  // Files of a restore that was killed before that point.
  await rm(join(dataDir, restoreFolders.partial), { recursive: true, force: true });
  const pending = join(dataDir, restoreFolders.pending);
  const names = await namesIn(pending, files);
  if (names === undefined) return;
  if (names.includes('store.db')) {
    // The store that comes is in use here, wherever the old one moved.
    for (const name of [...oldLogs, movedFile]) await rm(join(dataDir, name), { force: true });
    // The old log must be gone for good before the new database is in its place.
    await syncFolder(dataDir, files);
  }
  for (const name of moved) if (names.includes(name)) await rename(join(pending, name), join(dataDir, name));
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

/** Makes the names in a folder survive a crash, where the system can flush a folder. */
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
