import type { Config } from '../../config/config.ts';
import type { Context } from '../../service/context.ts';
import { constantTimeEqual, utf8 } from '../../crypto/bytes.ts';
import { stretchPassword } from '../../crypto/password.ts';
import { unwrapPrivateKey, wrapPrivateKey } from '../../crypto/wrap.ts';
import { Problem } from '../../base/problem.ts';
import type { MemberCredentialRow } from '../../platform/store/tables/tables.ts';
import { sql } from 'kysely';
import { mostArgon2 } from '../../crypto/cost-limits.ts';
import type { Db } from '../../platform/store/database.ts';

const SALT_LENGTH = 32;

/** The stored form of a password. It holds neither the password nor the key that opens the private key wrapped beside it. */
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

/** The member whose password is checked. */
export interface Holder {
  readonly id: string;
  readonly status: 'active' | 'suspended';
  readonly credentials: Credentials;
}

/**
 * Checks a password and opens the private key. An unknown member, a wrong password and a suspended member cost the same work: one turn of
 * heavy work at the highest stored cost, and nothing after it.
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
 * Whether the password was stretched with other parameters than the configuration asks for. A password with a higher cost is stretched
 * again too: while one exists, every failed sign-in takes that much work.
 */
export function isOutdated(credentials: Credentials, cost: Passwords): boolean {
  return (
    credentials.memory_kib !== cost.memoryKib ||
    credentials.passes !== cost.passes ||
    credentials.lanes !== cost.lanes ||
    credentials.pbkdf2_iterations !== cost.pbkdf2Iterations
  );
}

/** The same answer for every reason why a sign-in fails. */
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
 * The highest cost with which a member's password was stretched, for each number of lanes. Argon2's work is memory times passes, but the
 * time that several lanes save depends on the machine. Nearly always there is only one cost. Each lookup uses the index of migration 7.
 * Nothing is cached, because another process may change it.
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
 * The work that a failed sign-in still has to do, so that it takes the same time for every member and for an unknown name. For each number
 * of lanes it is the highest cost, minus the work already done. Otherwise the time would reveal who has an account when the configured cost
 * has changed and not all passwords are stretched again yet.
 *
 * @param done the work already done; undefined if there is no such member
 */
export function missingWork(highest: readonly Argon2Cost[], done: Argon2Cost | undefined): Argon2Cost[] {
  return highest.flatMap((cost) => {
    const work = done?.lanes === cost.lanes ? done.memory_kib * done.passes : 0;
    const memory_kib = Math.floor((cost.memory_kib * cost.passes - work) / cost.passes);
    // Argon2 needs at least 8 KiB for each lane.
    return memory_kib < 8 * cost.lanes ? [] : [{ ...cost, memory_kib }];
  });
}

/** How often work on a password starts over because the password was changed or stretched again meanwhile. */
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

/** Passwords are checked before the transaction. This check finds a password change or a suspension that came in between. */
export async function isStill(db: Db, holder: Holder): Promise<boolean> {
  const now = await db
    .selectFrom('members as m')
    .innerJoin('member_credentials as c', 'c.member_id', 'm.id')
    .select(['m.status', 'c.verifier'])
    .where('m.id', '=', holder.id)
    .executeTakeFirst();
  return now?.status === 'active' && constantTimeEqual(now.verifier, holder.credentials.verifier);
}

/** @param attempt returns undefined when it has to start over, see `isStill` */
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
