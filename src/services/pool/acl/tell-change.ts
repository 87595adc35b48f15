import type { Context } from '../../../service/context.ts';
import { announced, announceList, askToLook } from '../announcing.ts';
import { addressesOf } from '../joining/admission-policy.ts';
import { requestOf } from '../joining/queue.ts';
import type { SignedList } from '../../../crypto/formats/access-list/chain.ts';
import type { AclDocument, AclWriter } from '../../../crypto/formats/access-list/document.ts';

/** Tells the pool of a new list, and the nodes that it admits or removes, which no announcement reaches. */
export async function tellChange(ctx: Context, before: AclDocument, list: SignedList): Promise<void> {
  const { poolId, writers } = list.document;
  const admitted = without(writers, before.writers);
  const removed = without(before.writers, writers);
  await announceList(ctx, announced.changed, list);
  for (const { nodeId } of admitted) await announceList(ctx, announced.approved, list, nodeId);
  for (const { nodeId, publicKey } of [...admitted, ...removed]) {
    if (nodeId === ctx.keys.nodeId) continue;
    const asked = JSON.parse((await requestOf(ctx, nodeId))?.addresses ?? '[]') as string[];
    askToLook(ctx, poolId, { nodeId, publicKey, addresses: [...(await addressesOf(ctx, nodeId)), ...asked] });
  }
}

function without(writers: readonly AclWriter[], others: readonly AclWriter[]): AclWriter[] {
  const known = new Set(others.map(({ nodeId }) => nodeId));
  return writers.filter(({ nodeId }) => !known.has(nodeId));
}
