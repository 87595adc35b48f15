import { transaction, type Context } from '../../../context.ts';
import { Problem } from '../../../problem.ts';
import { askToLook } from '../announcing.ts';
import { requestOf } from '../joining/queue.ts';
import { validSignatures, type SignedList } from './chain.ts';
import { adopt } from './commit.ts';
import { dropListsAfter, currentList, keepEvidence, listsFrom, storedList } from './store.ts';

export type Branch = readonly [SignedList, ...SignedList[]];

/**
 * Decides which branch counts if two validly signed branches follow one list. Such a fork happens when two halves of a pool decide while
 * they are disconnected, or when an administrator signs two lists of one version. Every node gets the same result from the same two
 * branches.
 *
 * A branch stands only if enough signers of its first list are still administrators at the end of the other branch. So a removed
 * administrator can't undo the removal by signing another past. If both branches stand, the first list with the lower hash counts. If
 * neither stands, each side has removed the other, and people must decide: no node changes anything.
 */
export function countingBranch(common: SignedList, ours: Branch, theirs: Branch): 'ours' | 'theirs' | 'neither' {
  const oursStands = stands(common, ours, theirs);
  const theirsStands = stands(common, theirs, ours);
  if (oursStands !== theirsStands) return oursStands ? 'ours' : 'theirs';
  if (!oursStands) return 'neither';
  return ours[0].hash <= theirs[0].hash ? 'ours' : 'theirs';
}

function stands(common: SignedList, branch: Branch, other: Branch): boolean {
  const { admins, threshold } = common.document;
  const end = other.at(-1) ?? other[0];
  const still = new Set(end.document.admins.map(({ memberId }) => memberId));
  const signers = validSignatures(branch[0], admins).filter(({ memberId }) => still.has(memberId));
  return signers.length >= threshold;
}

/**
 * Applies the rule to two branches that follow one list. The lists of the losing branch stay as evidence.
 * @returns raced: another list has become active here meanwhile, and nothing was changed
 */
export async function settleFork(
  ctx: Context,
  current: SignedList,
  common: SignedList,
  theirs: Branch,
  source: string,
): Promise<'adopted' | 'kept' | 'undecided' | 'raced'> {
  const { poolId, version } = common.document;
  const rows = await listsFrom(ctx.db, poolId, version + 1, Number.POSITIVE_INFINITY);
  const [first, ...rest] = rows.filter((row) => row.version <= current.document.version).map(storedList);
  if (first === undefined)
    throw new Problem(
      'internal',
      'STORE_DAMAGED',
      'Access lists are missing in the store. Restore the store from a backup.',
    );
  const ours: Branch = [first, ...rest];
  const counting = countingBranch(common, ours, theirs);
  return await transaction(ctx, async (tx) => {
    const now = await currentList(tx.db);
    if (now?.hash !== current.hash) return 'raced';
    if (counting !== 'theirs') {
      for (const list of theirs) await keepEvidence(tx, list, source);
      return counting === 'ours' ? 'kept' : 'undecided';
    }
    for (const list of ours) await keepEvidence(tx, list, ctx.keys.nodeId);
    await dropListsAfter(tx.db, poolId, version);
    await adopt(tx, { from: { poolId, hash: current.hash }, lists: theirs, source });
    await reopenRequests(tx, ours, theirs);
    return 'adopted';
  });
}

/** Reopens the requests of nodes that only the losing branch admitted. Somebody must decide on them again. */
async function reopenRequests(tx: Context, ours: Branch, theirs: Branch): Promise<void> {
  const { document: end } = theirs.at(-1) ?? theirs[0];
  const named = new Set(end.writers.map(({ nodeId }) => nodeId));
  const lost = (ours.at(-1) ?? ours[0]).document.writers.filter(({ nodeId }) => !named.has(nodeId));
  for (const { nodeId, publicKey } of lost) {
    await tx.db
      .updateTable('pool_requests')
      .set({ status: 'pending', decided_at: null, decided_by: null })
      .where('node_id', '=', nodeId)
      .where('status', '=', 'approved')
      .execute();
    const request = await requestOf(tx, nodeId);
    const addresses = JSON.parse(request?.addresses ?? '[]') as string[];
    tx.afterCommit(() => {
      tx.log.warn('the active access list no longer admits a node', { nodeId });
      // The removed node still follows the losing branch. Only the nodes that admitted it may tell it.
      if (nodeId !== tx.keys.nodeId) askToLook(tx, end.poolId, { nodeId, publicKey, addresses });
    });
  }
}
