import type { Actor } from '../../../actor.ts';
import type { Context } from '../../../context.ts';
import type { Trusteeship } from '../../../contract/passvault/sharing.ts';

/** Vaults whose present configuration names the actor, the oldest first. Not their names: those come with the share, which is on record. */
export async function listTrusteeships(ctx: Context, actor: Actor): Promise<{ trusteeships: Trusteeship[] }> {
  const trusteeships = await ctx.db
    .selectFrom('passvault_trustees as t')
    .innerJoin('passvault_emergency as e', 'e.vault_id', 't.vault_id')
    .innerJoin('passvault_vaults as v', 'v.id', 't.vault_id')
    .innerJoin('members as m', 'm.id', 'v.owner_id')
    .select(['v.id as vaultId', 'v.owner_id as ownerId', 'm.username as ownerUsername', 'e.epoch', 'e.threshold'])
    .where('t.trustee_id', '=', actor.memberId)
    .orderBy('t.vault_id')
    .execute();
  return { trusteeships };
}
