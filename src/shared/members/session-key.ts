import type { Actor } from '../../service/actor.ts';
import type { Context } from '../../service/context.ts';
import { utf8 } from '../../crypto/bytes.ts';
import { openWithSecret, sealWithSecret } from '../../crypto/sealing.ts';
import { Problem } from '../../base/problem.ts';
import { writtenQuery } from '../../platform/store/written-query.ts';
import { unauthorized } from './authenticate.ts';

const INFO = 'conclave/session/member-key/v1';

/** Encrypts the member's private key for a session. Only a request with the token (and so its jti) can open it again. */
export function sealMemberKey(ctx: Context, jti: Uint8Array, sessionId: string, privateKey: Uint8Array): Uint8Array {
  return sealWithSecret(jti, INFO, privateKey, utf8(sessionId), ctx.random);
}

/**
 * The private key of the actor, 32 bytes. The caller must not keep it longer than the request.
 * @throws Problem forbidden KEY_LOCKED when the session never had it, and for an app password
 */
export async function openMemberKey(ctx: Context, actor: Actor): Promise<Uint8Array> {
  const key = await findMemberKey(ctx, actor);
  if (key === undefined) throw keyLocked(actor);
  return key;
}

export async function findMemberKey(ctx: Context, actor: Actor): Promise<Uint8Array | undefined> {
  if (actor.appPassword !== undefined) return undefined;
  const { rows } = await ctx.db.executeQuery(sealedKeys(actor.sessionId, actor.jtiHash));
  if (rows[0] === undefined) throw unauthorized();
  return openSealedKey(actor, rows[0].sealed_key);
}

/** The copies for the newest token and for replaced tokens in their time of grace. */
const sealedKeys = writtenQuery<{ sealed_key: Uint8Array | null }>(`
  select sealed_key from sessions where id = $1 and jti_hash = $2
  union all select sealed_key from replaced_tokens where session_id = $1 and jti_hash = $2`);

/** @param sealed the copy of the actor's token */
export function openSealedKey(actor: Actor, sealed: Uint8Array | null): Uint8Array | undefined {
  return sealed === null ? undefined : openWithSecret(actor.jti(), INFO, sealed, utf8(actor.sessionId));
}

function keyLocked(actor: Actor): Problem {
  const message =
    actor.appPassword === undefined
      ? 'This session does not have your private key. Sign in with the password.'
      : 'An app password does not open your private key. Sign in with the password of your account.';
  return new Problem('forbidden', 'KEY_LOCKED', message);
}
