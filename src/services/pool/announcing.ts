import type { Context } from '../../service/context.ts';
import { peerIdOf } from '../../crypto/peer-id.ts';
import { fromHex } from '../../crypto/bytes.ts';
import { Problem } from '../../base/problem.ts';
import { wireOf, type SignedList } from '../../crypto/formats/access-list/chain.ts';
import type { SignedDenial } from './joining/denial.ts';
import type { SignedRequest } from './joining/join-request.ts';

/** Types of announcements. The first three belong to the interface. The others are for changes that admit nobody, and for changes that still need signatures. */
export const announced = {
  request: 'pool_join_request',
  approved: 'pool_join_approved',
  denied: 'pool_join_denied',
  changed: 'pool_acl_updated',
  proposed: 'pool_acl_proposed',
} as const;

/** Protocols of requests. */
export const protocols = {
  join: 'pool-join',
  lists: 'pool-acl',
  proposals: 'pool-proposal',
  signers: 'pool-signers',
} as const;

/** An announcement has at most 64 KiB. A longer access list is only named, and each receiver fetches it. */
const MAX_ANNOUNCED_LIST = 40_000;

export async function announceList(
  ctx: Context,
  type: typeof announced.approved | typeof announced.changed,
  list: SignedList,
  nodeId?: string,
): Promise<void> {
  const { poolId, version } = list.document;
  await ctx.gossip.announce(type, {
    poolId,
    version,
    hash: list.hash,
    ...(nodeId !== undefined && { nodeId }),
    ...(isSmall(list) && { list: wireOf(list) }),
  });
}

export async function announceProposal(ctx: Context, list: SignedList): Promise<void> {
  const { poolId } = list.document;
  await ctx.gossip.announce(announced.proposed, {
    poolId,
    hash: list.hash,
    ...(isSmall(list) && { list: wireOf(list) }),
  });
}

function isSmall(list: SignedList): boolean {
  return Buffer.byteLength(JSON.stringify(wireOf(list))) <= MAX_ANNOUNCED_LIST;
}

export async function announceDenial(ctx: Context, denial: SignedDenial): Promise<void> {
  await ctx.gossip.announce(announced.denied, denial);
}

export async function announceRequest(ctx: Context, { request, signature }: SignedRequest): Promise<void> {
  await ctx.gossip.announce(announced.request, { request, signature });
}

/** Telling other nodes is best effort: the decision is already made, so a network failure must not look like a failed decision. */
export async function afterwards(ctx: Context, tell: () => Promise<void>): Promise<void> {
  try {
    await tell();
  } catch (error) {
    ctx.log.error('announcing a decision failed; nodes get it when they connect', { error });
  }
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
