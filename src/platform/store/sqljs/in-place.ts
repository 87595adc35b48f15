import type { Stats } from 'node:fs';
import { join } from 'node:path';
import { Problem } from '../../../base/problem.ts';
import { codeOf, type Disk } from './disk.ts';

/**
 * Checks whether the open files are still the files in the folder. If a file was removed or replaced, writes to the open one are lost when
 * the process ends. The check looks at two names; it takes a few microseconds, much less than a flush.
 * @throws Problem unavailable STORE_GONE
 */
export function inPlaceCheck(dataDir: string, name: string, disk: Disk): () => void {
  const look = (path: string): Stats | undefined => {
    try {
      return disk.statSync(path);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  };
  const file = join(dataDir, name);
  const log = `${file}-wal`;
  const opened = look(file);
  let opensLog: Stats | undefined;
  return () => {
    opensLog ??= look(log);
    if (!isSame(opened, look(file))) throw gone(file);
    if (opensLog !== undefined && !isSame(opensLog, look(log))) throw gone(log);
  };
}

function isSame(one: Stats | undefined, other: Stats | undefined): boolean {
  return one !== undefined && one.ino === other?.ino && one.dev === other.dev;
}

function gone(file: string): Problem {
  return new Problem(
    'unavailable',
    'STORE_GONE',
    `The file ${file} was removed or replaced while it is in use. Nothing is written any more. Stop the server, then put back the file or restore a backup.`,
  );
}
