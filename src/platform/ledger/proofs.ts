import type { Context } from '../../service/context.ts';
import {
  HASH_LENGTH,
  consistencyRanges,
  inclusionRanges,
  rootOf,
  subtreeNumber,
  subtreesOf,
  type LeafRange,
} from '../../crypto/merkle.ts';
import { Problem } from '../../base/problem.ts';

/** Complete subtrees never change, so proofs for any size up to the current one need no transaction. */

export async function rootAt(ctx: Context, size: number): Promise<Uint8Array> {
  const [root] = await hashesOf(ctx, [{ start: 0, end: size }]);
  return root as Uint8Array;
}

/** The root at `size`, and the inclusion proof from a leaf to that root. */
export async function proveInclusion(ctx: Pick<Context, 'db'>, index: number, size: number) {
  const [root, ...proof] = await hashesOf(ctx, [{ start: 0, end: size }, ...inclusionRanges(index, size)]);
  return { root: root as Uint8Array, proof };
}

/** Both roots, and the consistency proof between them. */
export async function proveConsistency(ctx: Context, from: number, to: number) {
  const ranges = [{ start: 0, end: from }, { start: 0, end: to }, ...consistencyRanges(from, to)];
  const [fromRoot, toRoot, ...proof] = await hashesOf(ctx, ranges);
  return { fromRoot: fromRoot as Uint8Array, toRoot: toRoot as Uint8Array, proof };
}

/** The hash over each range. One query reads all needed subtrees, and another reads the leaves. */
async function hashesOf(ctx: Pick<Context, 'db'>, ranges: readonly LeafRange[]): Promise<Uint8Array[]> {
  const parts = ranges.map((range) => subtreesOf(range).map(subtreeNumber));
  const numbers = [...new Set(parts.flat())];
  const known = new Map<number, Uint8Array>();
  const leaves = numbers.filter((number) => number % 2 === 0).map((number) => number / 2);
  if (leaves.length > 0) {
    const rows = ctx.db
      .selectFrom('ledger_entries')
      .select(['leaf_index', 'leaf_hash'])
      .where('leaf_index', 'in', leaves);
    for (const row of await rows.execute()) known.set(2 * row.leaf_index, row.leaf_hash);
  }
  const nodes = numbers.filter((number) => number % 2 === 1);
  if (nodes.length > 0) {
    const rows = ctx.db.selectFrom('ledger_subtrees').select(['node', 'hash']).where('node', 'in', nodes);
    for (const row of await rows.execute()) known.set(row.node, row.hash);
  }
  const hashOf = (number: number) => {
    const hash = known.get(number);
    return hash?.length === HASH_LENGTH ? hash : damaged(number);
  };
  return parts.map((part) => rootOf(part.map(hashOf)));
}

function damaged(number: number): never {
  throw new Problem(
    'internal',
    'LEDGER_DAMAGED',
    `The hash of the tree with the number ${number} is not in the store, or is no hash.`,
  );
}
