import type { Guest } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { User } from '../../../contract/accounts/user.ts';
import { fromHex, toHex, concat } from '../../../crypto/bytes.ts';
import { directLoginStatement, serverProofStatement } from '../../../crypto/sign-in-statements.ts';
import { sign, verify } from '../../../crypto/signature.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import { audit } from '../../../shared/members/audit.ts';
import { invalidCredentials } from '../../../shared/members/credentials.ts';
import { emailKey, selectMemberByName } from '../../../shared/members/names.ts';
import { noticeDevice } from '../notices.ts';
import { newSession } from '../sessions/open-sessions.ts';
import { admit } from './sign-in.ts';
import { userOf } from '../user.ts';

export interface Challenge {
  challenge: string;
  serverPublicKey: string;
}

export interface DirectLogin {
  readonly challenge: string;
  readonly signature: string;
  readonly username?: string | undefined;
  readonly email?: string | undefined;
}

export interface DirectlySignedIn {
  user: User;
  token: string;
  serverPublicKey: string;
}

/** Proves the node's identity to clients that know its key, before they send a password. The signature is valid for nothing else. */
export async function proveServer(
  ctx: Context,
  _guest: Guest,
  { nonce }: { nonce: string },
): Promise<{ serverPublicKey: string; signature: string }> {
  const { privateKey, publicKey } = ctx.keys.identity;
  const signature = sign(privateKey, serverProofStatement(publicKey, fromHex(nonce)));
  return { serverPublicKey: toHex(publicKey), signature: toHex(signature) };
}

export async function requestDirectLogin(ctx: Context): Promise<Challenge> {
  const challenge = issueChallenge(ctx.keys.identity.privateKey, ctx.clock.now(), ctx.random);
  return { challenge: toHex(challenge), serverPublicKey: toHex(ctx.keys.identity.publicKey) };
}

/**
 * Signs in a member who signed a challenge of this node with their private key. The signature names this node, and the member's settings
 * must allow this way of signing in. The session has no private key.
 */
export async function directChallenge(ctx: Context, guest: Guest, input: DirectLogin): Promise<DirectlySignedIn> {
  const name = input.username ?? input.email;
  if (name === undefined) throw fieldProblem('username', 'give a username or an e-mail address');
  const bytes = fromHex(input.challenge);
  const { timestamp, nonce } = readChallenge(bytes);
  assertTimely(timestamp, ctx.clock.now(), ctx.config.sessions.challengeMs);
  assertIssuedBy(ctx.keys.identity.publicKey, bytes);

  const member = await findMember(ctx, name, input.email);
  // For an unknown member a signature is checked too, against a key that can't match.
  const publicKey = member === undefined ? ctx.keys.identity.publicKey : fromHex(member.public_key);
  const statement = directLoginStatement(ctx.keys.identity.publicKey, bytes);
  const signed = verify(publicKey, statement, fromHex(input.signature));
  if (member === undefined || !signed || !mayEnter(member)) {
    audit(ctx, guest, 'account.direct-login-failed', member?.id);
    throw invalidCredentials();
  }

  const session = await newSession(ctx, member, guest);
  const user = await transaction(ctx, async (tx) => {
    await takeNonce(tx, nonce, timestamp);
    if (!mayEnter(await standingOf(tx, member.id))) throw invalidCredentials();
    await noticeDevice(tx, member.id, guest);
    await admit(tx, guest, session, 'account.direct-login');
    return await userOf(tx, member.id);
  });
  return { user, token: session.token, serverPublicKey: toHex(ctx.keys.identity.publicKey) };
}

/** Uses up the nonce: of all submissions of one challenge, exactly one passes. */
async function takeNonce(tx: Context, nonce: Uint8Array, timestamp: number): Promise<void> {
  const taken = await tx.db
    .insertInto('used_direct_login_tokens')
    // Kept for twice the lifetime, so that clocks of other processes and a clock set back don't find it deleted.
    .values({ nonce: toHex(nonce), expires_at: timestamp + 2 * tx.config.sessions.challengeMs })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (taken.numInsertedOrUpdatedRows !== 1n) {
    throw new Problem('unauthenticated', 'CHALLENGE_USED', 'The challenge was used before. Ask for a new one.');
  }
}

