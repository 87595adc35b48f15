import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { backupCodeTag, generateBackupCodes, sealBackupCode } from '../../../crypto/backup-code.ts';
import { earlierReply, once } from '../../../service/repeats.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import type { BackupCodeRow } from '../../../platform/store/tables/tables.ts';
import { audit } from '../../../shared/members/audit.ts';
import { openMemberKey } from '../../../shared/members/session-key.ts';
import { assertStillSignedIn } from '../../../shared/members/still-signed-in.ts';

const CODES = 10;

/**
 * Makes a set of codes that replaces the previous set. Each code gets its own copy of the private key. A session without the key is
 * refused, because it would replace good codes by codes that open nothing.
 * @throws Problem forbidden KEY_LOCKED
 */
export async function replaceBackupCodes(ctx: Context, actor: Actor): Promise<{ backupCodes: string[] }> {
  const privateKey = await openMemberKey(ctx, actor);
  await earlierReply(ctx);
  const { memoryKib, passes, lanes } = ctx.config.passwords;
  const backupCodes = generateBackupCodes(CODES, ctx.random);
  const rows: BackupCodeRow[] = [];
  for (const code of backupCodes) {
    // One turn each, one after another. Ten at once would push other work out of the queue.
    const sealed = await ctx.heavy.run(() =>
      sealBackupCode(
        code,
        actor.memberId,
        privateKey,
        ctx.keys.identity.publicKey,
        { memoryKiB: memoryKib, passes, lanes },
        ctx.random,
      ),
    );
    const now = ctx.clock.now();
    rows.push({
      id: recordId(now, ctx.random),
      member_id: actor.memberId,
      tag: backupCodeTag(ctx.keys.backupCode, actor.memberId, code),
      sealed,
      created_at: now,
    });
  }
  return await transaction(ctx, async (tx) => {
    await assertStillSignedIn(tx, actor);
    return await once(tx, async () => {
      await tx.db.deleteFrom('backup_codes').where('member_id', '=', actor.memberId).execute();
      await tx.db.insertInto('backup_codes').values(rows).execute();
      audit(tx, actor, 'account.replace-backup-codes', actor.memberId);
      return { backupCodes };
    });
  });
}

export async function countBackupCodes(ctx: Context, actor: Actor): Promise<{ codeCount: number }> {
  const { codes } = await ctx.db
    .selectFrom('backup_codes')
    .select((e) => e.fn.countAll<number>().as('codes'))
    .where('member_id', '=', actor.memberId)
    .executeTakeFirstOrThrow();
  return { codeCount: codes };
}

export { replaceBackupCodes as createBackupCodes };
