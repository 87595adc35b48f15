import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { backupCodeTag, openBackupCode } from '../../../crypto/backup-code.ts';
import { CryptoError } from '../../../crypto/crypto-error.ts';
import { Problem } from '../../../base/problem.ts';
import type { BackupCodeRow } from '../../../platform/store/tables/tables.ts';
import { audit } from '../../../shared/members/audit.ts';
import { unauthorized } from '../../../shared/members/authenticate.ts';
import { noticePassword } from '../notices.ts';
import { countBackupCodes } from './backup-codes.ts';
import { endOthers } from './change-password.ts';
import { makeCredentials, type Credentials, setCredentials } from '../../../shared/members/credentials.ts';
import { endProgramsOf } from '../../../shared/members/ended-app-passwords.ts';
import { assertStrongPassword } from '../../../shared/members/password-rules.ts';
import { openMemberKey } from '../../../shared/members/session-key.ts';
import { assertStillSignedIn } from '../../../shared/members/still-signed-in.ts';

/**
 * Uses up a backup code. If a new password is given, the private key is wrapped with it, and every other session and all app
 * passwords end. The private key
 * comes from the code's copy, or else from the session.
 * @throws Problem unauthenticated INVALID_BACKUP_CODE, forbidden KEY_LOCKED when neither code nor session has the key; no code is used then
 */
export async function recoverBackup(
  ctx: Context,
  actor: Actor,
  input: { backupCode: string; newPassword?: string | undefined },
): Promise<{ codeCount: number }> {
  const { backupCode, newPassword } = input;
  if (newPassword !== undefined) await assertStrongPassword('newPassword', newPassword, await namesOf(ctx, actor));
  const { row, copy } = await openCode(ctx, actor, backupCode);
  let credentials: Credentials | undefined;
  if (newPassword !== undefined) {
    const privateKey = copy ?? (await openMemberKey(ctx, actor));
    credentials = await makeCredentials(ctx, actor.memberId, newPassword, privateKey);
  }
  return await transaction(ctx, async (tx) => {
    await assertStillSignedIn(tx, actor);
    const used = await tx.db.deleteFrom('backup_codes').where('id', '=', row.id).executeTakeFirst();
    // Another request with the same code, or a new set of codes, came first.
    if (used.numDeletedRows === 0n) throw invalidBackupCode();
    audit(tx, actor, 'account.use-backup-code', actor.memberId);
    if (credentials !== undefined) {
      await setCredentials(tx.db, actor.memberId, credentials);
      await endOthers(tx, actor);
      await endProgramsOf(tx, actor.memberId);
      await noticePassword(tx, actor.memberId, 'reset by a backup code');
      audit(tx, actor, 'account.reset-password', actor.memberId);
    }
    return await countBackupCodes(tx, actor);
  });
}

async function openCode(
  ctx: Context,
  actor: Actor,
  code: string,
): Promise<{ row: BackupCodeRow; copy: Uint8Array | null }> {
  try {
    const row = await ctx.db
      .selectFrom('backup_codes')
      .selectAll()
      .where('tag', '=', backupCodeTag(ctx.keys.backupCode, actor.memberId, code))
      .where('member_id', '=', actor.memberId)
      .executeTakeFirst();
    if (row === undefined) throw invalidBackupCode();
    const nodeKey = ctx.keys.identity.privateKey;
    return { row, copy: await ctx.heavy.run(() => openBackupCode(code, actor.memberId, row.sealed, nodeKey)) };
  } catch (error) {
    if (error instanceof CryptoError) throw invalidBackupCode();
    throw error;
  }
}

async function namesOf(ctx: Context, actor: Actor): Promise<string[]> {
  const member = await ctx.db
    .selectFrom('members')
    .select(['username', 'email'])
    .where('id', '=', actor.memberId)
    .executeTakeFirst();
  if (member === undefined) throw unauthorized();
  return [member.username, member.email];
}

function invalidBackupCode(): Problem {
  return new Problem('unauthenticated', 'INVALID_BACKUP_CODE', 'The backup code is wrong or was used before.');
}
