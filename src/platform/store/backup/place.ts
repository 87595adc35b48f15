import { link, lstat, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import { isFullDisk } from '../full-disk.ts';
import { syncFolder } from '../pending-restore.ts';

/**
 * Gives a finished file its name, and never replaces a file that has this name already.
 *
 * @throws Problem conflict BACKUP_TARGET_EXISTS
 */
export async function moveIntoPlace(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
    await unlink(from);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST') throw targetExists();
    // The file systems of memory sticks have no hard links.
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(code)) throw error;
    await assertFree(to);
    await rename(from, to);
  }
  await syncFolder(dirname(to));
}

/** @throws Problem conflict BACKUP_TARGET_EXISTS */
export async function assertFree(file: string): Promise<void> {
  try {
    await lstat(file);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  throw targetExists();
}

function targetExists(): Problem {
  return new Problem('conflict', 'BACKUP_TARGET_EXISTS', 'A file exists at this path already. Nothing was written.');
}

/**
 * Turns a failed file operation into a Problem for the person who named the file; returns any other error unchanged.
 *
 * @param field the input field that named the file
 * @param where the path as the person wrote it, for the message
 */
export function fileProblem(error: unknown, field: string, where: string): unknown {
  if (error instanceof Problem) return error;
  const reason = reasons[codeOf(error)];
  if (reason === undefined) return error;
  const message = `${where} ${reason}.`;
  if (isFullDisk(codeOf(error))) return new Problem('unavailable', 'STORE_FULL', message, { cause: error });
  return fieldProblem(field, reason, { sentence: message, cause: error });
}

/**
 * A full disk here is the disk of the backup, because the store that is made beside a backup lies on it. It is not the disk of the store
 * that is backed up.
 *
 * @param where the path as the person wrote it
 */
export function fullThere(error: unknown, where: string): unknown {
  if (!(error instanceof Problem && error.code === 'STORE_FULL')) return error;
  return new Problem('unavailable', 'STORE_FULL', `${where} ${reasons['ENOSPC']}.`, { cause: error });
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'is not a folder',
  EISDIR: 'is a folder',
  EACCES: 'cannot be written or read by the user that Conclave runs as',
  EPERM: 'cannot be written or read by the user that Conclave runs as',
  EROFS: 'is on a file system that is read-only',
  ENAMETOOLONG: 'is too long for a file name',
  ELOOP: 'is a loop of symbolic links',
  ENOSPC: 'is on a full disk. Nothing was kept',
  EDQUOT: 'is on a disk whose quota is used up. Nothing was kept',
  EFBIG: 'cannot hold a file of this size. Nothing was kept',
};

export function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException | null)?.code ?? '';
}
