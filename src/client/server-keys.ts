import { chmod, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '../base/problem.ts';
import { writePrivateJson } from './private-json.ts';
import { withSignInLock } from './sign-ins.ts';

/** Data about a server that is stored at the first sign-in and outlives the sign-in. */
export interface ServerKey {
  /** the node's key, 33 bytes as hex; undefined for the store on this machine, which cannot be impersonated */
  readonly publicKey?: string | undefined;
  /** the device key for this server, 32 bytes in base64url; sign-ins from this machine have their own limit of attempts */
  readonly device: string;
}

type ServerKeys = Readonly<Record<string, ServerKey>>;

/**
 * Lists the keys by the server's name, as in sign-ins.ts.
 *
 * @throws Problem forbidden SERVER_KEYS_EXPOSED if others could read or change the file, internal SERVER_KEYS_DAMAGED
 */
export async function listServerKeys(folder: string): Promise<ServerKeys> {
  const path = fileOf(folder);
  let text: string;
  try {
    // Windows has no permission bits. Files in the user's profile are private there.
    if (process.platform !== 'win32' && ((await stat(path)).mode & 0o077) !== 0) {
      const message = `Other users can read ${path}, which holds the secret of this machine. Run: chmod 600 ${path}`;
      throw new Problem('forbidden', 'SERVER_KEYS_EXPOSED', message);
    }
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw error;
  }
  const keys = keysIn(text);
  if (keys !== undefined) return keys;
  // Without this file the client would accept any key, so a damaged file is an error.
  const message = `${path} is damaged. Delete it. The next sign-in to each server shows its node id again: compare it.`;
  throw new Problem('internal', 'SERVER_KEYS_DAMAGED', message);
}

export async function getServerKey(folder: string, server: string): Promise<ServerKey | undefined> {
  const all = await listServerKeys(folder);
  return Object.hasOwn(all, server) ? all[server] : undefined;
}

export async function putServerKey(folder: string, server: string, key: ServerKey): Promise<void> {
  await change(folder, (all) => ({ ...all, [server]: key }));
}

/** Removes the key, so the next sign-in at the server counts as the first one. */
export async function removeServerKey(folder: string, server: string): Promise<void> {
  await change(folder, (all) => Object.fromEntries(Object.entries(all).filter(([name]) => name !== server)));
}

async function change(folder: string, edit: (all: ServerKeys) => ServerKeys): Promise<void> {
  await withSignInLock(folder, async () => {
    const servers = edit(await listServerKeys(folder));
    await chmod(folder, 0o700);
    await writePrivateJson(fileOf(folder), { version: 1, servers });
  });
}

function fileOf(folder: string): string {
  return join(folder, 'server-keys.json');
}

function keysIn(text: string): ServerKeys | undefined {
  try {
    const { servers } = JSON.parse(text) as { servers: Record<string, unknown> };
    const entries = Object.entries(servers);
    return entries.every((entry): entry is [string, ServerKey] => isServerKey(entry[1]))
      ? Object.fromEntries(entries)
      : undefined;
  } catch {
    return undefined;
  }
}

function isServerKey(value: unknown): value is ServerKey {
  const { publicKey, device } = (value ?? {}) as Partial<Record<string, unknown>>;
  return (
    (publicKey === undefined || (typeof publicKey === 'string' && /^[0-9a-f]{66}$/.test(publicKey))) &&
    typeof device === 'string' &&
    /^[\w-]{43}$/.test(device)
  );
}
