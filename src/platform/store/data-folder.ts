import { stat } from 'node:fs/promises';
import { Problem } from '../../base/problem.ts';

const OTHERS_WRITE = 0o022;
const OTHERS_READ = 0o055;

/**
 * Refuses a folder that others can write: they could put another store and another node secret in place.
 * @throws Problem invalid DATA_DIR_UNSAFE when anyone but the owner can write it
 */
export async function refuseWritable(dataDir: string): Promise<void> {
  if (((await modeOf(dataDir)) & OTHERS_WRITE) === 0) return;
  throw new Problem(
    'invalid',
    'DATA_DIR_UNSAFE',
    `Other users can write to the data directory ${dataDir}, and so replace the store and its keys. Run: chmod 700 ${quoted(dataDir)}`,
  );
}

/** The command that keeps others from reading the data directory; undefined when they can't read it. */
export async function readableMend(dataDir: string): Promise<string | undefined> {
  return ((await modeOf(dataDir)) & OTHERS_READ) === 0 ? undefined : `chmod 700 ${quoted(dataDir)}`;
}

/** Returns 0 for a missing folder, which will be made for its owner alone, and on systems where modes mean nothing. */
async function modeOf(folder: string): Promise<number> {
  if (process.platform === 'win32') return 0;
  try {
    return (await stat(folder)).mode;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}

/** Quotes a path for a shell. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
