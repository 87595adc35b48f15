import type { SignedList } from '../../../crypto/formats/access-list/chain.ts';

/**
 * The access lists that a node knows and that follow one list: usually a chain, and a tree where two lists follow the same one. All are
 * verified, so each has only signatures of administrators of the list before it.
 */
export interface ListTree {
  readonly root: SignedList;
  has(hash: string): boolean;
  get(hash: string): SignedList | undefined;
  /** the lists that follow a list, in the order of their hashes */
  after(list: SignedList): readonly SignedList[];
  /** a list and all that follow it, whatever the branch */
  below(list: SignedList): readonly SignedList[];
}

/** @param lists in any order; those that don't follow the root over the others are left out */
export function treeOf(root: SignedList, lists: Iterable<SignedList>): ListTree {
  const following = new Map<string, SignedList[]>();
  const seen = new Set([root.hash]);
  for (const list of lists) {
    const { prev } = list.document;
    if (prev === null || seen.has(list.hash)) continue;
    seen.add(list.hash);
    following.set(prev, [...(following.get(prev) ?? []), list]);
  }
  for (const siblings of following.values()) siblings.sort((one, other) => (one.hash < other.hash ? -1 : 1));

  const below = (list: SignedList): SignedList[] => {
    const found = [list];
    for (const one of found) found.push(...(following.get(one.hash) ?? []));
    return found;
  };
  const byHash = new Map(below(root).map((list) => [list.hash, list]));
  return {
    root,
    has: (hash) => byHash.has(hash),
    get: (hash) => byHash.get(hash),
    after: (list) => following.get(list.hash) ?? [],
    below,
  };
}

/** A branch that isn't followed: from the list on the followed path at which it forks to its last list. */
export interface SideBranch {
  readonly common: SignedList;
  /** in order; the first follows `common` */
  readonly lists: readonly [SignedList, ...SignedList[]];
}

/**
 * All branches off a path, one for each last list, in the order of the lists at which they fork.
 * @param path begins with the root of the tree
 * @param commons the lists of the path whose branches are wanted
 */
export function sideBranches(
  tree: ListTree,
  path: readonly SignedList[],
  commons: readonly SignedList[] = path,
): SideBranch[] {
  const onPath = new Set(path.map(({ hash }) => hash));
  const found: SideBranch[] = [];
  for (const common of commons) {
    for (const first of tree.after(common)) {
      if (onPath.has(first.hash)) continue;
      for (const last of tree.below(first)) {
        if (tree.after(last).length === 0) found.push({ common, lists: chainTo(tree, first, last) });
      }
    }
  }
  return found;
}

function chainTo(tree: ListTree, first: SignedList, last: SignedList): [SignedList, ...SignedList[]] {
  const back: SignedList[] = [];
  for (let list = last; list.hash !== first.hash;) {
    back.push(list);
    const before = tree.get(list.document.prev ?? '');
    if (before === undefined) throw new Error('a list of the tree has no list before it');
    list = before;
  }
  return [first, ...back.toReversed()];
}
