import type { Config } from '../config/config.ts';
import type { Context } from '../context.ts';
import { constantTimeEqual, utf8 } from '../crypto/bytes.ts';
import { stretchPassword } from '../crypto/password.ts';
import { unwrapPrivateKey, wrapPrivateKey } from '../crypto/wrap.ts';
import { Problem } from '../problem.ts';
import type { MemberCredentialRow } from '../store/tables.ts';

const SALT_LENGTH = 32;

/** How a password is kept: never itself, and never what opens the private key that is wrapped beside it. */
export type Credentials = Omit<MemberCredentialRow, 'member_id'>;

type Passwords = Config['passwords'];
type Argon2Columns = Pick<Credentials, 'memory_kib' | 'passes' | 'lanes'>;

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
 * Checks a password and opens the private key. For nobody, a wrong password and a suspended member the same work is done:
 * one Argon2id at the configured cost, and nothing after it.
 * @returns the private key, 32 bytes, or undefined
 */
export async function openCredentials(
  ctx: Context,
  holder: Holder | undefined,
  password: string,
): Promise<Uint8Array | undefined> {
  const kept = holder?.credentials;
  const columns = kept ?? columnsOf(ctx.config.passwords);
  const salt = kept?.argon2_salt ?? ctx.random(SALT_LENGTH);
  const expected = kept?.verifier ?? ctx.random(32);
  return await ctx.heavy.run(async () => {
    const { verifier, wrapInput } = await stretchPassword(password, salt, argon2Of(columns));
    const right = constantTimeEqual(verifier, expected);
    if (right && holder?.status === 'active') {
      return await unwrapPrivateKey(holder.credentials.wrapped_key, wrapInput, wrapContext(holder.id));
    }
    await makeUpWork(ctx, columns, password, salt);
    return undefined;
  });
}

/** Whether configuration asks for more than the password was stretched with. */
export function isOutdated(credentials: Credentials, cost: Passwords): boolean {
  return (
    credentials.memory_kib < cost.memoryKib ||
    credentials.passes < cost.passes ||
    credentials.lanes < cost.lanes ||
    credentials.pbkdf2_iterations < cost.pbkdf2Iterations
  );
}

/**
 * A password that was stretched before configuration was raised would fail faster than a name that nobody has, and so tell
 * that somebody has it. Argon2's work is memory times passes; this does what is missing.
 */
async function makeUpWork(ctx: Context, done: Argon2Columns, password: string, salt: Uint8Array): Promise<void> {
  const target = columnsOf(ctx.config.passwords);
  const missing = target.memory_kib * target.passes - done.memory_kib * done.passes;
  const memory = Math.floor(missing / target.passes);
  if (memory < 8 * target.lanes) return;
  await stretchPassword(password, salt, argon2Of({ ...target, memory_kib: memory }));
}

/** One answer for every reason that a sign-in fails. */
export function invalidCredentials(): Problem {
  return new Problem('unauthenticated', 'INVALID_CREDENTIALS', 'The credentials are not valid.');
}

function columnsOf(cost: Passwords): Argon2Columns {
  return { memory_kib: cost.memoryKib, passes: cost.passes, lanes: cost.lanes };
}

function argon2Of(columns: Argon2Columns) {
  return { memoryKiB: columns.memory_kib, passes: columns.passes, lanes: columns.lanes };
}

function wrapContext(memberId: string): Uint8Array {
  return utf8(`conclave/account/private-key/v1/${memberId}`);
}
