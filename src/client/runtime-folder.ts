import { lstat, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { Problem } from '../problem.ts';

/** Where this user's programs keep what must not outlive the session at the machine, nor get into a backup. */
export async function runtimeFolder(env: NodeJS.ProcessEnv): Promise<string> {
  const named = env['XDG_RUNTIME_DIR'];
  // After `su` it is the other user's: what is made in there could be moved away.
  if (named !== undefined && isAbsolute(named) && (await isPrivate(named))) return join(named, 'conclave');
  const own = process.getuid === undefined ? 'conclave' : `conclave-${process.getuid()}`;
  return join(env['TMPDIR'] || tmpdir(), own);
}

/** Makes the folder where there is none. @throws Problem forbidden RUNTIME_FOLDER_EXPOSED */
export async function makePrivate(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
  if (await isPrivate(folder)) return;
  throw new Problem(
    'forbidden',
    'RUNTIME_FOLDER_EXPOSED',
    `${folder} is not a folder that you alone can enter, and keys of open vaults belong there. Remove it, or set XDG_RUNTIME_DIR.`,
  );
}

/** Whether this is a folder, no link to one, that nobody else owns or can enter. */
export async function isPrivate(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return undefined;
    throw error;
  });
  return found !== undefined && found.isDirectory() && isOwn(found);
}

/** Windows has no such bits; the temporary folder there is the user's alone. */
export function isOwn({ uid, mode }: { readonly uid: number; readonly mode: number }): boolean {
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o077) === 0);
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
