import { transaction, type Context } from '../../../service/context.ts';
import { appendEntry } from '../../../platform/ledger/append.ts';
import { askToLook } from '../announcing.ts';
import { requestOf } from '../joining/queue.ts';
import type { SignedList } from '../../../crypto/formats/access-list/chain.ts';
import { adopt } from './adopt.ts';
import { refusedList } from '../../../crypto/formats/access-list/document.ts';
import { compactEvidence, droppedEvidence, dropEvidence, hasSides, keepEvidence, keepOthers } from './evidence.ts';
import { countingPath } from './fork.ts';
import { signersOf, signersOfFork } from './fork-report.ts';
import { knownList, knownLists, type KnownLists } from './known-lists.ts';
import type { ListTree } from './list-tree.ts';
import { openDecisions, updateDecisions } from './open-decisions.ts';
import { recordable } from './record-limit.ts';
import { safeDecisions } from './safe-decisions.ts';
import { currentList, dropListsAfter, poolHead } from './store.ts';

export type Branch = readonly [SignedList, ...SignedList[]];

/** What became of lists that another node knows: they are active now, they were known, or they don't count here. */
export type Taken = 'adopted' | 'known' | 'kept';

/**
 * Takes in lists that follow a known one, and follows those that count. The others are kept, and what they decided and is safe is noted,
 * until a version takes it over.
 * @param lists verified, each following the one before it, and the first one following a list that this node knows
 */
export async function takeLists(ctx: Context, lists: readonly SignedList[], source: string): Promise<Taken> {
  return await transaction(ctx, async (tx) => {
    const current = await currentList(tx.db);
    const fresh = await unknownOf(tx, lists);
    const [first, ...rest] = fresh;
    if (current === undefined || first === undefined) return 'known';
    const { poolId } = current.document;
    if (first.document.poolId !== poolId) throw refusedList('it is of another pool');
    if (first.document.prev === current.hash && !(await isForked(tx, current, fresh))) {
      await adopt(tx, { from: { poolId, hash: current.hash }, lists: [first, ...rest], source });
      return 'adopted';
    }
    await keepOthers(tx, fresh, source);
    return await reconsider(tx, fresh, source);
  });
}

/**
 * Whether what follows the active list could change what other branches mean: if decisions of theirs are open, whoever they removed is
 * treated as removed, and if administrators change, then so does whose decisions count.
 */
async function isForked(tx: Context, { document }: SignedList, following: readonly SignedList[]): Promise<boolean> {
  const { poolId, admins } = document;
  if ((await openDecisions(tx.db, poolId)).length === 0) {
    const before = JSON.stringify(admins);
    if (following.every((list) => JSON.stringify(list.document.admins) === before)) return false;
  }
  return await hasSides(tx.db, poolId);
}

/** Decides anew, after a version that this node made was put in force. */
export async function reconsiderIfForked(
  tx: Context,
  before: SignedList,
  following: readonly SignedList[],
): Promise<void> {
  if (await isForked(tx, before, following)) await reconsider(tx, [], tx.keys.nodeId);
}

/** Takes in lists of other branches. @param lists verified, each after the one that it follows */
export async function takeSides(
  ctx: Context,
  poolId: string,
  lists: readonly SignedList[],
  source: string,
): Promise<Taken> {
  if (lists.length === 0) return 'known';
  return await transaction(ctx, async (tx) => {
    if ((await poolHead(tx.db))?.pool_id !== poolId) return 'known';
    const fresh: SignedList[] = [];
    for (const list of lists)
      if ((await knownList(tx.db, poolId, list.document.version, list.hash)) === undefined) fresh.push(list);
    await keepOthers(tx, fresh, source);
    return await reconsider(tx, fresh, source);
  });
}

/** The first list that isn't known, and those after it. What follows a list that wasn't kept isn't kept either. */
async function unknownOf(tx: Context, lists: readonly SignedList[]): Promise<SignedList[]> {
  const fresh: SignedList[] = [];
  for (const list of lists) {
    const { poolId, version } = list.document;
    if (fresh.length > 0 || (await knownList(tx.db, poolId, version, list.hash)) === undefined) fresh.push(list);
  }
  return fresh;
}

