import type { Actor } from '../actor.ts';
import type { Context } from '../context.ts';
import { utf8 } from '../crypto/bytes.ts';
import { openWithSecret, sealWithSecret } from '../crypto/sealing.ts';
import { Problem } from '../problem.ts';
import { unauthorized } from './authenticate.ts';
import { jtiHash } from './live-session.ts';

const INFO = 'conclave/session/member-key/v1';

/** The member's private key, for a session: only a request that brings the token (and so its jti) can open it again. */
export function sealMemberKey(ctx: Context, jti: Uint8Array, sessionId: string, privateKey: Uint8Array): Uint8Array {
  return sealWithSecret(jti, INFO, privateKey, utf8(sessionId), ctx.random);
}

/**
 * The private key of the actor, 32 bytes. Whoever calls this keeps it no longer than the request.
 * @throws Problem forbidden KEY_LOCKED when the session never had it
 */
export async function openMemberKey(ctx: Context, actor: Actor): Promise<Uint8Array> {
  const key = await findMemberKey(ctx, actor);
  if (key === undefined) throw keyLocked();
  return key;
}

export async function findMemberKey(ctx: Context, actor: Actor): Promise<Uint8Array | undefined> {
  const session = await ctx.db
    .selectFrom('sessions')
    .select(['jti_hash', 'previous_jti_hash', 'sealed_key', 'previous_sealed_key'])
    .where('id', '=', actor.sessionId)
    .executeTakeFirst();
  if (session === undefined) throw unauthorized();
  return openSealedKey(actor, session);
}

export interface SealedKeys {
  readonly jti_hash: string;
  readonly previous_jti_hash: string | null;
  readonly sealed_key: Uint8Array | null;
  readonly previous_sealed_key: Uint8Array | null;
}

/** Opens with the actor's jti whichever of the two copies is sealed under it. */
export function openSealedKey(actor: Actor, session: SealedKeys): Uint8Array | undefined {
  const hash = jtiHash(actor.jti);
  const copies = new Map([
    [session.previous_jti_hash, session.previous_sealed_key],
    [session.jti_hash, session.sealed_key],
  ]);
  const sealed = copies.get(hash);
  if (sealed === undefined) throw unauthorized();
  return sealed === null ? undefined : openWithSecret(actor.jti, INFO, sealed, utf8(actor.sessionId));
}

export function keyLocked(): Problem {
  return new Problem('forbidden', 'KEY_LOCKED', 'This session has no private key: sign in with the password.');
}
