import { copyFile, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '../../base/problem.ts';
import type { Database } from './database.ts';
import { isFullDisk, storeFull } from './full-disk.ts';
import { syncFile, syncFolder } from './pending-restore.ts';

/** In the data directory: the database as it was before a program of a newer version brought it up to date. */
const folderName = 'before-update';
/** Whoever goes back later than that loses more than the update gave. */
const KEPT_MS = 30 * 86_400_000;

/**
 * Copies the embedded database, for who goes back to the program of before. The copy is on the disk when this resolves. It takes the place
 * of the copies of earlier updates.
 *
 * @param version of the store
 * @param now milliseconds since 1970
 * @returns the path of the copy
 * @throws Problem unavailable STORE_FULL | STORE_UNAVAILABLE
 */
export async function copyBeforeUpdate(
  database: Database,
  dataDir: string,
  { version, now }: { readonly version: number; readonly now: number },
): Promise<string> {
  const folder = join(dataDir, folderName);
  const name = `store-${version}-${new Date(now).toISOString().slice(0, 19).replaceAll(':', '')}Z.db`;
  const partial = join(folder, `${name}.new`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await database.snapshot(async (snapshot) => {
      if (snapshot.kind !== 'file') throw new Error('only the embedded engine has a file to copy');
      await copyFile(snapshot.file, partial);
    });
    await syncFile(partial);
    await rename(partial, join(folder, name));
    await syncFolder(folder);
    await syncFolder(dataDir);
  } catch (error) {
    await rm(partial, { force: true }).catch(() => undefined);
    throw notCopied(error, folder);
  }
  for (const other of await readdir(folder)) if (other !== name) await rm(join(folder, other), { force: true });
  return join(folder, name);
}

function notCopied(error: unknown, folder: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  // Of the store itself, such as no room to empty its log.
  if (error instanceof Problem || code === undefined) return error;
  if (isFullDisk(code)) return storeFull(error);
  const words = `The store could not be copied to ${folder} (${code}), so it stays as it is. Check that folder, then start the server again`;
  return new Problem('unavailable', 'STORE_UNAVAILABLE', words, { cause: error });
}

/** Deletes copies after a month: what members have deleted since is in them. */
export async function forgetUpdates(dataDir: string, now: number): Promise<void> {
  const folder = join(dataDir, folderName);
  for (const name of await readdir(folder).catch(() => [])) {
    const { mtimeMs } = await stat(join(folder, name));
    if (now - mtimeMs > KEPT_MS) await rm(join(folder, name), { force: true });
  }
}
