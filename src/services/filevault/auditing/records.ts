import { sql, type SelectQueryBuilder } from 'kysely';
import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { AuditEntry } from '../../../contract/filevault/audit.ts';
import { placesOf } from '../../../platform/ledger/places.ts';
import { addressHint, membersNamed } from '../../../shared/members/named.ts';
import { memberSummaries } from '../../../shared/members/summaries.ts';
import { Problem } from '../../../base/problem.ts';
import type { FileAuditRow } from '../../../platform/store/tables/filevault.ts';
import type { Tables } from '../../../platform/store/tables/tables.ts';
import { administeredBy, isAdministered, isOfOwn } from '../access/administered.ts';
import { placeOf } from '../access/places.ts';
import { containerNotFound } from '../problems.ts';

export interface AuditFilter {
  readonly vaultContainerId?: string | undefined;
  readonly fileId?: string | undefined;
  readonly member?: string | undefined;
  readonly action?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export type AuditQuery = SelectQueryBuilder<Tables, 'file_audit', FileAuditRow>;

/**
 * The records that the actor may see, in no order. This is the check of everything that reads them.
 * @throws Problem missing MEMBER_NOT_FOUND, CONTAINER_NOT_FOUND
 */
export async function visibleRecords(ctx: Context, actor: Actor, filter: AuditFilter): Promise<AuditQuery> {
  const { memberId } = actor;
  let query: AuditQuery = ctx.db.selectFrom('file_audit').selectAll();
  const { vaultContainerId: containerId, fileId, member, action, from, to } = filter;
  // The whole of an own container comes by its index alone.
  if (containerId === undefined || !(await ownsContainer(ctx, actor, containerId))) {
    const scope = await administeredBy(ctx, actor);
    query = query.where((e) =>
      e.or([e('member_id', '=', memberId), isOfOwn('container_id', memberId), isAdministered('node_id', scope)]),
    );
  }
  if (containerId !== undefined) query = query.where('container_id', '=', containerId);
  if (fileId !== undefined) query = query.where('node_id', '=', fileId);
  if (member !== undefined) query = query.where('member_id', '=', await memberNamed(ctx, member));
  if (action !== undefined) query = query.where('action', '=', action);
  if (from !== undefined) query = query.where('created_at', '>=', Date.parse(from));
  if (to !== undefined) query = query.where('created_at', '<', Date.parse(to));
  return query;
}

/** Somebody else's container, and one that is not there, are the same to whoever has nothing to do with it. */
async function ownsContainer(ctx: Context, { memberId }: Actor, id: string): Promise<boolean> {
  const row = await ctx.db.selectFrom('file_containers').select('owner_id').where('id', '=', id).executeTakeFirst();
  if (row?.owner_id === memberId) return true;
  const concerned = await ctx.db
    .selectFrom('file_acl_entries')
    .select('node_id')
    .where('container_id', '=', id)
    .where('principal_id', '=', memberId)
    .limit(1)
    .executeTakeFirst();
  const acted = await ctx.db
    .selectFrom('file_audit')
    .select('id')
    .where('member_id', '=', memberId)
    .where('container_id', '=', id)
    .limit(1)
    .executeTakeFirst();
  if (concerned === undefined && acted === undefined) throw containerNotFound();
  return false;
}

async function memberNamed(ctx: Context, name: string): Promise<string> {
  const [found] = await membersNamed(ctx, [name]);
  if (found !== undefined) return found.id;
  throw new Problem('missing', 'MEMBER_NOT_FOUND', `There is no such member${addressHint(name)}.`);
}

/** Records as they are shown. Not for use in a transaction, because entries of the ledger may wait for their places. */
export async function shownRecords(
  ctx: Context,
  actor: Actor,
  rows: readonly FileAuditRow[],
  known: NameCache = new Map(),
): Promise<AuditEntry[]> {
  const places = await placesOf(
    ctx,
    rows.map(({ ledger_entry }) => ledger_entry),
  );
  const members = await memberSummaries(
    ctx,
    rows.flatMap(({ member_id }) => member_id ?? []),
  );
  await readNames(ctx, actor, rows, known);
  return rows.map((row) => ({
    id: row.id,
    timestamp: new Date(row.created_at).toISOString(),
    action: row.action,
    memberId: row.member_id,
    username: members.get(row.member_id ?? '')?.username ?? null,
    address: row.address,
    vaultContainerId: row.container_id === '' ? null : row.container_id,
    fileId: row.node_id,
    name: known.get(row.node_id ?? '') ?? null,
    details: row.metadata === null ? null : (JSON.parse(row.metadata) as NonNullable<AuditEntry['details']>),
    ledgerEntryId: row.ledger_entry,
    // The entry is missing where somebody took it out of the store; `ledger verify` finds that.
    ledgerIndex: places.get(row.ledger_entry)?.index ?? -1,
  }));
}

/** What the reader may know files and folders to be called: null for nothing. */
export type NameCache = Map<string, string | null>;

async function readNames(ctx: Context, actor: Actor, rows: readonly FileAuditRow[], known: NameCache): Promise<void> {
  const ids = [...new Set(rows.flatMap(({ node_id: id }) => (id === null || known.has(id) ? [] : [id])))];
  if (ids.length === 0) return;
  for (const id of ids) known.set(id, null);
  const nodes = await ctx.db
    .selectFrom('file_nodes as n')
    .innerJoin('file_containers as c', 'c.id', 'n.container_id')
    .select(['n.id', 'n.name', 'n.parent_id', 'c.name as container', 'c.owner_id'])
    .where('n.id', 'in', ids)
    .where(sql<boolean>`c.state <> 'destroyed'`)
    .execute();
  for (const { id, name, parent_id: parent, container, owner_id: owner } of nodes) {
    const mayRead = owner === actor.memberId || (await placeOf(ctx, actor, id))?.rights.flags.has('read') === true;
    if (mayRead) known.set(id, parent === null ? container : name);
  }
}
