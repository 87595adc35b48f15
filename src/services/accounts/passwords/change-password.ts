import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { audit } from '../../../shared/members/audit.ts';
import { unauthorized } from '../../../shared/members/authenticate.ts';
import {
  invalidCredentials,
  makeCredentials,
  openCredentials,
  credentialColumns,
  isStill,
  setCredentials,
  untilFresh,
} from '../../../shared/members/credentials.ts';
import { assertStrongPassword } from '../../../shared/members/password-rules.ts';
import { noticePassword } from '../notices.ts';
import { endGrace } from '../sessions/replaced-tokens.ts';
import { assertStillSignedIn } from '../../../shared/members/still-signed-in.ts';
import { endSessionsOf } from '../sessions/open-sessions.ts';

export interface PasswordChanged {
  data: { memberId: string; success: boolean };
}

/** Wraps the private key with the new password. Every session but the caller's ends. */
export async function changePassword(
  ctx: Context,
  actor: Actor,
  input: { currentPassword: string; newPassword: string },
): Promise<PasswordChanged> {
  return await untilFresh(async () => {
    const member = await findMember(ctx, actor.memberId);
    await assertStrongPassword('newPassword', input.newPassword, [member.username, member.email]);
    const privateKey = await openCredentials(ctx, member, input.currentPassword);
    if (privateKey === undefined) {
      audit(ctx, actor, 'account.change-password-failed', actor.memberId);
      throw invalidCredentials();
    }
    const credentials = await makeCredentials(ctx, member.id, input.newPassword, privateKey);
    return await transaction(ctx, async (tx) => {
      await assertStillSignedIn(tx, actor);
      if (!(await isStill(tx.db, member))) return undefined;
      await setCredentials(tx.db, member.id, credentials);
      await endOthers(tx, actor);
      await noticePassword(tx, actor.memberId, 'changed');
      audit(tx, actor, 'account.change-password', actor.memberId);
      return { data: { memberId: actor.memberId, success: true } };
    });
  });
}

/** Ends all sessions but the actor's, and the time of grace of tokens that the actor's token has replaced. */
export async function endOthers(tx: Context, actor: Actor): Promise<void> {
  await endSessionsOf(tx, actor.memberId, actor.sessionId);
  await endGrace(tx, actor);
}

async function findMember(ctx: Context, memberId: string) {
  const row = await ctx.db
    .selectFrom('members as m')
    .innerJoin('member_credentials as c', 'c.member_id', 'm.id')
    .select(['m.id', 'm.username', 'm.email', 'm.status', ...credentialColumns])
    .where('m.id', '=', memberId)
    .executeTakeFirst();
  if (row === undefined) throw unauthorized();
  const { id, username, email, status, ...credentials } = row;
  return { id, username, email, status, credentials };
}