/** Applies the rule to all known lists, and follows the branch that counts. @param fresh lists that came now */
export async function reconsider(
  tx: Context,
  fresh: readonly SignedList[],
  source: string,
  by: 'rule' | 'administrator' = 'rule',
): Promise<Taken> {
  const head = await poolHead(tx.db);
  const known = head === undefined ? undefined : await knownLists(tx.db, head.pool_id);
  if (head === undefined || known === undefined) return 'known';
  const { tree, path, adopted } = known;
  const next = countingPath(tree, adopted);
  const fork = next.findIndex(({ hash }, at) => hash !== path[at]?.hash);
  const [first, ...rest] = fork < 0 ? [] : next.slice(fork);
  const lost = fork < 0 ? [] : path.slice(fork);
  if (first !== undefined) {
    await keepEvidence(tx, lost, tx.keys.nodeId);
    await dropListsAfter(tx.db, head.pool_id, first.document.version - 1);
    await dropEvidence(tx, [first, ...rest]);
    await adopt(tx, { from: { poolId: head.pool_id, hash: head.hash }, lists: [first, ...rest], source });
    const [common, end] = [path[fork - 1], lost.at(-1)];
    if (common !== undefined && end !== undefined) await askAgain(tx, { common, lost: end, now: rest.at(-1) ?? first });
  }
  await decide(tx, tree, next);
  for (const [counting, other] of newForks(known, next, new Set([...fresh, ...lost].map(({ hash }) => hash))))
    await recordFork(tx, { counting, other, by });
  await compactEvidence(tx, head.pool_id);
  return first === undefined ? 'kept' : 'adopted';
}

/** Notes what the branches off a path decided that is safe. */
async function decide(tx: Context, tree: ListTree, path: readonly SignedList[]): Promise<void> {
  // As long as all lists are known, the decisions depend on them alone, and not on the order in which they came.
  const isWhole = (await droppedEvidence(tx.db, tree.root.document.poolId)) === undefined;
  await updateDecisions(tx, [tree.root, ...path.slice(1)], safeDecisions(tree, path).open, isWhole);
}

/** Keeps so many lists of a branch that this node gave up, after it noted what they decided. */
export async function compactGivenUp(tx: Context, poolId: string): Promise<void> {
  const known = await knownLists(tx.db, poolId);
  if (known !== undefined) await decide(tx, known.tree, known.path);
  await compactEvidence(tx, poolId);
}

/** The forks off the path whose other list is among these: the list that counts, and the other one of the same version. */
function newForks({ tree }: KnownLists, path: readonly SignedList[], among: ReadonlySet<string>) {
  const found: [SignedList, SignedList][] = [];
  for (const [at, list] of path.entries()) {
    const counting = path[at + 1];
    if (counting === undefined) continue;
    for (const other of tree.after(list)) {
      if (other.hash !== counting.hash && among.has(other.hash)) found.push([counting, other]);
    }
  }
  return found;
}

interface Fork {
  readonly counting: SignedList;
  readonly other: SignedList;
  /** who decided which list counts */
  readonly by: 'rule' | 'administrator';
}

async function recordFork(tx: Context, { counting, other, by }: Fork): Promise<void> {
  const { poolId, version } = counting.document;
  const signers = [...new Set([counting, other].map((list) => signersOf(list).toSorted()[0] ?? ''))];
  if ((await recordable(tx, { poolId, what: 'forks', signers, wanted: 1 })) === 0) return;
  const signedBy = signersOfFork(counting, other);
  const data = { poolId, version, counting: counting.hash, other: other.hash, signedBy, by };
  await appendEntry(tx, { type: 'POOL_FORK', data });
  tx.afterCommit(() =>
    tx.log.error(
      signedBy === 'one'
        ? 'access list conflict: one administrator signed two lists of the same version'
        : 'access list conflict: two administrators signed one list each of the same version',
      {
        poolId,
        version,
        decidedBy: by,
        counting: counting.hash,
        countingSigners: signersOf(counting),
        otherHash: other.hash,
        otherSigners: signersOf(other),
      },
    ),
  );
}

interface Abandoned {
  /** the last list that both branches have */
  readonly common: SignedList;
  /** the end of the branch that was active */
  readonly lost: SignedList;
  readonly now: SignedList;
}

/**
 * Reopens the requests of nodes that only the losing branch admitted. Somebody must decide on them again. A node that the counting branch
 * removed or refused was decided on there: it has to ask itself.
 */
async function askAgain(tx: Context, { common, lost, now: { document: end } }: Abandoned): Promise<void> {
  const named = new Set(end.writers.map(({ nodeId }) => nodeId));
  const decided = new Set([...common.document.writers, ...(end.tombstones ?? [])].map(({ nodeId }) => nodeId));
  for (const { nodeId, publicKey } of lost.document.writers.filter((writer) => !named.has(writer.nodeId))) {
    if (!decided.has(nodeId))
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
