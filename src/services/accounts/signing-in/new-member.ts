import type { ErrorCode } from '../../../contract/error-codes.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { MemberType, Guest } from '../../../service/actor.ts';
import { toHex } from '../../../crypto/bytes.ts';
import { CryptoError } from '../../../crypto/crypto-error.ts';
import { deriveIdentity } from '../../../crypto/identity.ts';
import { generateMnemonic, mnemonicTag, mnemonicToSeed, normalizeMnemonic } from '../../../crypto/mnemonic.ts';
import { memberIdOf } from '../../../crypto/public-key.ts';
import { fieldProblem, type Problem } from '../../../base/problem.ts';
import { isUniqueViolation } from '../../../platform/store/violation.ts';
import type { MemberRow } from '../../../platform/store/tables/tables.ts';
import { makeCredentials, type Credentials } from '../../../shared/members/credentials.ts';
import { emailKey, usernameKey } from '../../../shared/members/names.ts';
import { assertStrongPassword } from '../../../shared/members/password-rules.ts';
import { audit } from '../../../shared/members/audit.ts';
import { newSocialProfile } from '../../../shared/members/social-profile.ts';
import { rememberDevice } from '../../../shared/members/known-devices.ts';
import { newSession } from '../sessions/open-sessions.ts';

/** The initial balance of a member's energy account. */
const trialCredits = 1000;
const FIRST_REPUTATION = 0.5;
/** 10 GiB */
const STORAGE_QUOTA = String(10 * 2 ** 30);

export interface NewMemberInput {
  readonly username: string;
  readonly email: string;
  readonly password: string;
  readonly mnemonic?: string | undefined;
}

/** A member that isn't stored yet. It holds secrets, so it lives only as long as the request. */
export interface NewMember {
  readonly row: MemberRow;
  readonly credentials: Credentials;
  /** 32 bytes */
  readonly privateKey: Uint8Array;
  /** set only if it was generated here; shown once */
  readonly mnemonic: string | undefined;
}

export interface NewRole {
  readonly type: MemberType;
  /** default: the member */
  readonly createdBy?: string;
}

/** Checks the input and does the slow work that must not run inside the transaction. */
export async function prepareMember(ctx: Context, input: NewMemberInput, role: NewRole): Promise<NewMember> {
  await assertStrongPassword('password', input.password, [input.username, input.email]);
  const given = input.mnemonic === undefined ? undefined : wellFormed(input.mnemonic);
  const mnemonic = given ?? generateMnemonic(24, ctx.random);
  const seed = await ctx.heavy.run(() => mnemonicToSeed(mnemonic));
  const { privateKey, publicKey } = deriveIdentity(seed);
  const row = memberRow(ctx, input, role, publicKey, mnemonic);
  const credentials = await makeCredentials(ctx, row.id, input.password, privateKey);
  return { row, credentials, privateKey, mnemonic: given === undefined ? mnemonic : undefined };
}

/** @param publicKey derived from the mnemonic, 33 bytes */
export function memberRow(
  ctx: Context,
  { username, email }: Pick<NewMemberInput, 'username' | 'email'>,
  { type, createdBy }: NewRole,
  publicKey: Uint8Array,
  mnemonic: string,
): MemberRow {
  const id = memberIdOf(publicKey);
  const now = ctx.clock.now();
  return {
    id,
    username,
    username_key: usernameKey(username),
    email,
    email_key: emailKey(email),
    type,
    status: 'active',
    suspended_at: null,
    public_key: toHex(publicKey),
    mnemonic_tag: mnemonicTag(ctx.keys.mnemonic, mnemonic),
    verified_email_key: null,
    created_at: now,
    created_by: createdBy ?? id,
    updated_at: now,
    role_updated_at: now,
    role_updated_by: createdBy ?? id,
    last_login_at: null,
  };
}

/**
 * Stores the member with all rows that belong to it, and runs `also`, in one transaction.
 * @throws Problem invalid USERNAME_TAKEN, EMAIL_TAKEN, MNEMONIC_IN_USE
 */
export async function storeMember(
  ctx: Context,
  member: NewMember,
  also: (tx: Context) => Promise<void>,
): Promise<void> {
  try {
    await transaction(ctx, async (tx) => {
      await insertMember(tx, member);
      await also(tx);
    });
  } catch (error) {
    if (isUniqueViolation(error) && error.table === 'members') throw takenProblem(error.columns);
    throw error;
  }
}

async function insertMember(tx: Context, { row, credentials }: NewMember): Promise<void> {
  const { db } = tx;
  const { id: member_id, created_at } = row;
  const times = { created_at, updated_at: created_at };
  await db.insertInto('members').values(row).execute();
  await db
    .insertInto('member_credentials')
    .values({ member_id, ...credentials })
    .execute();
  await db
    .insertInto('member_settings')
    .values({ member_id, timezone: 'UTC', site_language: 'en', currency: 'USD', dark_mode: 0, direct_challenge: 0 })
    .execute();
  await db
    .insertInto('member_profiles')
    .values({
      member_id,
      status: 'active',
      storage_quota: STORAGE_QUOTA,
      storage_used: '0',
      last_active: created_at,
      created_at,
      auto_replication: 1,
      min_redundancy: 3,
      preferred_regions: '[]',
    })
    .execute();
  await db
    .insertInto('energy_accounts')
    .values({
      member_id,
      balance: trialCredits,
      earned: 0,
      spent: 0,
      reserved: 0,
      reputation: FIRST_REPUTATION,
      ...times,
    })
    .execute();
  await db
    .insertInto('social_profiles')
    .values(newSocialProfile(member_id, row.username, created_at))
    .execute();
}

function wellFormed(mnemonic: string): string {
  try {
    return normalizeMnemonic(mnemonic);
  } catch (error) {
    if (!(error instanceof CryptoError)) throw error;
    throw problem('MNEMONIC_INVALID', 'mnemonic', 'must be a BIP39 phrase of 12, 15, 18, 21 or 24 words');
  }
}

function takenProblem(columns: readonly string[]): Problem {
  if (columns.includes('username_key')) return problem('USERNAME_TAKEN', 'username', 'is taken');
  if (columns.includes('email_key')) return problem('EMAIL_TAKEN', 'email', 'is taken');
  // Id, public key and tag are all derived from the phrase.
  return problem('MNEMONIC_IN_USE', 'mnemonic', 'belongs to another member');
}

function problem(code: ErrorCode, field: string, message: string): Problem {
  return fieldProblem(field, message, { code, sentence: `The ${field} ${message}.` });
}

export interface Registered {
  data: { token: string; memberId: string; energyBalance: number; mnemonic?: string };
}

/** Makes a member and signs them in. This never makes an administrator, not even of the first member. */
export async function register(ctx: Context, guest: Guest, input: NewMemberInput): Promise<Registered> {
  const member = await prepareMember(ctx, input, { type: 'User' });
  const { row, mnemonic } = member;
  const session = await newSession(ctx, row, guest, member.privateKey);
  await storeMember(ctx, { ...member, row: { ...row, last_login_at: row.created_at } }, async (tx) => {
    await tx.db.insertInto('sessions').values(session.row).execute();
    await rememberDevice(tx, row.id, guest);
    audit(tx, guest, 'account.register', row.id);
  });
  return {
    data: {
      token: session.token,
      memberId: row.id,
      energyBalance: trialCredits,
      ...(mnemonic !== undefined && { mnemonic }),
    },
  };
}
