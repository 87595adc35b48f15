import { transaction, type Context } from '../../../context.ts';
import { readList, verifyChain, verifySuccessor, type SignedList } from './chain.ts';
import { adopt } from './commit.ts';
import { refusedList } from './document.ts';
import { settleFork } from './fork.ts';
import { currentList, keepEvidence, listAt } from './store.ts';

/** The result for a list from another node. */
export type Received =
  /** it is now the active list */
  | 'adopted'
  /** it is or was the active list */
  | 'known'
  /** versions before it are missing here */
  | 'ahead'
  /** it contradicts a list that counts, and is kept as evidence */
  | 'contradicts';

/**
 * Receives one announced access list.
 * @param source id of the node that announced it
 * @throws Problem invalid ACCESS_LIST_REFUSED when it can't be trusted; nothing was changed then
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

/** Compares a list with the one known for its version: it is the same one, a contradiction worth keeping, or a forgery. */
async function compareOld(ctx: Context, list: SignedList, source: string): Promise<Received> {
  const { poolId, version } = list.document;
  const ours = await listAt(ctx.db, poolId, version);
  if (ours?.hash === list.hash) return 'known';
  const before = await listAt(ctx.db, poolId, version - 1);
  // There is only one first version, because the pool id is derived from it.
  if (before === undefined) throw refusedList('it is not the first of its pool');
  // A list whose previous version is not ours cannot be verified alone. Its chain must be fetched.
  if (list.document.prev !== before.hash) return 'ahead';
  const verified = verifySuccessor(before, list);
  await transaction(ctx, async (tx) => await keepEvidence(tx, verified, source));
  return 'contradicts';
}

/** Receives a next version that doesn't follow our active list. */
async function receiveUnrooted(ctx: Context, current: SignedList, list: SignedList): Promise<Received> {
  ctx.log.warn('access list not activated: its previous version is not active here', {
    poolId: list.document.poolId,
    version: list.document.version,
    hash: list.hash,
    counting: current.hash,
  });
  return 'ahead';
}

/** @returns false if another list has become active meanwhile */
async function follow(
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
 * Receives the access lists of another node that follow a common list.
 *
 * @param common a list that is or was active here
 * @param wires the lists that follow it there, in order
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

/** The other node's lists that this node doesn't have. */
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
