import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import { utf8 } from '../../../crypto/bytes.ts';
import { openWithSecret, sealWithSecret } from '../../../crypto/sealing.ts';
import type { SessionRow } from '../../../platform/store/tables/tables.ts';
import { unauthorized } from '../../../shared/members/authenticate.ts';
import { jtiHash } from '../../../shared/members/live-session.ts';

const INFO = 'conclave/session/next-token/v1';

/**
 * Starts the time of grace of the actor's token, which is the newest of the session.
 * @param next jti of the token that replaces it
 */
export async function replaceToken(
  tx: Context,
  actor: Actor,
  session: Pick<SessionRow, 'jti_hash' | 'sealed_key'>,
  next: Uint8Array,
): Promise<void> {
  const now = tx.clock.now();
  await tx.db
    .deleteFrom('replaced_tokens')
    .where('session_id', '=', actor.sessionId)
    .where('good_until', '<=', now)
    .execute();
  await tx.db
    .insertInto('replaced_tokens')
    .values({
      jti_hash: session.jti_hash,
      session_id: actor.sessionId,
      sealed_key: session.sealed_key,
      sealed_next: sealWithSecret(actor.jti(), INFO, next, utf8(actor.sessionId), tx.random),
      good_until: now + tx.config.sessions.refreshGraceMs,
    })
    .execute();
}

/**
 * The jti of the session's newest token, for an actor with a token in its time of grace. The store can't read it: each token opens only the
 * one that replaced it.
 * @param newestHash of the session
 * @throws Problem unauthenticated UNAUTHORIZED when the time of grace is over
 */
export async function newestJti(tx: Context, actor: Actor, newestHash: string): Promise<Uint8Array> {
  const rows = await tx.db
    .selectFrom('replaced_tokens')
    .select(['jti_hash', 'sealed_next', 'good_until'])
    .where('session_id', '=', actor.sessionId)
    .execute();
  const replaced = new Map(rows.map((row) => [row.jti_hash, row]));
  let jti = actor.jti();
  let hash = actor.jtiHash;
  if ((replaced.get(hash)?.good_until ?? 0) <= tx.clock.now()) throw unauthorized();
  while (hash !== newestHash) {
    const row = replaced.get(hash);
    if (row === undefined) throw unauthorized();
    replaced.delete(hash);
    jti = openWithSecret(jti, INFO, row.sealed_next, utf8(actor.sessionId));
    hash = jtiHash(jti);
  }
  return jti;
}

/** Ends the time of grace of all tokens that the actor's token has replaced. */
export async function endGrace(tx: Context, actor: Actor): Promise<void> {
  const { jti_hash: newest } = await tx.db
    .selectFrom('sessions')
    .select('jti_hash')
    .where('id', '=', actor.sessionId)
    .executeTakeFirstOrThrow();
  if (newest !== actor.jtiHash) return;
  await tx.db.deleteFrom('replaced_tokens').where('session_id', '=', actor.sessionId).execute();
}