async function findMember(ctx: Context, name: string, email: string | undefined) {
  const member = await selectMemberByName(ctx.db, name)
    .innerJoin('member_settings as s', 's.member_id', 'm.id')
    .select(['m.id', 'm.username', 'm.type', 'm.status', 'm.public_key', 'm.email_key', 's.direct_challenge'])
    .executeTakeFirst();
  // If both a username and an e-mail address are given, both must belong to one member.
  return email === undefined || member?.email_key === emailKey(email) ? member : undefined;
}

interface Standing {
  readonly status: 'active' | 'suspended';
  readonly direct_challenge: number;
}

/** A member who disabled direct login gets the same refusal as for a wrong signature, so nobody learns a member's settings. */
function mayEnter(member: Standing | undefined): boolean {
  return member?.status === 'active' && member.direct_challenge === 1;
}

async function standingOf(tx: Context, memberId: string): Promise<Standing | undefined> {
  return await tx.db
    .selectFrom('members as m')
    .innerJoin('member_settings as s', 's.member_id', 'm.id')
    .select(['m.status', 's.direct_challenge'])
    .where('m.id', '=', memberId)
    .executeTakeFirst();
}

/** `timestamp 8, big-endian milliseconds | nonce 32 | signature of the node over both 64` */
const TIMESTAMP_LENGTH = 8;
const NONCE_LENGTH = 32;
const SIGNED_LENGTH = TIMESTAMP_LENGTH + NONCE_LENGTH;
const CHALLENGE_LENGTH = SIGNED_LENGTH + 64;
/** Clocks of processes differ slightly. A larger difference means a forgery or a broken clock. */
const FUTURE_MS = 30_000;

export interface ReadChallenge {
  /** milliseconds since 1970 */
  readonly timestamp: number;
  readonly nonce: Uint8Array;
}

/** @returns 104 bytes */
export function issueChallenge(
  privateKey: Uint8Array,
  nowMs: number,
  random: (size: number) => Uint8Array,
): Uint8Array {
  const timestamp = new Uint8Array(TIMESTAMP_LENGTH);
  new DataView(timestamp.buffer).setBigUint64(0, BigInt(nowMs));
  const signed = concat(timestamp, random(NONCE_LENGTH));
  return concat(signed, sign(privateKey, signed));
}

/** @throws Problem unauthenticated INVALID_CHALLENGE for any other length */
function readChallenge(bytes: Uint8Array): ReadChallenge {
  if (bytes.length !== CHALLENGE_LENGTH) throw invalidChallenge();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { timestamp: Number(view.getBigUint64(0)), nonce: bytes.slice(TIMESTAMP_LENGTH, SIGNED_LENGTH) };
}

/** @throws Problem unauthenticated INVALID_CHALLENGE unless the node with this key issued it */
function assertIssuedBy(publicKey: Uint8Array, challenge: Uint8Array): void {
  const issued = verify(publicKey, challenge.subarray(0, SIGNED_LENGTH), challenge.subarray(SIGNED_LENGTH));
  if (!issued) throw invalidChallenge();
}

/** @throws Problem unauthenticated CHALLENGE_EXPIRED */
function assertTimely(timestamp: number, nowMs: number, lifetimeMs: number): void {
  if (timestamp + lifetimeMs < nowMs || timestamp > nowMs + FUTURE_MS) {
    throw new Problem(
      'unauthenticated',
      'CHALLENGE_EXPIRED',
      'The challenge has expired, or its time is in the future. Ask for a new one.',
    );
  }
}

function invalidChallenge(): Problem {
  return new Problem('unauthenticated', 'INVALID_CHALLENGE', 'The challenge was not issued by this node.');
}
