import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { QuorumAlias } from '../../../contract/quorum/aliases.ts';
import { asc, readPage, type Next, type PageRequest } from '../../../platform/store/page.ts';
import type { QuorumAliasRow } from '../../../platform/store/tables/quorum.ts';
import { requireInsider } from '../access.ts';

/** Names that people would take for the node or its operator (RFC 2142 has the mailboxes among them). */
const reserved: ReadonlySet<string> = new Set([
  'abuse',
  'admin',
  'administrator',
  'conclave',
  'hostmaster',
  'info',
  'noc',
  'node',
  'operator',
  'postmaster',
  'quorum',
  'root',
  'security',
  'support',
  'system',
  'webmaster',
]);

/** Any member of the node may ask; the answer names nobody. */
export async function checkAlias(
  ctx: Context,
  _actor: Actor,
  { name }: { name: string },
): Promise<{ alias: { aliasName: string; available: boolean } }> {
  return { alias: { aliasName: name, available: await isAvailable(ctx, name) } };
}

export async function isAvailable(ctx: Context, name: string): Promise<boolean> {
  return !reserved.has(name) && (await findAlias(ctx, name)) === undefined;
}

export async function findAlias(ctx: Context, name: string): Promise<QuorumAliasRow | undefined> {
  return await ctx.db.selectFrom('quorum_aliases').selectAll().where('name', '=', name).executeTakeFirst();
}

export async function listAliases(
  ctx: Context,
  actor: Actor,
  page: PageRequest,
): Promise<{ aliases: QuorumAlias[] } & Next> {
  await requireInsider(ctx, actor);
  const { rows, next } = await readPage(
    ctx,
    ctx.db.selectFrom('quorum_aliases').selectAll(),
    { list: 'quorum.list-aliases', memberId: actor.memberId, by: [asc('name', (row) => row.name)] },
    page,
  );
  const aliases = rows.map(({ name, document_id: documentId, proposal_id: proposalId, registered_at: at }) => ({
    aliasName: name,
    documentId,
    proposalId,
    registeredAt: new Date(at).toISOString(),
  }));
  return { aliases, ...next };
}
