import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { VaultMetadata, VaultSummary } from '../../../contract/passvault/entry.ts';
import { asc, readPage, type Next, type PageRequest } from '../../../platform/store/page.ts';
import { openingIn, openingOf } from '../vaults/access.ts';
import { headerBlockId } from '../vaults/header.ts';
import { memberSummaries } from '../../../shared/members/summaries.ts';
import { noticesOf } from '../sharing/notices.ts';
import { vaultNotFound } from '../problems.ts';
import { nameSealer } from '../vaults/sealing.ts';

/** Vaults that the actor owns or that are shared with them, oldest first; or a single one. No entry is opened. */
export async function summaries(
  ctx: Context,
  actor: Actor,
  { vaultId, ...page }: { vaultId?: string } & PageRequest = {},
): Promise<{ vaults: VaultSummary[] } & Next> {
  let mine = ctx.db
    .selectFrom('passvault_members as m')
    .innerJoin('passvault_vaults as v', 'v.id', 'm.vault_id')
    .select(['m.vault_id as id', 'v.name', 'v.created_at', 'v.updated_at', 'v.entry_count'])
    // The result is null if the actor is the owner. So the actor's own id isn't read again for each of maybe a thousand vaults.
    .select((column) => column.fn<string | null>('nullif', ['v.owner_id', 'm.member_id']).as('other_owner'))
    .where('m.member_id', '=', actor.memberId);
  let others = ctx.db
    .selectFrom('passvault_members as m')
    .innerJoin('passvault_members as r', 'r.vault_id', 'm.vault_id')
    .select(['r.vault_id', 'r.member_id'])
    .where('m.member_id', '=', actor.memberId)
    .where('r.role', '=', 'recipient')
    .orderBy('r.member_id');
  if (vaultId !== undefined) {
    mine = mine.where('m.vault_id', '=', vaultId);
    others = others.where('m.vault_id', '=', vaultId);
  }
  const { rows, next } = await readPage(
    ctx,
    mine,
    {
      list: 'passvault.list-vaults',
      memberId: actor.memberId,
      // This is the order of the index, so the database needn't sort.
      by: [asc('m.vault_id', (row) => row.id)],
    },
    page,
  );
  const ids = rows.map((row) => row.id);
  // SQL doesn't allow an empty list, hence the empty id.
  if (next.hasMore || page.cursor !== undefined) others = others.where('m.vault_id', 'in', ['', ...ids]);
  const sharedWith = new Map<string, string[]>(rows.map((row) => [row.id, []]));
  for (const other of await others.execute()) sharedWith.get(other.vault_id)?.push(other.member_id);
  const open = await openVaults(ctx, actor);
  const notices = await noticesOf(ctx, actor.memberId);
  const owners = await memberSummaries(
    ctx,
    rows.flatMap((row) => row.other_owner ?? []),
  );
  const names = nameSealer(ctx);
  const found = rows.map((row): VaultSummary => ({
    id: row.id,
    name: names.open(row.id, row.name),
    ownerId: row.other_owner ?? actor.memberId,
    ownerUsername: row.other_owner === null ? actor.username : (owners.get(row.other_owner)?.username ?? ''),
    createdAt: new Date(row.created_at).toISOString(),
    modifiedAt: new Date(row.updated_at).toISOString(),
    entryCount: row.entry_count,
    sharedWith: sharedWith.get(row.id) ?? [],
    role: row.other_owner === null ? 'owner' : 'recipient',
    open: open.has(openingOf(row.id)),
  }));
  for (const summary of found) {
    const told = notices.get(summary.id);
    if (told !== undefined) summary.notices = told;
  }
  return { vaults: found, ...next };
}

/** @throws Problem missing VAULT_NOT_FOUND */
export async function summaryOf(ctx: Context, actor: Actor, vaultId: string): Promise<VaultSummary> {
  const {
    vaults: [summary],
  } = await summaries(ctx, actor, { vaultId });
  if (summary === undefined) throw vaultNotFound();
  return summary;
}

/** @throws Problem missing VAULT_NOT_FOUND */
export async function metadataOf(ctx: Context, actor: Actor, vaultId: string): Promise<VaultMetadata> {
  const { modifiedAt, open: _, notices: __, ownerUsername: ___, ...summary } = await summaryOf(ctx, actor, vaultId);
  const { header } = await ctx.db
    .selectFrom('passvault_vaults')
    .select('header')
    .where('id', '=', vaultId)
    .executeTakeFirstOrThrow();
  return { ...summary, updatedAt: modifiedAt, vcblBlockId: headerBlockId(header) };
}

async function openVaults(ctx: Context, actor: Actor): Promise<Set<string>> {
  const rows = await ctx.db
    .selectFrom('session_secrets')
    .select(['name', 'sealed'])
    .where('session_id', '=', actor.sessionId)
    .where('jti_hash', '=', actor.jtiHash)
    .where('name', 'like', openingOf('%'))
    .where('used_at', '>', ctx.clock.now() - ctx.config.vaults.idleMs)
    .execute();
  return new Set(
    rows.filter(({ name, sealed }) => openingIn(actor, name, sealed) !== undefined).map(({ name }) => name),
  );
}
