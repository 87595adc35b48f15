import type { Actor } from '../../../actor.ts';
import type { Context } from '../../../context.ts';
import type { VaultMember } from '../../../contract/passvault/sharing.ts';
import { roleIn } from '../vaults/access.ts';

/**
 * Who can read a vault, the owner first: whoever keeps something in it may know that.
 * @throws Problem missing VAULT_NOT_FOUND
 */
export async function listVaultMembers(
  ctx: Context,
  actor: Actor,
  { vaultId }: { vaultId: string },
): Promise<{ members: VaultMember[] }> {
  await roleIn(ctx, actor, vaultId);
  const rows = await ctx.db
    .selectFrom('passvault_members as v')
    .innerJoin('members as m', 'm.id', 'v.member_id')
    .select(['m.id', 'm.username', 'v.role', 'v.added_at'])
    .where('v.vault_id', '=', vaultId)
    .orderBy('m.username_key')
    .execute();
  const members = rows.map(({ id, username, role, added_at: addedAt }) => ({
    memberId: id,
    username,
    role,
    since: new Date(addedAt).toISOString(),
  }));
  return { members: members.toSorted((one, other) => Number(other.role === 'owner') - Number(one.role === 'owner')) };
}
