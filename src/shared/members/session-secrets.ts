import type { Actor } from '../../service/actor.ts';
import type { Context } from '../../service/context.ts';
import { utf8 } from '../../crypto/bytes.ts';
import { openWithSecret, sealWithSecret } from '../../crypto/sealing.ts';
import { jtiHash } from './live-session.ts';

const INFO = 'conclave/session/secret/v1';

/**
 * Keeps a secret that a request of the actor has opened. Later requests can read it with the same token or with a token refreshed from it.
 * It is sealed like the member's own key: the store alone can't open it.
 *
 * @param name names the secret and what it opens
 */
export async function keepSecret(tx: Context, actor: Actor, name: string, secret: Uint8Array): Promise<void> {
  const sealed = sealWithSecret(actor.jti(), INFO, secret, contextOf(actor, name), tx.random);
  const kept = { sealed, used_at: tx.clock.now() };
  await tx.db
    .insertInto('session_secrets')
    .values({ session_id: actor.sessionId, name, jti_hash: actor.jtiHash, ...kept })
    .onConflict((conflict) => conflict.columns(['session_id', 'name', 'jti_hash']).doUpdateSet(kept))
    .execute();
}

/** @param sealed from the row with the actor's session and token. @throws CryptoError */
export function openSecret(actor: Actor, name: string, sealed: Uint8Array): Uint8Array {
  return openWithSecret(actor.jti(), INFO, sealed, contextOf(actor, name));
}

/** Notes the use of a secret. Some secrets close when they were unused for a while. */
export async function noteSecretUse(tx: Context, actor: Actor, name: string): Promise<void> {
  await tx.db
    .updateTable('session_secrets')
    .set({ used_at: tx.clock.now() })
    .where('session_id', '=', actor.sessionId)
    .where('name', '=', name)
    .execute();
}

export async function dropSecret(tx: Context, actor: Actor, name: string): Promise<void> {
  await tx.db
    .deleteFrom('session_secrets')
    .where('session_id', '=', actor.sessionId)
    .where('name', '=', name)
    .execute();
}

/** Removes the secret from all sessions that have it. */
export async function dropSecretOfAll(tx: Context, name: string): Promise<void> {
  await tx.db.deleteFrom('session_secrets').where('name', '=', name).execute();
}

/** Removes the secret from all sessions of a member. */
export async function dropSecretOfMember(tx: Context, memberId: string, name: string): Promise<void> {
  await tx.db
    .deleteFrom('session_secrets')
    .where('name', '=', name)
    .where('session_id', 'in', (query) => query.selectFrom('sessions').select('id').where('member_id', '=', memberId))
    .execute();
}

/**
 * Seals the secrets of the actor's token under the newer token, unless the newer token opens them already. Tokens in their time of grace
 * keep their copies. Copies of older tokens are deleted.
 */
export async function carrySecrets(tx: Context, actor: Actor, jti: Uint8Array): Promise<void> {
  const hash = jtiHash(jti);
  const rows = await tx.db
    .selectFrom('session_secrets')
    .select(['name', 'sealed', 'used_at'])
    .where('session_id', '=', actor.sessionId)
    .where('jti_hash', '=', actor.jtiHash)
    .execute();
  await tx.db
    .deleteFrom('session_secrets')
    .where('session_id', '=', actor.sessionId)
    .where('jti_hash', '!=', hash)
    .where('jti_hash', 'not in', (query) =>
      query.selectFrom('replaced_tokens').select('jti_hash').where('session_id', '=', actor.sessionId),
    )
    .execute();
  for (const { name, sealed, used_at } of rows) {
    const secret = openSecret(actor, name, sealed);
    const again = sealWithSecret(jti, INFO, secret, contextOf(actor, name), tx.random);
    await tx.db
      .insertInto('session_secrets')
      .values({ session_id: actor.sessionId, name, jti_hash: hash, sealed: again, used_at })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

function contextOf(actor: Actor, name: string): Uint8Array {
  return utf8(`${actor.sessionId}/${name}`);
}
