import { readMany } from '../../../shared/members/read-many.ts';
import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { VaultMember } from '../../../contract/passvault/sharing.ts';
import { asc, readPage, type Next, type PageRequest } from '../../../platform/store/page.ts';
import { roleIn } from '../vaults/access.ts';

/**
 * The members who can read a vault, owner first. Every member of the vault may see this list, because their own content is in it.
 * @throws Problem missing VAULT_NOT_FOUND
 */
export async function listVaultMembers(
  ctx: Context,
  actor: Actor,
  { vaultId, ...request }: { vaultId: string } & PageRequest,
): Promise<{ members: VaultMember[] } & Next> {
  await roleIn(ctx, actor, vaultId);
  const { items, next } = await readMany(ctx, {
    viewer: actor.memberId,
    page: await pageOfIds(ctx, actor, vaultId, request),
    rows: async (ids) => await rowsOf(ctx, vaultId, ids),
    members: (row) => [row.member_id],
    // Blocked members stay visible, because they can still read the vault.
    hidden: 'nothing',
    item: ({ member_id: memberId, role, added_at: addedAt }, members) => ({
      memberId,
      username: members.get(memberId)?.username ?? '',
      role,
      since: new Date(addedAt).toISOString(),
    }),
  });
  return { members: items, ...next };
}

async function pageOfIds(ctx: Context, actor: Actor, vaultId: string, request: PageRequest) {
  const query = ctx.db
    .selectFrom('passvault_members as v')
    .innerJoin('members as m', 'm.id', 'v.member_id')
    .select(['v.member_id as id', 'v.role', 'm.username_key as name'])
    .where('v.vault_id', '=', vaultId);
  return await readPage(
    ctx,
    query,
    {
      list: 'passvault.list-vault-members',
      memberId: actor.memberId,
      filter: { vaultId },
      // `owner` comes before `recipient`.
      by: [asc('v.role', (row) => row.role), asc('m.username_key', (row) => row.name)],
    },
    request,
  );
}

async function rowsOf({ db }: Context, vaultId: string, ids: readonly { readonly id: string }[]) {
  const rows = await db
    .selectFrom('passvault_members')
    .select(['member_id', 'role', 'added_at'])
    .where('vault_id', '=', vaultId)
    .where('member_id', 'in', ['', ...ids.map(({ id }) => id)])
    .execute();
  const byId = new Map(rows.map((row) => [row.member_id, row]));
  return ids.flatMap(({ id }) => byId.get(id) ?? []);
}
