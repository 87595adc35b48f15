import type { Context } from '../../context.ts';
import { peerIdOf } from '../../gossip/peer-id.ts';
import { fromHex } from '../../crypto/bytes.ts';
import { Problem } from '../../problem.ts';
import { wireOf, type SignedList } from './acl/chain.ts';
import type { SignedDenial } from './joining/denial.ts';
import type { SignedRequest } from './joining/join-request.ts';

/** Types of announcements. The first three belong to the interface. The last is for changes that admit nobody. */
export const announced = {
  request: 'pool_join_request',
  approved: 'pool_join_approved',
  denied: 'pool_join_denied',
  changed: 'pool_acl_updated',
} as const;

/** Protocols of requests. */
export const protocols = { join: 'pool-join', lists: 'pool-acl' } as const;

/** An announcement has at most 64 KiB. A longer access list is only named, and each receiver fetches it. */
const MAX_ANNOUNCED_LIST = 40_000;

export async function announceList(
  ctx: Context,
  type: typeof announced.approved | typeof announced.changed,
  list: SignedList,
  nodeId?: string,
): Promise<void> {
  const { poolId, version } = list.document;
  const small = Buffer.byteLength(JSON.stringify(wireOf(list))) <= MAX_ANNOUNCED_LIST;
  await ctx.gossip.announce(type, {
    poolId,
    version,
    hash: list.hash,
    ...(nodeId !== undefined && { nodeId }),
    ...(small && { list: wireOf(list) }),
  });
}

export async function announceDenial(ctx: Context, denial: SignedDenial): Promise<void> {
  await ctx.gossip.announce(announced.denied, denial);
}

export async function announceRequest(ctx: Context, { request, signature }: SignedRequest): Promise<void> {
  await ctx.gossip.announce(announced.request, { request, signature });
}

/** Asks a node to look for itself, because a node outside of the pool gets no announcements. Nobody waits for the answer. */
export function askToLook(
  ctx: Context,
  poolId: string,
  node: { readonly publicKey: string; readonly addresses: readonly string[]; readonly nodeId: string },
): void {
  void (async () => {
    const targets = [
      { nodeId: node.nodeId },
      ...node.addresses.map((address) => ({ address: addressOf(address, node.publicKey) })),
    ];
    for (const target of targets) {
      try {
        await ctx.gossip.request(target, protocols.join, { ask: 'look', poolId });
        return;
      } catch (error) {
        if (!(error instanceof Problem))
          ctx.log.error('a node was not told of a newer access list', { nodeId: node.nodeId, error });
      }
    }
  })();
}

/** An address that is valid for one node only. */
export function addressOf(address: string, publicKey: string): string {
  return `${address.replace(/\/p2p\/[^/]*$/, '')}/p2p/${peerIdOf(fromHex(publicKey))}`;
}
