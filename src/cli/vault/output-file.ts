import { open, rename, rm, stat } from 'node:fs/promises';
import { Problem } from '../../problem.ts';

/**
 * Writes a file that only its owner can read, whole or not at all.
 *
 * @param replace whether a file that is there goes
 * @throws Problem conflict FILE_EXISTS
 */
export async function writePrivateFile(
  path: string,
  content: string | Uint8Array,
  { replace }: { replace: boolean },
): Promise<void> {
  if (!replace) await refuseExisting(path);
  const temporary = `${path}.${process.pid}.tmp`;
  await rm(temporary, { force: true });
  try {
    {
      await using file = await open(temporary, 'wx', 0o600);
      await file.writeFile(content);
      await file.sync();
    }
    if (!replace) await refuseExisting(path);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function refuseExisting(path: string): Promise<void> {
  const there = await stat(path).catch(() => undefined);
  if (there !== undefined)
    throw new Problem('conflict', 'FILE_EXISTS', `${path} is there already; --force replaces it.`);
}
