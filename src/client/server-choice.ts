import { join, resolve } from 'node:path';
import { Problem } from '../base/problem.ts';
import { writePrivateJson } from './private-json.ts';
import { withSignInLock } from './sign-ins.ts';

/** How to connect to a server at which a member signed in. */
export interface KnownServer {
  /** certificate authority or fingerprint, see trust.ts; undefined if the system's authorities are used */
  readonly ca?: string | undefined;
}

/** The servers that later commands know how to connect to, and the default server. */
export interface ServerChoice {
  /** an address as `serverName` writes it; undefined for the store on this machine */
  readonly current?: string | undefined;
  readonly servers: Readonly<Record<string, KnownServer>>;
}

const none: ServerChoice = { servers: {} };

/** @param folder the folder of the sign-ins. @throws Problem internal SERVERS_DAMAGED */
export async function readServerChoice(folder: string): Promise<ServerChoice> {
  const { readFile } = await import('node:fs/promises');
  const path = fileOf(folder);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return none;
    throw error;
  }
  const choice = choiceIn(text);
  if (choice === undefined)
    throw new Problem('internal', 'SERVERS_DAMAGED', `${path} is damaged. Delete it, and sign in again with --server.`);
  return choice;
}

/**
 * Makes a server the default of later commands.
 *
 * @param ca as trust.ts reads it; undefined keeps the earlier value. A path is stored as absolute, because later commands start in other
 * folders.
 */
export async function useServer(folder: string, server: string, ca: string | undefined): Promise<void> {
  const named = ca === undefined ? {} : { ca: /^sha256:/i.test(ca) ? ca : resolve(ca) };
  await change(folder, ({ servers }) => ({
    current: server,
    servers: { ...servers, [server]: { ...(Object.hasOwn(servers, server) ? servers[server] : {}), ...named } },
  }));
}

/** Makes the store on this machine the default of later commands. */
export async function useThisMachine(folder: string): Promise<void> {
  await change(folder, ({ servers }) => ({ servers }));
}

export async function forgetServer(folder: string, server: string): Promise<void> {
  await change(folder, ({ current, servers }) => ({
    ...(current !== server && { current }),
    servers: Object.fromEntries(Object.entries(servers).filter(([name]) => name !== server)),
  }));
}

async function change(folder: string, edit: (choice: ServerChoice) => ServerChoice): Promise<void> {
  await withSignInLock(folder, async () => {
    const before = await readServerChoice(folder);
    await writePrivateJson(fileOf(folder), { version: 1, ...edit(before) });
  });
}

function fileOf(folder: string): string {
  return join(folder, 'servers.json');
}

function choiceIn(text: string): ServerChoice | undefined {
  try {
    const { current, servers } = JSON.parse(text) as Partial<Record<'current' | 'servers', unknown>>;
    if (current !== undefined && typeof current !== 'string') return undefined;
    if (typeof servers !== 'object' || servers === null) return undefined;
    const known = Object.entries(servers as Record<string, Partial<Record<'ca', unknown>> | null>).map(
      ([name, how]) => [name, typeof how?.ca === 'string' ? { ca: how.ca } : {}] as const,
    );
    return { ...(current !== undefined && { current }), servers: Object.fromEntries(known) };
  } catch {
    return undefined;
  }
}
