import type { Operation } from '../contract/operation.ts';
import { Problem } from '../base/problem.ts';
import { refreshed } from './refresh.ts';
import type { Caller } from './perform.ts';
import { useServer } from './server-choice.ts';
import {
  listSignIns,
  noteToldOfPassword,
  readSignIn,
  removeSignIn,
  saveSignIn,
  saveTimezone,
  signInFolder,
  storeElsewhere,
  type SignIn,
} from './sign-ins.ts';
import { givenSignIn, givenToken, signInOf } from './token-claims.ts';
import type { ServerIdentity } from './server-identity.ts';
import { findConnection, type Connection, type ConnectionOptions } from './connection.ts';

export interface ClientOptions extends ConnectionOptions {
  readonly userAgent: string;
  /** accepts a server key that differs from the known one */
  readonly trust?: boolean | undefined;
  /** shows messages to the person */
  readonly say?: (text: string) => void;
}

/** The API for one caller: a connection, and the sign-in that is stored for it. */
export interface Client extends Caller, AsyncDisposable {
  readonly connection: Connection;
  /** where sign-ins are stored, and what is remembered of servers */
  readonly folder: string;
  /** the stored sign-in for this server; CONCLAVE_TOKEN is ignored */
  kept(): Promise<SignIn | undefined>;
  /**
   * Stores the session of a token for later commands. With `--server`, later commands also use that server.
   * @param byKey whether the session began without the password
   */
  keep(token: string, byKey?: boolean): Promise<SignIn>;
  forget(token: string): Promise<void>;
  /**
   * The time zone of the caller's account, as far as this machine knows it without a request; undefined for the operator. UTC is the
   * default of an account, and counts as not chosen.
   */
  timezone(): Promise<string | undefined>;
  /** whether the server has seen the password in this session, as far as this machine knows; true once in a session */
  tellsOfPassword(): Promise<boolean>;
  /** stores the time zone of the account, if this account is signed in here */
  noteTimezone(timezone: string): Promise<void>;
  /** deletes the unlock key; all vaults that were opened with it become locked */
  forgetUnlockKey(): Promise<void>;
  /** the private key of the member in hex, if they keep it on this machine until they sign out */
  keptKey(): Promise<string | undefined>;
  /** keeps it, or removes it */
  keepKey(key: Uint8Array | undefined): Promise<void>;
  /** the proven key of the server's node, for a sign-in; see server-identity.ts */
  provenKey(): Promise<string | undefined>;
}

/** Milliseconds in which files that other commands may change are not read again, because operations often follow each other. */
const momentMs = 1_000;

/** The default time zone of a new account. A member who wants UTC chooses `Etc/UTC`. */
const unchosenTimezone = 'UTC';

