import { transaction, type Context } from '../../../context.ts';
import { Problem } from '../../../problem.ts';
import { readList, verifyChain, verifySuccessor, type SignedList, validSignatures } from './chain.ts';
import { refusedList } from './document.ts';
import { askToLook } from '../announcing.ts';
import { requestOf } from '../joining/queue.ts';
import { adopt, currentList, keepEvidence, listAt, listsFrom, storedList } from './store.ts';

/** What became of a list that another node told of. */
export type Received =
  /** it counts now */
  | 'adopted'
  /** it counted already, now or before */
  | 'known'
  /** versions before it are missing here */
  | 'ahead'
  /** it contradicts one that counts, and is kept as evidence */
  | 'contradicts';

/**
 * One list that somebody announced.
 * @param source id of the node that told of it
 * @throws Problem invalid ACCESS_LIST_REFUSED when it isn't to be believed; nothing was changed then
 */
export async function receiveList(ctx: Context, wire: unknown, source: string): Promise<Received> {
  const list = readList(wire);
  for (;;) {
    const current = await currentList(ctx.db);
    if (current === undefined || list.document.poolId !== current.document.poolId)
      throw refusedList('it is of another pool');
    const { version } = list.document;
    if (version > current.document.version + 1) return 'ahead';
    if (version <= current.document.version) return await compareOld(ctx, list, source);
    if (list.document.prev !== current.hash) return await receiveUnrooted(ctx, current, list);
    if (await follow(ctx, current, [verifySuccessor(current, list)], source)) return 'adopted';
  }
}

/** A list of a version that is decided here: the same one, a contradiction worth keeping, or a forgery. */
async function compareOld(ctx: Context, list: SignedList, source: string): Promise<Received> {
  const { poolId, version } = list.document;
  const ours = await listAt(ctx.db, poolId, version);
  if (ours?.hash === list.hash) return 'known';
  const before = await listAt(ctx.db, poolId, version - 1);
  // Of the first version there is one alone: the pool is named after it.
  if (before === undefined) throw refusedList('it is not the first of its pool');
  // What follows another list than ours can't be judged by itself: the chain has to be fetched.
  if (list.document.prev !== before.hash) return 'ahead';
  const verified = verifySuccessor(before, list);
  await transaction(ctx, async (tx) => await keepEvidence(tx, verified, source));
  return 'contradicts';
}

/** The next version, of another past than ours. */
async function receiveUnrooted(ctx: Context, current: SignedList, list: SignedList): Promise<Received> {
  ctx.log.warn('an access list follows one that does not count here', {
    poolId: list.document.poolId,
    version: list.document.version,
    hash: list.hash,
    counting: current.hash,
  });
  return 'ahead';
}

/** @returns false where another list counts meanwhile */
export async function follow(
  ctx: Context,
  current: SignedList,
  lists: readonly SignedList[],
  source: string,
): Promise<boolean> {
  const [first, ...rest] = lists;
  if (first === undefined) return true;
  const from = { poolId: current.document.poolId, hash: current.hash };
  return await transaction(ctx, async (tx) => await adopt(tx, { from, lists: [first, ...rest], source }));
}

/**
 * Lists of another node from one that both have.
 *
 * @param common counted, or counts, here
 * @param wires what follows it there, in order
 * @throws Problem invalid ACCESS_LIST_REFUSED; nothing was changed then
 */
export async function receiveBranch(
  ctx: Context,
  common: SignedList,
  wires: readonly unknown[],
  source: string,
): Promise<'adopted' | 'known' | 'kept' | 'undecided'> {
  const checkedKeys = new Set<string>();
  const theirs = verifyChain(
    common,
    wires.map((wire) => readList(wire, checkedKeys)),
  );
  for (;;) {
    const current = await currentList(ctx.db);
    if (current === undefined || current.document.poolId !== common.document.poolId)
      throw refusedList('it is of another pool');
    const fresh = await withoutCommonPart(ctx, common, theirs);
    const [first, ...rest] = fresh.theirs;
    if (first === undefined) return 'known';
    if (fresh.common.hash === current.hash) {
      if (await follow(ctx, current, [first, ...rest], source)) return 'adopted';
      continue;
    }
    const settled = await settleFork(ctx, current, fresh.common, [first, ...rest], source);
    if (settled !== 'raced') return settled;
  }
}

/** What of their lists isn't ours as well. */
async function withoutCommonPart(ctx: Context, common: SignedList, theirs: readonly SignedList[]) {
  let last = common;
  let shared = 0;
  for (const list of theirs) {
    const ours = await listAt(ctx.db, list.document.poolId, list.document.version);
    if (ours?.hash !== list.hash) break;
    last = ours;
    shared += 1;
  }
  return { common: last, theirs: theirs.slice(shared) };
}

async function settleFork(
  ctx: Context,
  current: SignedList,
  common: SignedList,
  theirs: Branch,
  source: string,
): Promise<'adopted' | 'kept' | 'undecided' | 'raced'> {
  const { poolId, version } = common.document;
  const rows = await listsFrom(ctx.db, poolId, version + 1, Number.POSITIVE_INFINITY);
  const [first, ...rest] = rows.filter((row) => row.version <= current.document.version).map(storedList);
  if (first === undefined) throw new Problem('internal', 'STORE_DAMAGED', 'Access lists are missing in the store.');
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
    await tx.db.deleteFrom('pool_lists').where('pool_id', '=', poolId).where('version', '>', version).execute();
    await adopt(tx, { from: { poolId, hash: current.hash }, lists: theirs, source });
    await reopenRequests(tx, ours, theirs);
    return 'adopted';
  });
}

/** Nodes that the branch which lost had admitted, and the other one doesn't name, ask again: somebody else is to decide. */
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
      tx.log.warn('a node is not admitted by the access list that counts now', { nodeId });
      // It follows the branch that lost, and nobody there may tell it any more but those who admitted it.
      if (nodeId !== tx.keys.nodeId) askToLook(tx, end.poolId, { nodeId, publicKey, addresses });
    });
  }
}

export type Branch = readonly [SignedList, ...SignedList[]];

/**
 * Which of two branches counts that follow one list, both validly signed: that happens when two halves of a pool decide while they can't
 * hear each other, or when somebody signs two lists of one version. Every node comes to the same answer from the same two branches.
 *
 * A branch stands only if enough of those who signed its first list are still administrators at the end of the other branch: whoever was
 * removed can't undo that by signing another past. Where both stand, the first list with the lower hash counts. Where neither does, each
 * side has removed the other, and that is for people: nobody changes anything.
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
