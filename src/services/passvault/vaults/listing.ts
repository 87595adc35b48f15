import type { Actor } from '../../../actor.ts';
import { transaction, type Context } from '../../../context.ts';
import type { VaultSummary } from '../../../contract/passvault/entry.ts';
import type { Next, PageRequest } from '../../../store/page.ts';
import { requireOwner } from './access.ts';
import { record } from './audit.ts';
import { claimVaultName, nameTaken } from './names.ts';
import { nameSealer } from './sealing.ts';
import { summaries, summaryOf } from '../entries/summaries.ts';

export async function listVaults(
  ctx: Context,
  actor: Actor,
  { limit, cursor }: PageRequest,
): Promise<{ vaults: VaultSummary[] } & Next> {
  return await summaries(ctx, actor, { limit, cursor });
}

export async function renameVault(
  ctx: Context,
  actor: Actor,
  { vaultId, name }: { vaultId: string; name: string },
): Promise<{ vault: VaultSummary }> {
  return await transaction(ctx, async (tx) => {
    await requireOwner(tx, actor, vaultId);
    const name_key = await claimVaultName(tx, actor.memberId, vaultId, name);
    await tx.db
      .updateTable('passvault_vaults')
      .set({ name: nameSealer(tx).seal(vaultId, name), name_key, updated_at: tx.clock.now() })
      .where('id', '=', vaultId)
      .execute();
    await record(tx, actor, vaultId, 'VAULT_RENAMED');
    return { vault: await summaryOf(tx, actor, vaultId) };
  }).catch(nameTaken);
}
