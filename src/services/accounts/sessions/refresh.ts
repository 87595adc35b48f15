import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { User } from '../../../contract/accounts/user.ts';
import { toHex } from '../../../crypto/bytes.ts';
import type { SessionRow } from '../../../platform/store/tables/tables.ts';
import { unauthorized } from '../../../shared/members/authenticate.ts';
import { jtiHash } from '../../../shared/members/live-session.ts';
import { newestJti, replaceToken } from './replaced-tokens.ts';
import { openSealedKey, sealMemberKey } from '../../../shared/members/session-key.ts';
import { carrySecrets } from '../../../shared/members/session-secrets.ts';
import { newJti, tokenOf, type NewJti } from './open-sessions.ts';
import { userOf } from '../user.ts';

export interface Refreshed {
  user: User;
  token: string;
  serverPublicKey: string;
}

/**
 * Gives the session a new token. The previous token stays valid for the time of grace. A refresh with a token in its time of grace returns
 * the newest token, so tabs that refresh at once all get the same token.
 */
export async function refreshToken(ctx: Context, actor: Actor): Promise<Refreshed> {
  const fresh = newJti(ctx);
  const { user, ...issued } = await transaction(ctx, async (tx) => {
    const session = await tx.db
      .selectFrom('sessions')
      .select(['jti_hash', 'sealed_key', 'expires_at'])
      .where('id', '=', actor.sessionId)
      .executeTakeFirst();
    if (session === undefined) throw unauthorized();
    const isNewest = session.jti_hash === actor.jtiHash;
    const jti = isNewest ? fresh.jti : await newestJti(tx, actor, session.jti_hash);
    const expiresAt = isNewest ? fresh.expiresAt : session.expires_at;
    if (isNewest) await moveTo(tx, actor, session, fresh);
    await carrySecrets(tx, actor, jti);
    return { jti, expiresAt, user: await userOf(tx, actor.memberId) };
  });
  // The same claims give the same token, character by character.
  const token = await tokenOf(ctx, { ...actor, id: actor.memberId }, issued);
  return { user, token, serverPublicKey: toHex(ctx.keys.identity.publicKey) };
}

async function moveTo(
  tx: Context,
  actor: Actor,
  session: Pick<SessionRow, 'jti_hash' | 'sealed_key'>,
  { jti, expiresAt }: NewJti,
): Promise<void> {
  const { sessionId } = actor;
  const privateKey = openSealedKey(actor, session.sealed_key);
  await tx.db
    .updateTable('sessions')
    .set({
      jti_hash: jtiHash(jti),
      sealed_key: privateKey === undefined ? null : sealMemberKey(tx, jti, sessionId, privateKey),
      last_used_at: tx.clock.now(),
      expires_at: expiresAt,
    })
    .where('id', '=', sessionId)
    .execute();
  // After the row that all concurrent refreshes change: on PostgreSQL they collide there, and run again.
  await replaceToken(tx, actor, session, jti);
}
