import type { Actor } from '../actor.ts';
import { transaction, type Context } from '../context.ts';
import type { User } from '../contract/accounts/user.ts';
import { toHex } from '../crypto/bytes.ts';
import { unauthorized } from './authenticate.ts';
import { jtiHash } from './live-session.ts';
import { openSealedKey, sealMemberKey } from './session-key.ts';
import { carrySecrets } from './session-secrets.ts';
import { newToken } from './sessions.ts';
import { userOf } from './user.ts';

export interface Refreshed {
  user: User;
  token: string;
  serverPublicKey: string;
}

/**
 * Gives the session a new token; the one before works for the time of grace. Of two refreshes at once the later one wins, and
 * the token of the earlier one has the time of grace: that of the caller, replaced twice, ends.
 */
export async function refreshToken(ctx: Context, actor: Actor): Promise<Refreshed> {
  const now = ctx.clock.now();
  const { token, jti, expiresAt } = await newToken(ctx, { ...actor, id: actor.memberId }, now);
  const user = await transaction(ctx, async (tx) => {
    const session = await tx.db
      .selectFrom('sessions')
      .select(['jti_hash', 'previous_jti_hash', 'previous_until', 'sealed_key', 'previous_sealed_key'])
      .where('id', '=', actor.sessionId)
      .executeTakeFirst();
    if (session === undefined) throw unauthorized();
    const current = session.jti_hash === jtiHash(actor.jti);
    if (!current && (session.previous_until ?? 0) <= now) throw unauthorized();
    const privateKey = openSealedKey(actor, session);
    await tx.db
      .updateTable('sessions')
      .set({
        jti_hash: jtiHash(jti),
        sealed_key: privateKey === undefined ? null : sealMemberKey(tx, jti, actor.sessionId, privateKey),
        previous_jti_hash: session.jti_hash,
        previous_sealed_key: session.sealed_key,
        previous_until: now + tx.config.sessions.refreshGraceMs,
        last_used_at: now,
        expires_at: expiresAt,
      })
      .where('id', '=', actor.sessionId)
      .execute();
    await carrySecrets(tx, actor, jti, session.jti_hash);
    return await userOf(tx, actor.memberId);
  });
  return { user, token, serverPublicKey: toHex(ctx.keys.identity.publicKey) };
}
