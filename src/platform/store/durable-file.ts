import { randomBytes } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from './pending-restore.ts';

/** Small files beside the store, which say something that the store itself can't. */

/** @returns the text of the file; undefined if there is none */
export async function readIfThere(path: string): Promise<string | undefined> {
  return await readFile(path, 'utf8').catch(ifMissing);
}

/** For `catch`: a file that isn't there is undefined. */
export function ifMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  return undefined;
}

/**
 * Replaces the file, completely or not at all, also if several processes do so at once. When this resolves, the new text survives a power
 * failure.
 */
export async function replaceDurably(path: string, text: string): Promise<void> {
  const partial = `${path}.${randomBytes(6).toString('hex')}.new`;
  try {
    const file = await open(partial, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}
