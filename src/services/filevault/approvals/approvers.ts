import type { Context } from '../../../service/context.ts';
import type { FileApprovalRow } from '../../../platform/store/tables/file-workflow.ts';
import { placeOf } from '../access/places.ts';
import { grantsBy, possibleFlags, type EntryRow } from '../access/rights.ts';
import { possiblyAdministering } from '../access/shares.ts';

/** Members who may approve, whatever their address and the time: those are checked when they do. */
export async function approversOf(
  ctx: Context,
  { node_id: nodeId, requester_id: requester }: Pick<FileApprovalRow, 'node_id' | 'requester_id'>,
): Promise<string[]> {
  const place = await placeOf(ctx, { memberId: requester, address: '' }, nodeId);
  if (place === undefined) return [];
  const chain = place.chain.map(({ id }) => id);
  const rows = await ctx.db
    .selectFrom('file_acl_entries as e')
    .leftJoin('file_permission_sets as s', 's.id', 'e.set_id')
    .select(['e.node_id', 'e.principal_id', 'e.level', 'e.flags', 'e.conditions', 's.flags as set_flags'])
    .where('e.node_id', 'in', chain)
    .execute();
  const entries = new Map<string, EntryRow[]>();
  for (const { principal_id: member, ...entry } of rows) entries.set(member, [...(entries.get(member) ?? []), entry]);
  const holders = [...entries].filter(([, own]) => possibleFlags(chain, grantsBy(own)).has('admin'));
  const byShare = place.node.kind === 1 ? await possiblyAdministering(ctx, nodeId) : [];
  const all = new Set([place.container.owner_id, ...holders.map(([member]) => member), ...byShare]);
  all.delete(requester);
  return [...all].toSorted();
}
