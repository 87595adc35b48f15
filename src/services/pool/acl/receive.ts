import type { Context } from '../../../service/context.ts';
import { takeLists, takeSides, type Taken } from './branches.ts';
import { readList, verifyChain, verifySuccessor, type SignedList } from '../../../crypto/formats/access-list/chain.ts';
import { refusedList } from '../../../crypto/formats/access-list/document.ts';
import { knownList } from './known-lists.ts';
import { hasMoreSigners, uniteSigners } from './signers.ts';
import { currentList } from './store.ts';
import { takeOver } from './take-over.ts';

/**
 * Receives one access list of another node.
 * @param source id of the node that announced it
 * @returns `ahead` if the list before it is missing here
 * @throws Problem invalid ACCESS_LIST_REFUSED when it can't be trusted; nothing was changed then
 */
export async function receiveList(ctx: Context, wire: unknown, source: string): Promise<Taken | 'ahead'> {
  const list = readList(wire);
  const { poolId, version, prev } = list.document;
  const current = await currentList(ctx.db);
  if (current?.document.poolId !== poolId) throw refusedList('it is of another pool');
  if ((await knownList(ctx.db, poolId, version, list.hash)) !== undefined) {
    await uniteSigners(ctx, [list], source);
    return 'known';
  }
  // There is only one first version, because the pool id is derived from it.
  if (version === 1) throw refusedList('it is not the first of its pool');
  const before = await knownList(ctx.db, poolId, version - 1, prev);
  return before === undefined ? 'ahead' : await receiveBranch(ctx, before, [wire], source);
}

/**
 * Receives access lists of another node that follow a known list.
 *
 * @param common a list that this node knows
 * @param wires the lists that follow it there, in order
 * @throws Problem invalid ACCESS_LIST_REFUSED; nothing was changed then
 */
export async function receiveBranch(
  ctx: Context,
  common: SignedList,
  wires: readonly unknown[],
  source: string,
): Promise<Taken> {
  const checkedKeys = new Set<string>();
  const theirs = wires.map((wire) => readList(wire, checkedKeys));
  let last = common;
  let known = 0;
  const signed: SignedList[] = [];
  // What this node has was verified when it came.
  for (const list of theirs) {
    const ours = await knownList(ctx.db, list.document.poolId, list.document.version, list.hash);
    if (ours === undefined) break;
    last = ours;
    known += 1;
    if (hasMoreSigners(ours, list)) signed.push(list);
  }
  const [first, ...rest] = theirs.slice(known);
  const fresh = first === undefined ? [] : [verifySuccessor(last, first)];
  fresh.push(...verifyChain(fresh[0] ?? last, rest));
  await uniteSigners(ctx, signed, source);
  if (first === undefined) return 'known';
  const taken = await takeLists(ctx, fresh, source);
  if (taken !== 'known') await takeOver(ctx);
  return taken;
}

/**
 * Receives lists that another node knows beside its active ones. Those whose previous list isn't known here are left out.
 * @throws Problem invalid ACCESS_LIST_REFUSED; nothing was changed then
 */
export async function receiveSides(
  ctx: Context,
  poolId: string,
  wires: readonly unknown[],
  source: string,
): Promise<void> {
  const checkedKeys = new Set<string>();
  const lists = wires.map((wire) => readList(wire, checkedKeys));
  const verified = new Map<string, SignedList>();
  const signed: SignedList[] = [];
  for (const list of lists.toSorted((one, other) => one.document.version - other.document.version)) {
    const { version, prev } = list.document;
    const ours = await knownList(ctx.db, poolId, version, list.hash);
    if (ours !== undefined) {
      if (hasMoreSigners(ours, list)) signed.push(list);
      continue;
    }
    const before = verified.get(prev ?? '') ?? (await knownList(ctx.db, poolId, version - 1, prev));
    if (before !== undefined) verified.set(list.hash, verifySuccessor(before, list));
  }
  await uniteSigners(ctx, signed, source);
  if ((await takeSides(ctx, poolId, [...verified.values()], source)) !== 'known') await takeOver(ctx);
}
