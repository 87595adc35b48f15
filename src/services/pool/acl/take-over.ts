import { transaction, type Context } from '../../../service/context.ts';
import { assertSigning, stopsOf } from '../../../platform/ledger/witness/stop.ts';
import { Problem } from '../../../base/problem.ts';
import { afterwards, announced, announceList, announceProposal, askToLook } from '../announcing.ts';
import { addressesOf } from '../joining/admission-policy.ts';
import {
  readList,
  signList,
  verifySuccessor,
  wireOf,
  type SignedList,
} from '../../../crypto/formats/access-list/chain.ts';
import { adopt } from './adopt.ts';
import { reconsiderIfForked } from './branches.ts';
import { refusedList } from '../../../crypto/formats/access-list/document.ts';
import { enforce } from './enforce.ts';
import { countingPath } from './fork.ts';
import { knownLists } from './known-lists.ts';
import { passedOver, passedOverWords } from './list-mark.ts';
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
 * Where several administrators have to sign, the version is a proposal, which each node whose key is one signs on its own. A version that
 * other nodes would refuse, or that would not count, leaves nothing behind.
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
    // A version after a list that was passed over is a fork. Whatever is active when it is stored is what was compared here.
    const mark = await passedOver(ctx);
    if (mark !== undefined) {
      sayNotMade(ctx, current, passedOverWords(mark));
      return;
    }
    const list = signList(next, self, ctx.keys.identity.privateKey);
    try {
      if (threshold > 1) {
        const left = await coSign(ctx, current, asReceived(list));
        if (left > 0) sayUnsigned(ctx, current, decisions.length, `${left} more`);
        return;
      }
      if (await enact(ctx, current, verifySuccessor(current, asReceived(list)))) return await tell(ctx, current, list);
    } catch (error) {
      if (!(error instanceof Problem && error.code === 'ACCESS_LIST_REFUSED')) throw error;
      sayNotMade(ctx, current, error.message);
      return;
    }
  }
}

/** The list as another node reads it. @throws Problem invalid ACCESS_LIST_REFUSED */
function asReceived(list: SignedList): SignedList {
  return readList(wireOf(list));
}

/** @returns false if another list is active by now */
async function enact(ctx: Context, current: SignedList, list: SignedList): Promise<boolean> {
  return await transaction(ctx, async (tx) => {
    await assertSigning(tx);
    const from = { poolId: current.document.poolId, hash: current.hash };
    if (!(await adopt(tx, { from, lists: [list], source: tx.keys.nodeId }))) return false;
    await reconsiderIfForked(tx, current, [list]);
    await refuseUnlessCounting(tx, list);
    return true;
  });
}

/** @throws Problem invalid ACCESS_LIST_REFUSED */
async function refuseUnlessCounting({ db }: Context, { document: { poolId }, hash }: SignedList): Promise<void> {
  const known = await knownLists(db, poolId);
  const counting = known === undefined ? await poolHead(db) : countingPath(known.tree, known.adopted).at(-1);
  if (counting?.hash !== hash) throw refusedList('another one counts');
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
    if (signed.signatures.length >= threshold) await refuseUnlessCounting(tx, signed);
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

function isSaid(ctx: Context, what: string): boolean {
  if (said.get(ctx.ledger) === what) return true;
  said.set(ctx.ledger, what);
  return false;
}

function sayUnsigned(ctx: Context, { document, hash }: SignedList, decisions: number, who: string): void {
  if (isSaid(ctx, `${hash} ${decisions} ${who}`)) return;
  ctx.log.warn(`this node acts on decisions that the access list has not taken over: ${who} has to sign`, {
    poolId: document.poolId,
    decisions,
  });
}

function sayNotMade(ctx: Context, { document: { poolId, version }, hash }: SignedList, reason: string): void {
  if (isSaid(ctx, `${hash} ${reason}`)) return;
  const message = 'this node signs no version of the access list that takes over decisions of another branch';
  ctx.log.error(message, { poolId, version, hash, reason });
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
