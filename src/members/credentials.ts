import type { Config } from '../config/config.ts';
import type { Context } from '../context.ts';
import { constantTimeEqual, utf8 } from '../crypto/bytes.ts';
import { stretchPassword } from '../crypto/password.ts';
import { unwrapPrivateKey, wrapPrivateKey } from '../crypto/wrap.ts';
import { Problem } from '../problem.ts';
import type { MemberCredentialRow } from '../store/tables/tables.ts';
import { sql } from 'kysely';
import { mostArgon2 } from '../crypto/cost-limits.ts';
import type { Db } from '../store/database.ts';

const SALT_LENGTH = 32;

/** How a password is kept: never itself, and never what opens the private key that is wrapped beside it. */
export type Credentials = Omit<MemberCredentialRow, 'member_id'>;

type Passwords = Config['passwords'];

/** Stretches a new password and wraps the private key under it. Takes one turn of heavy work. */
export async function makeCredentials(
  ctx: Context,
  memberId: string,
  password: string,
  privateKey: Uint8Array,
): Promise<Credentials> {
  const cost = ctx.config.passwords;
  const salt = ctx.random(SALT_LENGTH);
  return await ctx.heavy.run(async () => {
    const { verifier, wrapInput } = await stretchPassword(password, salt, argon2Of(columnsOf(cost)));
    return {
      verifier,
      ...columnsOf(cost),
      argon2_salt: salt,
      wrapped_key: await wrapPrivateKey(
        privateKey,
        wrapInput,
        wrapContext(memberId),
        cost.pbkdf2Iterations,
        ctx.random,
      ),
      pbkdf2_iterations: cost.pbkdf2Iterations,
      updated_at: ctx.clock.now(),
    };
  });
}

/** Whose password is to be checked. */
export interface Holder {
  readonly id: string;
  readonly status: 'active' | 'suspended';
  readonly credentials: Credentials;
}

/**
 * Checks a password and opens the private key. For nobody, a wrong password and a suspended member the same work is done: one turn
 * of it, with what any password took to stretch, and nothing after it.
 * @returns the private key, 32 bytes, or undefined
 */
export async function openCredentials(
  ctx: Context,
  holder: Holder | undefined,
  password: string,
): Promise<Uint8Array | undefined> {
  const kept = holder?.credentials;
  const stored = await highestCosts(ctx.db);
  const highest = stored.length > 0 ? stored : [columnsOf(ctx.config.passwords)];
  return await ctx.heavy.run(async () => {
    if (kept !== undefined) {
      const { verifier, wrapInput } = await stretchPassword(password, kept.argon2_salt, argon2Of(kept));
      if (constantTimeEqual(verifier, kept.verifier) && holder?.status === 'active')
        return await unwrapPrivateKey(kept.wrapped_key, wrapInput, wrapContext(holder.id));
    }
    for (const cost of missingWork(highest, kept))
      await stretchPassword(password, ctx.random(SALT_LENGTH), argon2Of(cost));
    return undefined;
  });
}

/**
 * Whether the password was stretched in another way than configuration asks for. Also one that took more is stretched anew: as long
 * as there is one, everybody's failed sign-ins take as much.
 */
export function isOutdated(credentials: Credentials, cost: Passwords): boolean {
  return (
    credentials.memory_kib !== cost.memoryKib ||
    credentials.passes !== cost.passes ||
    credentials.lanes !== cost.lanes ||
    credentials.pbkdf2_iterations !== cost.pbkdf2Iterations
  );
}

/** One answer for every reason that a sign-in fails. */
export function invalidCredentials(): Problem {
  return new Problem('unauthenticated', 'INVALID_CREDENTIALS', 'The credentials are not valid.');
}

function columnsOf(cost: Passwords): Argon2Cost {
  return { memory_kib: cost.memoryKib, passes: cost.passes, lanes: cost.lanes };
}

function argon2Of(columns: Argon2Cost) {
  return { memoryKiB: columns.memory_kib, passes: columns.passes, lanes: columns.lanes };
}

function wrapContext(memberId: string): Uint8Array {
  return utf8(`conclave/account/private-key/v1/${memberId}`);
}

export type Argon2Cost = Pick<MemberCredentialRow, 'memory_kib' | 'passes' | 'lanes'>;

/**
 * The most that a member's password was stretched with, for each number of lanes: Argon2's work is memory times passes, but how
 * much sooner several lanes are done with it depends on the machine. Nearly always it is one cost. Each is one look into the index
 * of migration 7, so that nothing has to be remembered that another process may change.
 */
export async function highestCosts(db: Db): Promise<Argon2Cost[]> {
  const found: Argon2Cost[] = [];
  for (let below = mostArgon2.lanes + 1; ;) {
    const { rows } = await sql<Argon2Cost>`
      select lanes, memory_kib, passes from member_credentials
      where lanes < ${below} order by lanes desc, memory_kib * passes desc limit 1`.execute(db);
    const [highest] = rows;
    if (highest === undefined) return found;
    found.push(highest);
    below = highest.lanes;
  }
}

/**
 * What a sign-in that fails still has to compute, so that it takes as long for every member, and for a name that nobody has: for
 * each number of lanes the highest cost, less what was done. Else the time would tell who has an account, as soon as configuration
 * was raised or lowered and not all passwords are stretched anew.
 *
 * @param done undefined: nothing, since there is no such member
 */
export function missingWork(highest: readonly Argon2Cost[], done: Argon2Cost | undefined): Argon2Cost[] {
  return highest.flatMap((cost) => {
    const work = done?.lanes === cost.lanes ? done.memory_kib * done.passes : 0;
    const memory_kib = Math.floor((cost.memory_kib * cost.passes - work) / cost.passes);
    // Less than this Argon2 doesn't do.
    return memory_kib < 8 * cost.lanes ? [] : [{ ...cost, memory_kib }];
  });
}

/** How often work on a password starts over because it was stretched anew, or changed, meanwhile. */
const ATTEMPTS = 4;

export const credentialColumns = [
  'c.verifier',
  'c.memory_kib',
  'c.passes',
  'c.lanes',
  'c.argon2_salt',
  'c.wrapped_key',
  'c.pbkdf2_iterations',
  'c.updated_at',
] as const;

/** Passwords are checked before the transaction; a change, or a suspension, that came between must not be overtaken. */
export async function isStill(db: Db, holder: Holder): Promise<boolean> {
  const now = await db
    .selectFrom('members as m')
    .innerJoin('member_credentials as c', 'c.member_id', 'm.id')
    .select(['m.status', 'c.verifier'])
    .where('m.id', '=', holder.id)
    .executeTakeFirst();
  return now?.status === 'active' && constantTimeEqual(now.verifier, holder.credentials.verifier);
}

/** @param attempt answers undefined when it has to start over, see `isStill` */
export async function untilFresh<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let left = ATTEMPTS; left > 0; left--) {
    const result = await attempt();
    if (result !== undefined) return result;
  }
  throw invalidCredentials();
}

export async function setCredentials(db: Db, memberId: string, credentials: Credentials): Promise<void> {
  await db.updateTable('member_credentials').set(credentials).where('member_id', '=', memberId).execute();
}
