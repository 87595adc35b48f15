import { transaction, type Context } from '../../../context.ts';
import { assertSigning, stopsOf } from '../../../ledger/witness/stop.ts';
import { afterwards, announced, announceList, announceProposal, askToLook } from '../announcing.ts';
import { addressesOf } from '../joining/admission-policy.ts';
import { signList, type SignedList } from './chain.ts';
import { adopt } from './adopt.ts';
import { reconsiderIfForked } from './branches.ts';
import { enforce } from './enforce.ts';
import { openDecisions, rulesInForce } from './open-decisions.ts';
import { keepProposal, signaturesOf } from './proposal-rows.ts';
import { nodeAsAdmin } from './signer.ts';
import { currentList, poolHead } from './store.ts';
import { takingOver } from './taking-over.ts';

/**
 * Makes the version that takes over what branches decided that don't count, if this node's own key may sign it. Every node that may does
 * so, and all of the same decisions make the same document. If no node may, the decisions stay open: the nodes act on them, say so, and
 * the next administrator who signs takes them over.
 *
 * Where several administrators have to sign, the version is a proposal, which each node whose key is one signs on its own.
 */
export async function takeOver(ctx: Context): Promise<void> {
  const self = nodeAsAdmin(ctx).memberId;
  for (;;) {
    const current = await currentList(ctx.db);
    if (current === undefined) return;
    const { poolId, threshold } = current.document;
    const decisions = await openDecisions(ctx.db, poolId);
    const next = decisions.length === 0 ? undefined : takingOver(current, decisions);
    if (next === undefined) return;
    const [stop] = await stopsOf(ctx);
    const inForce = await rulesInForce(ctx.db, current.document);
    if (stop !== undefined || !inForce.admins.some(({ memberId }) => memberId === self)) {
      sayUnsigned(ctx, current, decisions.length, stop === undefined ? 'an administrator' : 'another node');
      return;
    }
    const list = signList(next, self, ctx.keys.identity.privateKey);
    if (threshold > 1) {
      const left = await coSign(ctx, current, list);
      if (left > 0) sayUnsigned(ctx, current, decisions.length, `${left} more`);
      return;
    }
    const done = await transaction(ctx, async (tx) => {
      await assertSigning(tx);
      const from = { poolId, hash: current.hash };
      const adopted = await adopt(tx, { from, lists: [list], source: ctx.keys.nodeId });
      if (adopted) await reconsiderIfForked(tx, current, [list]);
      return adopted;
    });
    if (done) return await tell(ctx, current, list);
  }
}

/** Adds the signature of this node to those that are known. @returns how many are missing */
async function coSign(ctx: Context, current: SignedList, list: SignedList): Promise<number> {
  const { poolId, threshold } = current.document;
  const done = await transaction(ctx, async (tx) => {
    await assertSigning(tx);
    const head = await poolHead(tx.db);
    if (head?.pool_id !== poolId || head.hash !== current.hash) return undefined;
    // The decisions may be old, but the proposal is not.
    const { row, fresh } = await keepProposal(tx, list, tx.keys.nodeId, tx.clock.now());
    const signed = await enforce(tx, current, { ...list, signatures: signaturesOf(row) }, tx.keys.nodeId);
    return { signed, fresh };
  });
  if (done === undefined) return 0;
  const { signed, fresh } = done;
  const missing = Math.max(threshold - signed.signatures.length, 0);
  if (missing === 0) await tell(ctx, current, signed);
  else if (fresh) await afterwards(ctx, async () => await announceProposal(ctx, signed));
  return missing;
}

/** What the log of each process said last: it isn't said again in every round, nor for each list that arrives at the same time. */
const said = new WeakMap<Context['ledger'], string>();

function sayUnsigned(ctx: Context, { document, hash }: SignedList, decisions: number, who: string): void {
  const now = `${hash} ${decisions} ${who}`;
  if (said.get(ctx.ledger) === now) return;
  said.set(ctx.ledger, now);
  ctx.log.warn(`this node acts on decisions that the access list has not taken over: ${who} has to sign`, {
    poolId: document.poolId,
    decisions,
  });
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
