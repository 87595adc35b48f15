import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readdir, unlink, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ifMissing } from '../durable-file.ts';

/** Files of secrets that are replaced, and what is left of the earlier ones is overwritten. */

/** What follows the name of the file in the names of what a process that was killed leaves. */
const leftOver = /^\.[0-9a-f]{12}\.(?:new|old)$/;
/** A file is written within milliseconds. If it takes longer, who writes it begins anew. */
const GRACE_MS = 250;
/** How often a step begins anew because another process got in between; each time, that process did something that it does once. */
export const MOST_TRIES = 10;

export async function write(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Best effort: file systems that write to new places, and flash memory, keep the old bytes for a while. */
export async function overwrite(file: FileHandle): Promise<void> {
  const zeros = new Uint8Array(64 * 1024);
  const { size } = await file.stat();
  for (let done = 0; done < size;)
    done += (await file.write(zeros, 0, Math.min(zeros.length, size - done), done)).bytesWritten;
  await file.sync();
}

/** A process that was killed leaves files with seeds of slots that are erased, now or later. */
export async function removeLeftOvers(path: string): Promise<void> {
  for (const name of await leftOvers(path)) await discard(name);
}

/** Without the lock of those who erase, it is only known that a file is left over when it stays longer than they need it. */
export async function removeLeftOversUnlocked(path: string): Promise<void> {
  const found = await leftOvers(path);
  if (found.length === 0) return;
  await sleep(GRACE_MS);
  for (const name of found) await discard(name);
}

async function leftOvers(path: string): Promise<string[]> {
  const [folder, name] = [dirname(path), basename(path)];
  const names = await readdir(folder);
  return names
    .filter((other) => other.startsWith(name) && leftOver.test(other.slice(name.length)))
    .map((other) => join(folder, other));
}

/**
 * Removes a file, and overwrites it if it has no other name. It may be another process that is about to give it one: that fails after the
 * removal, and only then is it certain that nobody needs the content.
 */
export async function discard(path: string): Promise<void> {
  const file = await open(path, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0)).catch(ifMissing);
  if (file === undefined) return;
  try {
    if (!(await remove(path)) || (await file.stat()).nlink > 0) return;
    // The file is gone in any case. A full disk that writes to new places can't overwrite.
    if (await isFlushed(dirname(path))) await overwrite(file).catch(() => undefined);
  } finally {
    await file.close();
  }
}

/** @returns whether there was one */
export async function remove(path: string): Promise<boolean> {
  return (await unlink(path).then(() => true, ifMissing)) ?? false;
}

/** Flushes the names in a folder. @returns whether they are on the disk for certain; not every system can say so */
export async function isFlushed(folder: string): Promise<boolean> {
  if (process.platform === 'win32') return false;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
    return true;
  } catch (error) {
    if (['EINVAL', 'ENOTSUP', 'EBADF'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  } finally {
    await handle.close();
  }
}

/** Begins anew when another process that opens the keys took the new file for one that was left over. */
export async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      const { code, syscall } = error as NodeJS.ErrnoException;
      const wasTaken = code === 'ENOENT' && (syscall === 'rename' || syscall === 'link');
      if (!wasTaken || tries === MOST_TRIES) throw error;
    }
  }
}

export function ending(kind: 'new' | 'old'): string {
  return `.${randomBytes(6).toString('hex')}.${kind}`;
}
