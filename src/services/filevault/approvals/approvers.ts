import type { Context } from '../../../service/context.ts';
import type { FileApprovalRow } from '../../../platform/store/tables/file-workflow.ts';
import { placeOf } from '../access/places.ts';
import { grantsOn } from '../access/grants.ts';
import { possibleFlags } from '../access/rights.ts';
import { possiblyAdministering } from '../access/shares.ts';

/** Members who may approve, whatever their address and the time: those are checked when they do. */
export async function approversOf(
  ctx: Context,
  { node_id: nodeId, requester_id: requester }: Pick<FileApprovalRow, 'node_id' | 'requester_id'>,
): Promise<string[]> {
  const place = await placeOf(ctx, { memberId: requester, address: '' }, nodeId);
  if (place === undefined) return [];
  const chain = place.chain.map(({ id }) => id);
  const grants = await grantsOn(ctx, chain);
  const holders = [...grants].filter(([, own]) => possibleFlags(chain, own).has('admin'));
  const byShare = place.node.kind === 1 ? await possiblyAdministering(ctx, nodeId, requester) : [];
  const all = new Set([place.container.owner_id, ...holders.map(([member]) => member), ...byShare]);
  all.delete(requester);
  return [...all].toSorted();
}
