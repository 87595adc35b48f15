import { readFileSync, statSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { Problem } from '../base/problem.ts';
import { saidOf, writePrivateJson } from './private-json.ts';

/** A member's session at one server. */
export interface SignIn {
  readonly memberId: string;
  readonly username: string;
  readonly token: string;
  /** the account's time zone, an IANA name, as this client last saw it */
  readonly timezone?: string | undefined;
  /** whether the session began with the member's key, and the server never saw the password */
  readonly byKey?: boolean | undefined;
  /** whether the person was told in this session that the server has seen the password */
  readonly toldOfPassword?: boolean | undefined;
}

type SignIns = Readonly<Record<string, SignIn>>;

/** Milliseconds after which the lock of another process counts as left behind by a process that died. */
const lockStaleMs = 10_000;

/** The folder that keeps sign-ins, by the XDG rules. */
export function signInFolder(env: NodeJS.ProcessEnv): string {
  const named = env['XDG_CONFIG_HOME'];
  // The XDG specification requires programs to ignore relative paths.
  if (named !== undefined && isAbsolute(named)) return join(named, 'conclave');
  const roaming = process.platform === 'win32' ? env['APPDATA'] : undefined;
  return join(roaming ?? join(env['HOME'] || homedir(), '.config'), 'conclave');
}

/** @throws Problem forbidden SIGN_INS_EXPOSED if others could read the file, internal SIGN_INS_DAMAGED */
export async function readSignIn(folder: string, server: string): Promise<SignIn | undefined> {
  const all = readAll(folder);
  return Object.hasOwn(all, server) ? all[server] : undefined;
}

/** Lists the servers with a sign-in, and the signed-in member. */
export async function listSignIns(folder: string): Promise<ReadonlyMap<string, SignIn>> {
  return new Map(Object.entries(readAll(folder)));
}

/** Stores a sign-in. Data about the account is kept if the account is the same. */
export async function saveSignIn(folder: string, server: string, signIn: SignIn): Promise<void> {
  await change(folder, (all) => ({ ...all, [server]: { ...knownOf(all, server, signIn), ...signIn } }));
}

/** Stores the time zone of the account that is signed in at a server, if it is still this account. */
export async function saveTimezone(folder: string, server: string, memberId: string, timezone: string): Promise<void> {
  await change(folder, (all) => {
    const kept = Object.hasOwn(all, server) ? all[server] : undefined;
    if (kept === undefined || kept.memberId !== memberId || kept.timezone === timezone) return all;
    return { ...all, [server]: { ...kept, timezone } };
  });
}

/** Notes that the person was told that the server has seen the password. @returns whether they were not told before */
export async function noteToldOfPassword(folder: string, server: string, memberId: string): Promise<boolean> {
  let isNews = false;
  await change(folder, (all) => {
    const kept = Object.hasOwn(all, server) ? all[server] : undefined;
    isNews = kept?.memberId === memberId && kept.byKey !== true && kept.toldOfPassword !== true;
    return isNews ? { ...all, [server]: { ...kept, toldOfPassword: true } as SignIn } : all;
  });
  return isNews;
}

/** Removes the sign-in at a server, if it still has this token. */
export async function removeSignIn(folder: string, server: string, token: string): Promise<void> {
  await change(folder, (all) => {
    if (all[server]?.token !== token) return all;
    const { [server]: _, ...rest } = all;
    return rest;
  });
}

/** Runs `body` while no other process changes the file. */
export async function withSignInLock<T>(folder: string, body: () => Promise<T>): Promise<T> {
  // Not loaded by commands that only read.
  const { mkdir, rm } = await import('node:fs/promises');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = `${fileOf(folder)}.lock`;
  const lock = await takeLock(path).catch((error: unknown) => {
    throw saidOf(fileOf(folder), error);
  });
  try {
    return await body();
  } finally {
    await lock.close();
    await rm(path, { force: true });
  }
}

/** Replaces the token of a stored sign-in, whose session goes on. Call it only inside `withSignInLock`. */
export async function replaceSignIn(folder: string, server: string, signIn: SignIn): Promise<void> {
  const all = readAll(folder);
  const before = Object.hasOwn(all, server) ? all[server] : undefined;
  await write(folder, { ...all, [server]: { ...(before?.memberId === signIn.memberId && before), ...signIn } });
}

function knownOf(all: SignIns, server: string, { memberId }: SignIn): Pick<SignIn, 'timezone'> {
  const before = Object.hasOwn(all, server) ? all[server] : undefined;
  return before?.timezone !== undefined && before.memberId === memberId ? { timezone: before.timezone } : {};
}

async function change(folder: string, edit: (all: SignIns) => SignIns): Promise<void> {
  await withSignInLock(folder, async () => {
    const before = readAll(folder);
    const after = edit(before);
    if (after !== before) await write(folder, after);
  });
}

function fileOf(folder: string): string {
  return join(folder, 'sign-ins.json');
}

/** Reads without waiting for a thread, which would take longer than reading does. */
function readAll(folder: string): SignIns {
  const path = fileOf(folder);
  let text: string;
  try {
    // Windows has no permission bits. Files in the user's profile are private there.
    if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
      throw new Problem(
        'forbidden',
        'SIGN_INS_EXPOSED',
        `Other users can read ${path}, which holds tokens. Run: chmod 600 ${path}`,
      );
    }
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw error;
  }
  try {
    const { signIns } = JSON.parse(text) as { signIns: Record<string, unknown> };
    return Object.fromEntries(Object.entries(signIns).filter((entry): entry is [string, SignIn] => isSignIn(entry[1])));
  } catch (cause) {
    throw new Problem('internal', 'SIGN_INS_DAMAGED', `${path} is damaged. Delete it and sign in again.`, { cause });
  }
}

