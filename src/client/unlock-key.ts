import { createHash, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { link, open, rm, writeFile, lstat, mkdir } from 'node:fs/promises';
import { join, isAbsolute } from 'node:path';
import type { Operation } from '../contract/operation.ts';
import type { passvault } from '../contract/passvault.ts';
import { Problem } from '../problem.ts';
import { saidOf } from './private-json.ts';
import { tmpdir } from 'node:os';

const LENGTH = 32;
const form = /^[\w-]{43}$/;
/** By id: the whole contract of vaults is a tenth of what a command that reads one entry has to load. */
const opening: ReadonlySet<string> = new Set([
  'passvault.create-vault',
  'passvault.open-vault',
  'passvault.change-master-password',
  'passvault.emergency-recover',
] satisfies (typeof passvault)[keyof typeof passvault]['id'][]);

/** Whether an operation leaves a vault open that may have been closed: only for those a key has to be made. */
export function opensVaults(operation: Operation): boolean {
  return opening.has(operation.id);
}

/**
 * The key that opens the vaults of a session together with its token. It lies in the user's runtime folder, where no backup
 * finds it: what the token lies beside opens no vault.
 *
 * @param session what tells it from the user's other sessions
 * @returns base64url, or undefined where none was made
 * @throws Problem forbidden UNLOCK_KEY_EXPOSED where others could read it
 */
export async function readUnlockKey(env: NodeJS.ProcessEnv, session: readonly string[]): Promise<string | undefined> {
  const folder = await runtimeFolder(env);
  return (await isPrivate(folder)) ? await read(fileOf(folder, session)) : undefined;
}

/**
 * As `readUnlockKey`; makes one where there is none.
 *
 * @throws Problem forbidden RUNTIME_FOLDER_EXPOSED, and what the file system says, of the file and not of the temporary one
 */
export async function keepUnlockKey(env: NodeJS.ProcessEnv, session: readonly string[]): Promise<string> {
  const folder = await runtimeFolder(env);
  await makePrivate(folder);
  const path = fileOf(folder, session);
  for (;;) {
    const kept = await read(path);
    if (kept !== undefined) return kept;
    const temporary = `${path}.${randomBytes(6).toString('hex')}`;
    try {
      await writeFile(temporary, randomBytes(LENGTH).toString('base64url'), { flag: 'wx', mode: 0o600 });
      // Where another command made one at the same time, both take the one that was there first.
      await link(temporary, path);
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw saidOf(path, error);
    } finally {
      // The checks above have reported every other problem.
      await rm(temporary, { force: true }).catch(() => undefined);
    }
  }
}

export async function removeUnlockKey(env: NodeJS.ProcessEnv, session: readonly string[]): Promise<void> {
  const folder = await runtimeFolder(env);
  if (await isPrivate(folder)) await rm(fileOf(folder, session), { force: true });
}

/** The file name must not reveal the server or the member. */
function fileOf(folder: string, session: readonly string[]): string {
  return join(
    folder,
    `vault-unlock-${createHash('sha256').update(JSON.stringify(session)).digest('hex').slice(0, 32)}`,
  );
}

async function read(path: string): Promise<string | undefined> {
  let text: string;
  try {
    await using file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    if (!isOwn(await file.stat())) throw exposed(path);
    text = await file.readFile('utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    // The error code for a symbolic link (O_NOFOLLOW).
    if (hasCode(error, 'ELOOP')) throw exposed(path);
    throw error;
  }
  if (form.test(text)) return text;
  // A malformed key has opened nothing, so it can be replaced.
  await rm(path, { force: true });
  return undefined;
}

function exposed(path: string): Problem {
  const message = `${path} must be a file that only you can read. Remove it, then open the vault again.`;
  return new Problem('forbidden', 'UNLOCK_KEY_EXPOSED', message);
}

/** Where this user's programs keep what must not outlive the session at the machine, nor get into a backup. */
async function runtimeFolder(env: NodeJS.ProcessEnv): Promise<string> {
  const named = env['XDG_RUNTIME_DIR'];
  // After `su` it is the other user's: what is made in there could be moved away.
  if (named !== undefined && isAbsolute(named) && (await isPrivate(named))) return join(named, 'conclave');
  const own = process.getuid === undefined ? 'conclave' : `conclave-${process.getuid()}`;
  return join(env['TMPDIR'] || tmpdir(), own);
}

/** Makes the folder where there is none. @throws Problem forbidden RUNTIME_FOLDER_EXPOSED */
async function makePrivate(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
  if (await isPrivate(folder)) return;
  throw new Problem(
    'forbidden',
    'RUNTIME_FOLDER_EXPOSED',
    `${folder} must be a folder that only you can open, because it holds keys of open vaults. Remove it, or set XDG_RUNTIME_DIR.`,
  );
}

/** Whether this is a folder, no link to one, that nobody else owns or can enter. */
async function isPrivate(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return undefined;
    throw error;
  });
  return found !== undefined && found.isDirectory() && isOwn(found);
}

/** Windows has no such bits; the temporary folder there is the user's alone. */
function isOwn({ uid, mode }: { readonly uid: number; readonly mode: number }): boolean {
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o077) === 0);
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
