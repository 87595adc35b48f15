import { open, rename, rm, stat } from 'node:fs/promises';
import { Problem } from '../../../base/problem.ts';

/**
 * Writes a file that only its owner can read. It is written completely or not at all.
 *
 * @param replace whether to replace an existing file
 * @throws Problem conflict FILE_EXISTS, invalid OUTPUT_UNWRITABLE
 */
export async function writePrivateFile(
  path: string,
  content: string | Uint8Array,
  { replace }: { replace: boolean },
): Promise<void> {
  if (!replace) await refuseExisting(path);
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    await rm(temporary, { force: true });
    {
      await using file = await open(temporary, 'wx', 0o600);
      await file.writeFile(content);
      await file.sync();
    }
    if (!replace) await refuseExisting(path);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw unwritable(error, path);
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  ENOENT: 'the folder does not exist',
  ENOTDIR: 'part of it is not a folder',
  EISDIR: 'it is a folder',
  ENOTEMPTY: 'it is a folder',
  EROFS: 'that disk cannot be written to',
  ENAMETOOLONG: 'the name is too long',
};

/** Reports a problem with the temporary file under the name that the caller gave. */
function unwritable(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !('code' in error) || error instanceof Problem) return error;
  const reason = reasons[String(error.code)];
  if (reason === undefined) return Object.assign(error, { path });
  return new Problem('invalid', 'OUTPUT_UNWRITABLE', `${path} cannot be written: ${reason}. Name another place.`, {
    cause: error,
  });
}

async function refuseExisting(path: string): Promise<void> {
  const there = await stat(path).catch(() => undefined);
  if (there !== undefined)
    throw new Problem('conflict', 'FILE_EXISTS', `${path} exists already. Use --force to replace it.`);
}