export async function openClient(options: ClientOptions): Promise<Client> {
  const { env, userAgent } = options;
  const folder = signInFolder(env);
  const connection = await findConnection(options).catch(async (error: unknown) => {
    if (options.here !== true && error instanceof Problem && error.code === 'STORE_MISSING')
      throw storeElsewhere(error, await listSignIns(folder));
    throw error;
  });

  const kept = () => readSignIn(folder, connection.server);
  const given = givenToken(env);
  // The name of the session for its unlock key. Tokens change at a refresh, so the name comes from where the sign-in is stored.
  const signIn = ['sign-in', folder, connection.server];
  const session = (): string[] =>
    given === undefined ? signIn : ['token', connection.server, givenSignIn(given).memberId];
  const current = forAMoment(kept);
  const unlockKey = forAMoment(async () => await (await import('./unlock-key.ts')).readUnlockKey(env, session()));
  const forgetKeyOf = async (which: readonly string[]): Promise<void> => {
    const { removeMemberKey, removeUnlockKey } = await import('./unlock-key.ts');
    await removeUnlockKey(env, which);
    await removeMemberKey(env, which);
    unlockKey.forget();
  };
  const forget = async (token: string): Promise<void> => {
    await removeSignIn(folder, connection.server, token);
    current.forget();
    if (token === given || (given === undefined && (await kept()) === undefined)) await forgetKeyOf(session());
  };
  let asOperator = false;
  /** the stored sign-in, if it belongs to the caller; a token from outside may belong to another member */
  const keptOfCaller = async (): Promise<SignIn | undefined> => {
    const signedIn = await current.read();
    return given === undefined || givenSignIn(given).memberId === signedIn?.memberId ? signedIn : undefined;
  };
  let found: Promise<ServerIdentity> | undefined;
  // Loaded only for sign-ins, because signature code takes a tenth of the load time of other commands.
  const identity = () =>
    (found ??= import('./server-identity.ts').then(({ serverIdentity }) => {
      const caller = {
        transport: connection.transport,
        place: connection.place,
        userAgent,
        tokenFor: async () => undefined,
      };
      return serverIdentity({
        caller,
        connection,
        folder,
        trust: options.trust ?? false,
        say: options.say ?? (() => {}),
      });
    }));
  const client: Client = {
    connection,
    folder,
    transport: connection.transport,
    place: connection.place,
    userAgent,
    kept,
    async tokenFor(operation) {
      if (operation.auth === 'none') return undefined;
      if (given !== undefined) return givenSignIn(given).token;
      if (isForOperators(operation) && connection.operatorToken !== undefined) {
        asOperator = true;
        return await connection.operatorToken();
      }
      const signedIn = await current.read();
      if (signedIn === undefined) {
        if (operation.auth === 'optional') return undefined;
        throw new Problem('unauthenticated', 'NOT_SIGNED_IN', `Not signed in to ${connection.place}.`);
      }
      return await refreshed({ ...client, folder, server: connection.server }, signedIn);
    },
    async keyFor(key, operation) {
      if (key === 'device') {
        await (await identity()).proven();
        return await (await identity()).device();
      }
      const { keepUnlockKey, opensVaults } = await import('./unlock-key.ts');
      if (!opensVaults(operation)) return await unlockKey.read();
      const made = await keepUnlockKey(env, session());
      unlockKey.forget();
      return made;
    },
    provenKey: async () => await (await identity()).proven(),
    refused: forget,
    async keep(token, byKey = false) {
      const saved = { ...signInOf(token), ...(byKey && { byKey }) };
      await saveSignIn(folder, connection.server, saved);
      if (options.server !== undefined) await useServer(folder, connection.server, options.ca);
      await (await found)?.keep();
      current.forget();
      await forgetKeyOf(signIn);
      return saved;
    },
    forget,
    async timezone() {
      if (asOperator) return undefined;
      const { timezone } = (await keptOfCaller()) ?? {};
      return timezone === unchosenTimezone ? undefined : timezone;
    },
    async tellsOfPassword() {
      const signedIn = given === undefined ? await current.read() : undefined;
      if (signedIn === undefined || signedIn.byKey === true || signedIn.toldOfPassword === true) return false;
      current.forget();
      return await noteToldOfPassword(folder, connection.server, signedIn.memberId);
    },
    async noteTimezone(timezone) {
      const signedIn = await keptOfCaller();
      if (signedIn === undefined || signedIn.timezone === timezone) return;
      // A failure to write must not fail the command.
      await saveTimezone(folder, connection.server, signedIn.memberId, timezone).catch(() => undefined);
      current.forget();
    },
    forgetUnlockKey: async () => {
      await (await import('./unlock-key.ts')).removeUnlockKey(env, session());
      unlockKey.forget();
    },
    keptKey: async () => await (await import('./unlock-key.ts')).readMemberKey(env, session()),
    async keepKey(key) {
      const { keepMemberKey, removeMemberKey } = await import('./unlock-key.ts');
      await (key === undefined ? removeMemberKey(env, session()) : keepMemberKey(env, session(), key));
    },
    [Symbol.asyncDispose]: () => connection.transport[Symbol.asyncDispose](),
  };
  return client;
}

/** Caches a recent or running read. Failures are not cached. */
function forAMoment<T>(read: () => Promise<T>): { readonly read: () => Promise<T>; readonly forget: () => void } {
  let last: { readonly at: number; readonly value: Promise<T> } | undefined;
  const forget = (): void => void (last = undefined);
  return {
    async read() {
      const now = uptimeMs();
      if (last === undefined || now - last.at > momentMs) {
        const fresh = { at: now, value: read() };
        last = fresh;
        fresh.value.catch(() => last === fresh && forget());
      }
      return await last.value;
    },
    forget,
  };
}

/** A clock that does not jump. In Node, using `performance` loads nine modules, which takes as long as reading the sign-in. */
function uptimeMs(): number {
  return process.uptime() * 1_000;
}

/** Operations that need a role are for administrators and the operator. Every person who can read the data directory is the operator. */
function isForOperators(operation: Operation): boolean {
  return typeof operation.auth === 'object';
}
