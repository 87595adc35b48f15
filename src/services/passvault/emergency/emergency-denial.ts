import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { EmergencyChange } from '../../../contract/passvault/emergency.ts';
import { Problem } from '../../../base/problem.ts';
import { assertSameKey, openVault, requireOwner, type OpenVault } from '../vaults/access.ts';
import { record } from '../vaults/audit.ts';
import { holdEpoch, prepareRenewal, renew } from './emergency-epoch.ts';
import { overloaded } from '../problems.ts';

/** How often the denial starts over because emergency access changed meanwhile. */
const ATTEMPTS = 4;

/**
 * Ends the requests to recover a vault. If the vault is open, shares that were already handed over become useless too, because a new epoch
 * begins. A new epoch needs the key of the vault.
 */
export async function denyEmergencyRecovery(
  ctx: Context,
  actor: Actor,
  { vaultId }: { vaultId: string },
): Promise<{ denied: string[]; emergencyAccess?: EmergencyChange }> {
  await requireOwner(ctx, actor, vaultId);
  for (let left = ATTEMPTS; left > 0; left -= 1) {
    const vault = await openIfOpen(ctx, actor, vaultId);
    const done = await deny(ctx, actor, vaultId, vault);
    if (done !== undefined) return done;
  }
  throw overloaded();
}

async function deny(ctx: Context, actor: Actor, vaultId: string, vault: OpenVault | undefined) {
  const next = vault === undefined ? undefined : await prepareRenewal(ctx, vault);
  return await transaction(ctx, async (tx) => {
    await requireOwner(tx, actor, vaultId);
    await holdEpoch(tx, vaultId);
    const requests = await tx.db
      .deleteFrom('passvault_notices')
      .where('vault_id', '=', vaultId)
      .where('kind', '=', 'RECOVERY_REQUESTED')
      .returning('member_id')
      .execute();
    if (requests.length === 0)
      throw new Problem('missing', 'RECOVERY_NOT_FOUND', 'This vault has no recovery request.');
    const denied = requests.map((row) => row.member_id).toSorted();
    for (const memberId of denied) await record(tx, actor, vaultId, 'EMERGENCY_DENIED', { recipientId: memberId });
    if (vault === undefined || next === undefined) return { denied };
    await assertSameKey(tx, actor, vault);
    const change = await renew(tx, actor, vaultId, next);
    if (change === undefined) throw new StartOver();
    return { denied, ...(change !== 'none' && { emergencyAccess: change }) };
  }).catch((error: unknown) => {
    if (error instanceof StartOver) return undefined;
    throw error;
  });
}

/** Rolls back the transaction. */
class StartOver extends Error {}

async function openIfOpen(ctx: Context, actor: Actor, vaultId: string): Promise<OpenVault | undefined> {
  try {
    return await openVault(ctx, actor, vaultId);
  } catch (error) {
    if (error instanceof Problem && error.code === 'VAULT_LOCKED') return undefined;
    throw error;
  }
}
