import { memberSummaries } from '../../../members/summaries.ts';
import type { Actor } from '../../../actor.ts';
import type { Context } from '../../../context.ts';
import type { Trusteeship } from '../../../contract/passvault/sharing.ts';
import { asc, readPage, type Next, type PageRequest } from '../../../store/page.ts';

/** Vaults whose present configuration names the actor, the oldest first. Not their names: those come with the share, which is on record. */
export async function listTrusteeships(
  ctx: Context,
  actor: Actor,
  page: PageRequest,
): Promise<{ trusteeships: Trusteeship[] } & Next> {
  const query = ctx.db
    .selectFrom('passvault_trustees as t')
    .innerJoin('passvault_emergency as e', 'e.vault_id', 't.vault_id')
    .innerJoin('passvault_vaults as v', 'v.id', 't.vault_id')
    .select(['t.vault_id as vaultId', 'v.owner_id as ownerId', 'e.epoch', 'e.threshold'])
    .where('t.trustee_id', '=', actor.memberId);
  const { rows, next } = await readPage(
    ctx,
    query,
    {
      list: 'passvault.list-trusteeships',
      memberId: actor.memberId,
      by: [asc('t.vault_id', (row) => row.vaultId)],
    },
    page,
  );
  const owners = await memberSummaries(
    ctx,
    rows.map((row) => row.ownerId),
  );
  const trusteeships = rows.map((row) =>
    Object.assign(row, { ownerUsername: owners.get(row.ownerId)?.username ?? '' }),
  );
  return { trusteeships, ...next };
}
