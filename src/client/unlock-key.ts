import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import { join, isAbsolute } from 'node:path';
import { sha256 } from '@noble/hashes/sha2.js';
import type { Operation } from '../contract/operation.ts';
import type { passvault } from '../contract/passvault.ts';
import { Problem } from '../base/problem.ts';
import { saidOf } from './private-json.ts';
import { tmpdir } from 'node:os';

const LENGTH = 32;
const form = /^[\w-]{43}$/;
/** Listed by id, because loading the whole contract of vaults takes a tenth of the load time of a command that reads one entry. */
const opening: ReadonlySet<string> = new Set([
  'passvault.create-vault',
  'passvault.open-vault',
  'passvault.change-master-password',
  'passvault.emergency-recover',
] satisfies (typeof passvault)[keyof typeof passvault]['id'][]);

/** Whether an operation can leave a vault open that was locked before. A key is created only for such operations. */
export function opensVaults(operation: Operation): boolean {
  return opening.has(operation.id);
}

/**
 * Reads the key that, together with the token, opens the vaults of a session. The key is in the user's runtime folder, which backups do not
 * contain. A backup of the token's folder therefore opens no vault.
 *
 * @param session strings that distinguish it from the user's other sessions
 * @returns base64url, or undefined if there is no key
 * @throws Problem forbidden UNLOCK_KEY_EXPOSED if others could read it
 */
export async function readUnlockKey(env: NodeJS.ProcessEnv, session: readonly string[]): Promise<string | undefined> {
  const folder = runtimeFolder(env);
  return isPrivate(folder) ? await read(fileOf(folder, session)) : undefined;
}

/**
 * As `readUnlockKey`, but creates a key if there is none.
 *
 * @throws Problem forbidden RUNTIME_FOLDER_EXPOSED, and errors of the file system with the path of the key file
 */
export async function keepUnlockKey(env: NodeJS.ProcessEnv, session: readonly string[]): Promise<string> {
  const folder = runtimeFolder(env);
  await makePrivate(folder);
  const path = fileOf(folder, session);
  // Loaded here, because it takes 5 ms, and most commands only read a key.
  const { randomBytes } = await import('node:crypto');
  const { link, rm, writeFile } = await import('node:fs/promises');
  for (;;) {
    const kept = await read(path);
    if (kept !== undefined) return kept;
    const temporary = `${path}.${randomBytes(6).toString('hex')}`;
    try {
      await writeFile(temporary, randomBytes(LENGTH).toString('base64url'), { flag: 'wx', mode: 0o600 });
      // If two commands create a key at the same time, both use the first one.
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
  const folder = runtimeFolder(env);
  if (isPrivate(folder)) await remove(fileOf(folder, session));
}

/** The private key of the member, if they keep it beside the unlock key. @returns 64 hex digits */
export async function readMemberKey(env: NodeJS.ProcessEnv, session: readonly string[]): Promise<string | undefined> {
  const folder = runtimeFolder(env);
  const kept = isPrivate(folder) ? await read(fileOf(folder, session, 'member-key')) : undefined;
  return kept === undefined ? undefined : Buffer.from(kept, 'base64url').toString('hex');
}

/** @param key 32 bytes. @throws Problem forbidden RUNTIME_FOLDER_EXPOSED, and errors of the file system */
export async function keepMemberKey(
  env: NodeJS.ProcessEnv,
  session: readonly string[],
  key: Uint8Array,
): Promise<void> {
  await removeMemberKey(env, session);
  const folder = runtimeFolder(env);
  await makePrivate(folder);
  const path = fileOf(folder, session, 'member-key');
  const { writeFile } = await import('node:fs/promises');
  await writeFile(path, Buffer.from(key).toString('base64url'), { flag: 'wx', mode: 0o600 });
}

export async function removeMemberKey(env: NodeJS.ProcessEnv, session: readonly string[]): Promise<void> {
  const folder = runtimeFolder(env);
  if (isPrivate(folder)) await remove(fileOf(folder, session, 'member-key'));
}

/** The file name must not reveal the server or the member. */
function fileOf(folder: string, session: readonly string[], what = 'vault-unlock'): string {
  const hash = sha256(Buffer.from(JSON.stringify(session)));
  return join(folder, `${what}-${Buffer.from(hash).toString('hex').slice(0, 32)}`);
}

/** Reads without waiting for a thread, which would take longer than these few calls. */
async function read(path: string): Promise<string | undefined> {
  let text: string;
  try {
    const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    try {
      if (!isOwn(fstatSync(file))) throw exposed(path);
      text = readFileSync(file, 'utf8');
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    // The error code for a symbolic link (O_NOFOLLOW).
    if (hasCode(error, 'ELOOP')) throw exposed(path);
    throw error;
  }
  if (form.test(text)) return text;
  // A malformed key has opened nothing, so it can be replaced.
  await remove(path);
  return undefined;
}

function exposed(path: string): Problem {
  const message = `${path} must be a file that only you can read. Remove it, then open the vault again.`;
  return new Problem('forbidden', 'UNLOCK_KEY_EXPOSED', message);
}

/** The folder for data of this user that must not outlive the login session on the machine or enter a backup. */
function runtimeFolder(env: NodeJS.ProcessEnv): string {
  const named = env['XDG_RUNTIME_DIR'];
  // After `su` the variable may name the other user's folder, and that user could move our files away.
  if (named !== undefined && isAbsolute(named) && isPrivate(named)) return join(named, 'conclave');
  const own = process.getuid === undefined ? 'conclave' : `conclave-${process.getuid()}`;
  return join(env['TMPDIR'] || tmpdir(), own);
}

async function remove(path: string): Promise<void> {
  const { rm } = await import('node:fs/promises');
  await rm(path, { force: true });
}

/** Creates the folder if it does not exist. @throws Problem forbidden RUNTIME_FOLDER_EXPOSED */
async function makePrivate(folder: string): Promise<void> {
  const { mkdir } = await import('node:fs/promises');
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
  if (isPrivate(folder)) return;
  throw new Problem(
    'forbidden',
    'RUNTIME_FOLDER_EXPOSED',
    `${folder} must be a folder that only you can open, because it holds keys of open vaults. Remove it, or set XDG_RUNTIME_DIR.`,
  );
}

/** Whether this is a folder, not a link to one, that belongs to this user and that nobody else can enter. */
function isPrivate(folder: string): boolean {
  try {
    const found = lstatSync(folder);
    return found.isDirectory() && isOwn(found);
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return false;
    throw error;
  }
}

/** Windows has no permission bits. The temporary folder is private to the user there. */
function isOwn({ uid, mode }: { readonly uid: number; readonly mode: number }): boolean {
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o077) === 0);
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
