import { transaction, type Context } from '../../../context.ts';
import { afterwards, announced, announceList, askToLook } from '../announcing.ts';
import { addressesOf } from '../joining/admission-policy.ts';
import { assertSigning, stopsOf } from '../../../ledger/witness/stop.ts';
import { signList, type SignedList } from './chain.ts';
import { adopt } from './commit.ts';
import { openDecisions } from './open-decisions.ts';
import { nodeAsAdmin } from './signer.ts';
import { currentList } from './store.ts';
import { takingOver } from './taking-over.ts';

/**
 * Makes the version that takes over what branches decided that don't count, if this node's own key may sign it. Every node that may does
 * so, and all of the same decisions make the same document. If no node may, the decisions stay open: the nodes act on them, say so, and
 * the next administrator who signs takes them over. A node that signs nothing does this in the first round after its recovery.
 */
export async function takeOver(ctx: Context): Promise<void> {
  const self = nodeAsAdmin(ctx).memberId;
  for (;;) {
    const current = await currentList(ctx.db);
    if (current === undefined) return;
    const { poolId, admins, threshold } = current.document;
    const decisions = await openDecisions(ctx.db, poolId);
    const next = decisions.length === 0 ? undefined : takingOver(current, decisions);
    if (next === undefined) return;
    if ((await stopsOf(ctx)).length > 0) return;
    if (threshold > 1 || !admins.some(({ memberId }) => memberId === self)) {
      ctx.log.warn(
        'this node acts on decisions that the access list has not taken over: an administrator has to sign',
        {
          poolId,
          decisions: decisions.length,
        },
      );
      return;
    }
    const list = signList(next, self, ctx.keys.identity.privateKey);
    const done = await transaction(ctx, async (tx) => {
      await assertSigning(tx);
      const from = { poolId, hash: current.hash };
      return await adopt(tx, { from, lists: [list], source: ctx.keys.nodeId });
    });
    if (done) return await tell(ctx, current, list);
  }
}

/** Nodes that the version removes get no announcements; and if it removes this node, nobody else does. */
async function tell(ctx: Context, before: SignedList, list: SignedList): Promise<void> {
  const { poolId, writers } = list.document;
  ctx.log.info('decisions of another branch of the access list were taken over', {
    poolId,
    version: list.document.version,
    hash: list.hash,
  });
  await afterwards(ctx, async () => await announceList(ctx, announced.changed, list));
  const left = new Set(writers.map(({ nodeId }) => nodeId));
  const self = ctx.keys.nodeId;
  for (const { nodeId, publicKey } of before.document.writers) {
    if (nodeId !== self && (!left.has(nodeId) || !left.has(self)))
      askToLook(ctx, poolId, { nodeId, publicKey, addresses: await addressesOf(ctx, nodeId) });
  }
}
