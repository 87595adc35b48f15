import { sql } from 'kysely';
import { requireRole, type Actor } from '../../service/actor.ts';
import type { Context } from '../../service/context.ts';
import type { PoolNode } from '../../contract/pool/shapes.ts';
import { Problem } from '../../base/problem.ts';
import type { PoolRequestRow } from '../../platform/store/tables/pool.ts';
import { ensureList } from './acl/commit.ts';
import type { AclTombstone } from '../../crypto/formats/access-list/document.ts';
import { administrators } from './acl/signer.ts';
import type { SignedDenial } from './joining/denial.ts';
import { KEPT_MS } from './joining/queue.ts';
import { iso, nodesOf, pendingDto, refusalsOf } from './nodes.ts';
import { note } from './note.ts';

/** How many candidates the answer to an ambiguous prefix has at most. */
const MAX_CANDIDATES = 20;

/** One node by its id or by a prefix of it. */
export async function showNode(
  ctx: Context,
  actor: Actor,
  { nodeId }: { nodeId: string },
): Promise<{ node: PoolNode }> {
  requireRole(actor, administrators);
  const { document } = await ensureList(ctx);
  // In ASCII order, `g` comes after every hex digit.
  const named = sql<boolean>`pool_id = ${document.poolId} and node_id >= ${nodeId} and node_id < ${`${nodeId}g`}`;
  const writers = await ctx.db
    .selectFrom('pool_writers')
    .selectAll()
    .where(named)
    .orderBy('node_id')
    .limit(MAX_CANDIDATES)
    .execute();
  const requests = await ctx.db
    .selectFrom('pool_requests')
    .selectAll()
    .where(named)
    .orderBy('node_id')
    .limit(MAX_CANDIDATES)
    .execute();
  const found = new Map<string, PoolNode>();
  for (const node of await nodesOf(ctx, writers)) found.set(node.nodeId, node);
  for (const row of requests) {
    const known = found.get(row.node_id);
    if (known?.status !== 'admitted' && !isOver(ctx, row))
      found.set(row.node_id, { ...known, ...requestNode(ctx, row) });
  }
  for (const refusal of refusalsOf(document).values())
    if (refusal.nodeId.startsWith(nodeId)) found.set(refusal.nodeId, refusedNode(refusal, found.get(refusal.nodeId)));
  const [node, ...others] = [...found.values()];
  if (node === undefined)
    throw new Problem('missing', 'NODE_NOT_FOUND', `There is no node whose id begins with ${nodeId}.`);
  if (others.length > 0) throw ambiguous(nodeId, [node, ...others]);
  note(ctx, actor, 'pool.show-node', node.nodeId);
  return { node };
}

function ambiguous(prefix: string, nodes: readonly PoolNode[]): Problem {
  return new Problem('conflict', 'NODE_AMBIGUOUS', `${prefix} matches more than one node:`, {
    fields: nodes.map((node) => ({
      path: node.nodeId,
      message: [node.status, node.mailDomain, node.message]
        .filter((part) => part !== undefined && part !== '')
        .join(', '),
    })),
  });
}

/** Whether a request waited too long. It counts as deleted even before the purge removes it. */
function isOver({ clock }: Context, row: PoolRequestRow): boolean {
  return row.status === 'approved' || (row.status === 'pending' && row.received_at <= clock.now() - KEPT_MS);
}

function requestNode(ctx: Context, row: PoolRequestRow): PoolNode {
  const denial = row.denial === null ? undefined : (JSON.parse(row.denial) as SignedDenial).denial;
  const { source: _, requestedAt: __, ...details } = pendingDto(row);
  return {
    ...details,
    status: row.status === 'approved' ? 'admitted' : row.status,
    self: false,
    connected: ctx.gossip.peers().some((peer) => peer.nodeId === row.node_id),
    ...(row.decided_at !== null && { decidedAt: iso(row.decided_at) }),
    ...(denial !== undefined && denial.reason !== '' && { reason: denial.reason }),
  };
}

/** Often nothing else is known of the node. What waits for a decision goes on waiting, unless it is banned. */
function refusedNode(refusal: AclTombstone, known?: PoolNode): PoolNode {
  const { nodeId, kind } = refusal;
  if (known === undefined) return { nodeId, status: kind, self: false, connected: false, addresses: [], refusal };
  return { ...known, status: kind === 'banned' || known.status !== 'pending' ? kind : known.status, refusal };
}
