import { requireRole, type Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import { Problem } from '../../../base/problem.ts';
import { afterwards, announced, announceList, askToLook } from '../announcing.ts';
import { addressesOf } from '../joining/admission-policy.ts';
import type { Changed } from '../joining/decisions.ts';
import { note } from '../note.ts';
import { changeList } from './commit.ts';
import type { AclTombstone } from '../../../crypto/formats/access-list/document.ts';
import { administrators } from './signer.ts';
import { logDropped, tombstoneOf, withoutTombstone, withTombstone } from './tombstones.ts';

export interface Removal {
  readonly nodeId: string;
  /** whether it may not even ask again */
  readonly ban?: boolean | undefined;
}

/**
 * Removes a node from the access list, which remembers that. A node that has the new list refuses the removed node at once. A node that
 * was removed or denied earlier can still be banned.
 */
export async function removeNode(ctx: Context, actor: Actor, { nodeId, ban = false }: Removal): Promise<Changed> {
  requireRole(actor, administrators);
  if (nodeId === ctx.keys.nodeId)
    throw new Problem('conflict', 'POOL_SELF_REMOVAL', 'A node cannot remove itself. Leave the pool instead.');
  let publicKey: string | undefined;
  let dropped: readonly AclTombstone[] = [];
  const list = await changeList(ctx, actor, {
    change(current, { memberId }) {
      publicKey = current.writers.find((writer) => writer.nodeId === nodeId)?.publicKey;
      const before = tombstoneOf(current, nodeId);
      if (publicKey === undefined && before?.kind === 'banned')
        throw new Problem('missing', 'NODE_NOT_FOUND', `Node ${nodeId} is banned already.`);
      if (publicKey === undefined && (!ban || before === undefined)) throw notFound(nodeId);
      const kind = ban ? 'banned' : 'removed';
      const at = new Date(ctx.clock.now()).toISOString();
      const next = withTombstone(current, { nodeId, kind, at, by: memberId });
      ({ dropped } = next);
      return { writers: current.writers.filter((writer) => writer.nodeId !== nodeId), tombstones: next.tombstones };
    },
    async also(tx, { document }) {
      note(tx, actor, ban ? 'pool.ban-node' : 'pool.remove-node', nodeId, document.version);
      tx.afterCommit(() => logDropped(tx, dropped));
    },
  });
  await afterwards(ctx, async () => await announceList(ctx, announced.changed, list));
  if (publicKey !== undefined)
    askToLook(ctx, list.document.poolId, { nodeId, publicKey, addresses: await addressesOf(ctx, nodeId) });
  return { nodeId, aclVersion: list.document.version };
}

/** Lifts a ban. Nothing of the node is remembered then: it may ask again as any other. */
export async function unbanNode(ctx: Context, actor: Actor, { nodeId }: { nodeId: string }): Promise<Changed> {
  requireRole(actor, administrators);
  const list = await changeList(ctx, actor, {
    change(current) {
      if (tombstoneOf(current, nodeId)?.kind !== 'banned')
        throw new Problem('missing', 'NODE_NOT_BANNED', `Node ${nodeId} is not banned.`);
      return { tombstones: withoutTombstone(current, nodeId) };
    },
    also: async (tx, { document }) => note(tx, actor, 'pool.unban-node', nodeId, document.version),
  });
  await afterwards(ctx, async () => await announceList(ctx, announced.changed, list));
  return { nodeId, aclVersion: list.document.version };
}

function notFound(nodeId: string): Problem {
  return new Problem('missing', 'NODE_NOT_FOUND', `The access list has no node ${nodeId}.`);
}
