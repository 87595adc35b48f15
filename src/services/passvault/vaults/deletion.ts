import { dropSecretOfAll } from '../../../members/session-secrets.ts';
import { assertStillSignedIn } from '../../../members/still-signed-in.ts';
import { freeStorage } from '../../../members/storage.ts';
import type { Actor } from '../../../actor.ts';
import { transaction, type Context } from '../../../context.ts';
import { openingOf, requireOwner } from './access.ts';
import { record } from './audit.ts';
import { dropBlocks } from '../../../attachments/blocks.ts';
import { vaultRow } from './master-password.ts';
import { wrongPassword } from '../problems.ts';
import { openMaster } from './vault-key.ts';

/** Entries, attachments and keys go; what was done with the vault stays on record. */
export async function deleteVault(
  ctx: Context,
  actor: Actor,
  { vaultId, masterPassword }: { vaultId: string; masterPassword: string },
): Promise<{ deleted: true }> {
  await requireOwner(ctx, actor, vaultId);
  const vault = await vaultRow(ctx, vaultId);
  if ((await openMaster(ctx, vault, masterPassword)) === undefined) throw wrongPassword();
  await transaction(ctx, async (tx) => {
    await assertStillSignedIn(tx, actor);
    await requireOwner(tx, actor, vaultId);
    const blocks = await tx.db
      .selectFrom('passvault_attachments')
      .select(['block_id', 'size_bytes'])
      .where('vault_id', '=', vaultId)
      .execute();
    await record(tx, actor, vaultId, 'VAULT_DELETED');
    const deleted = await tx.db
      .deleteFrom('passvault_vaults')
      .where('id', '=', vaultId)
      .where('password_hash', '=', vault.password_hash)
      .executeTakeFirst();
    if (deleted.numDeletedRows === 0n) throw wrongPassword();
    await freeStorage(
      tx,
      actor.memberId,
      blocks.reduce((sum, row) => sum + row.size_bytes, 0),
    );
    await dropSecretOfAll(tx, openingOf(vaultId));
    await dropBlocks(
      tx,
      blocks.map((row) => row.block_id),
    );
  });
  return { deleted: true };
}