function isSignIn(value: unknown): value is SignIn {
  const { memberId, username, token, timezone, byKey, toldOfPassword } = (value ?? {}) as Partial<
    Record<string, unknown>
  >;
  // The token is copied into a header without encoding.
  return (
    typeof memberId === 'string' &&
    typeof username === 'string' &&
    typeof token === 'string' &&
    (timezone === undefined || typeof timezone === 'string') &&
    [byKey, toldOfPassword].every((flag) => flag === undefined || typeof flag === 'boolean') &&
    /^[\w.~+/=-]+$/.test(token)
  );
}

async function write(folder: string, signIns: SignIns): Promise<void> {
  const { chmod } = await import('node:fs/promises');
  await chmod(folder, 0o700);
  await writePrivateJson(fileOf(folder), { version: 1, signIns });
}

async function takeLock(path: string): Promise<FileHandle> {
  const { open, rm, stat } = await import('node:fs/promises');
  const until = Date.now() + lockStaleMs;
  for (;;) {
    try {
      return await open(path, 'wx', 0o600);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    const taken = await stat(path).catch(() => undefined);
    if (taken !== undefined && Date.now() - taken.mtimeMs > lockStaleMs) await rm(path, { force: true });
    else if (Date.now() > until)
      throw new Problem('unavailable', 'SIGN_INS_LOCKED', `Another process has ${path} locked. Try again.`);
    else await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** The prefix of the key of a sign-in at a store on this machine. */
const localPrefix = 'local:';

/** A person who is signed in at a server gets a hint about that server, not about how to create a local store. */
export function storeElsewhere(missing: Problem, signIns: ReadonlyMap<string, SignIn>): Problem {
  const servers = [...signIns].filter(([place]) => !place.startsWith(localPrefix));
  if (servers.length === 0) return missing;
  const places = servers.map(([place, { username }]) => `${place} as ${username}`).join(', ');
  return new Problem(
    'missing',
    'STORE_ELSEWHERE',
    `There is no store on this machine. You are signed in to ${places}.`,
    { cause: missing },
  );
}
