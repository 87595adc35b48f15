import { createHash } from 'node:crypto';
import { inject } from 'vitest';
import { makeCredentials, type Credentials } from '../../src/shared/members/credentials.ts';
import { memberRow, storeMember, type NewRole } from '../../src/services/accounts/signing-in/new-member.ts';
import { newSession } from '../../src/services/accounts/sessions/open-sessions.ts';
import type { Context } from '../../src/service/context.ts';
import { deriveIdentity } from '../../src/crypto/identity.ts';
import type { KeyPair } from '../../src/crypto/key-pair.ts';
import { generateMnemonic, mnemonicToSeed } from '../../src/crypto/mnemonic.ts';
import { memberIdOf } from '../../src/crypto/public-key.ts';
import { bytesOf } from './seeded-bytes.ts';

/**
 * Stretching a password and wrapping a key take 60 ms of CPU even at the least cost that is allowed, and most tests only need members
 * that are there. What is a pure function of phrase, password and cost is computed once in a worker; nothing else is shared.
 */
const identities = new Map<string, Promise<KeyPair>>();
const credentials = new Map<string, Promise<Credentials>>();

function once<T>(known: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const made = known.get(key) ?? make();
  known.set(key, made);
  return made;
}

export interface HouseMember {
  readonly memberId: string;
  readonly username: string;
  readonly email: string;
  readonly password: string;
  readonly mnemonic: string;
  readonly token: string;
}

export type WantedMember = Omit<HouseMember, 'memberId' | 'token'>;

/** The phrase and password of the n-th member of every house. */
export function secretsOf(index: number): { password: string; mnemonic: string } {
  const digest = createHash('sha256').update(`member ${index}`).digest();
  return { password: `pass phrase ${digest.toString('hex', 0, 6)}`, mnemonic: generateMnemonic(24, () => digest) };
}

/** Stores a member and a session of theirs that has the private key, as a registration would. */
export async function storePrepared(ctx: Context, wanted: WantedMember, role: NewRole): Promise<HouseMember> {
  const { mnemonic, password } = wanted;
  const identity = await once(identities, mnemonic, async () => deriveIdentity(await mnemonicToSeed(mnemonic)));
  const row = { ...memberRow(ctx, wanted, role, identity.publicKey, mnemonic), last_login_at: ctx.clock.now() };
  const key = JSON.stringify([mnemonic, password, ctx.config.passwords]);
  const kept = await once(credentials, key, () => {
    // Not from what is random in the file that happens to need them first.
    const own = { ...ctx, random: bytesOf(inject('seed'), key) };
    return makeCredentials(own, row.id, password, identity.privateKey);
  });
  const member = { row, credentials: kept, privateKey: identity.privateKey, mnemonic: undefined };
  const { row: session, token } = await newSession(
    ctx,
    row,
    { address: 'test', userAgent: 'house-test' },
    identity.privateKey,
  );
  await storeMember(ctx, member, async (tx) => void (await tx.db.insertInto('sessions').values(session).execute()));
  return { ...wanted, memberId: row.id, token };
}

/** Stores one more session of a member, as a sign-in with the password would. @returns its token */
export async function storeSession(ctx: Context, member: HouseMember): Promise<string> {
  const { mnemonic } = member;
  const identity = await once(identities, mnemonic, async () => deriveIdentity(await mnemonicToSeed(mnemonic)));
  const owner = { id: memberIdOf(identity.publicKey), username: member.username, type: 'User' } as const;
  const { row, token } = await newSession(
    ctx,
    owner,
    { address: 'test', userAgent: 'house-test' },
    identity.privateKey,
  );
  await ctx.store.transaction(async (db) => void (await db.insertInto('sessions').values(row).execute()));
  return token;
}
