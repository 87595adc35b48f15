import { compareModes, endOf } from './access-order.ts';
import type { SignedList } from '../../../crypto/formats/access-list/chain.ts';
import type { AclDocument } from '../../../crypto/formats/access-list/document.ts';
import type { ListTree } from './list-tree.ts';
import { safeDecisions } from './safe-decisions.ts';
import { withDecisions } from './taking-over.ts';

/**
 * Decides which lists count where several validly signed lists follow one list. Such a fork happens when parts of a pool decide while they
 * are disconnected, or when an administrator signs two lists of one version.
 *
 * The decision is a function of the lists that a node knows, and of nothing else: no clock, no order of arrival, no list that happens to
 * be in force. Nodes tell each other the lists that they know, so all reach the same result. The result for a list doesn't get worse when
 * the pool continues it, so deciding once is enough until another branch appears.
 *
 * The rule for the lists that follow one list, each with everything that follows it (its side):
 *
 * 1. A side is defeated if another side removed so many administrators who signed its first list that the signatures of the others are not
 *    enough. A removed administrator can sign another past at any time, and with any hash, but that past is defeated by the removal.
 * 2. If two sides defeat each other, the heavier one is not defeated: the one that more administrators of the common list signed, at any
 *    version; then the one whose administrators stand further up in the common list. Nobody can change either afterwards, because both
 *    depend on the common list and on keys. Only then come the rules of 3, among lists of the same administrators.
 * 3. Among the sides that are not defeated: the first list that refuses more nodes and administrators; then the one in which the admission
 *    of a node ends sooner; then the stricter mode; then the lower hash. A hash that was searched for gains little: what the other side
 *    refused is taken over from it (see safe-decisions.ts), and what it admitted is asked for again.
 * 4. If all are defeated, because the removals go round in a circle, the heaviest one counts.
 *
 * Before that, lists drop out that only administrators signed whom a branch off an earlier list removed, as long as nobody has signed a
 * version that takes that over: they are treated as removed. Such a list counts all the same if a later one that follows it is signed by
 * enough of the others, since they vouch for it.
 *
 * This ends: whoever may sign a version that takes decisions over is one whose lists are followed here. So the version continues the path,
 * it can only make the path heavier and remove more of those against it, and what it did is settled on the path and isn't done again.
 */
export function countingPath(tree: ListTree, adopted: ReadonlyMap<string, string> = new Map()): SignedList[] {
  const path = [tree.root];
  const doubted = new Set<string>();
  for (let last = tree.root; ;) {
    const following = tree.after(last);
    const chosen =
      following.find(({ hash }) => hash === adopted.get(last.hash)) ??
      countingOf(tree, last, followable(tree, path, following, doubted));
    if (chosen === undefined) return path;
    for (const other of following) if (other !== chosen) addRemoved(tree, last, other, doubted);
    path.push(chosen);
    last = chosen;
  }
}

/** The lists that follow a path and that enough administrators signed who are not treated as removed. */
function followable(
  tree: ListTree,
  path: readonly SignedList[],
  following: readonly SignedList[],
  doubted: ReadonlySet<string>,
): readonly SignedList[] {
  const last = path.at(-1);
  if (last === undefined) return following;
  const { threshold } = last.document;
  // Most lists are signed by administrators whom no branch removed, and need no closer look.
  if (following.every((list) => list.signatures.filter(({ memberId }) => !doubted.has(memberId)).length >= threshold))
    return following;
  const commons = path.slice(0, -1);
  const { open, pending } = safeDecisions(tree, path, commons);
  if (pending.length === 0) return following;
  // Those who stay if all that is open is done may sign already, even if that is only because somebody has to stay.
  const standing = new Set(
    [pending, open].flatMap((done) => withDecisions(last.document, done).admins.map(({ memberId }) => memberId)),
  );
  const isVouchedFor = ({ signatures }: SignedList) =>
    signatures.filter(({ memberId }) => standing.has(memberId)).length >= threshold;
  return following.filter((first) => tree.below(first).some(isVouchedFor));
}

interface Side {
  readonly first: SignedList;
  /** who signed the first list */
  readonly signers: readonly string[];
  /** administrators of the common list who signed any list of the side */
  readonly supporters: readonly string[];
  /** administrators of the common list whom any list of the side leaves out */
  readonly removed: ReadonlySet<string>;
}

function countingOf(tree: ListTree, common: SignedList, firsts: readonly SignedList[]): SignedList | undefined {
  if (firsts.length < 2) return firsts[0];
  const { document } = common;
  const sides = firsts.map((first) => sideOf(tree, common, first));
  const heavier = (one: Side, other: Side) => weightOrder(document, one, other) < 0;
  const defeated = (side: Side) =>
    sides.some((other) => {
      if (other === side || !removesSigners(document, other, side)) return false;
      return !(removesSigners(document, side, other) && heavier(side, other));
    });
  const standing = sides.filter((side) => !defeated(side));
  const order =
    standing.length > 0
      ? (one: Side, other: Side) => safetyOrder(document, one.first, other.first)
      : (one: Side, other: Side) => weightOrder(document, one, other);
  return (standing.length > 0 ? standing : sides).toSorted(order)[0]?.first;
}

/** Adds the administrators of a list whom any list of a branch off it leaves out. */
function addRemoved(tree: ListTree, { document }: SignedList, first: SignedList, into: Set<string>): void {
  for (const list of tree.below(first)) {
    const named = new Set(list.document.admins.map(({ memberId }) => memberId));
    for (const { memberId } of document.admins) if (!named.has(memberId)) into.add(memberId);
  }
}

function sideOf(tree: ListTree, common: SignedList, first: SignedList): Side {
  const { admins } = common.document;
  const lists = tree.below(first);
  const signed = new Set(lists.flatMap(({ signatures }) => signatures.map(({ memberId }) => memberId)));
  const removed = new Set<string>();
  addRemoved(tree, common, first, removed);
  return {
    first,
    signers: first.signatures.map(({ memberId }) => memberId),
    supporters: admins.map(({ memberId }) => memberId).filter((memberId) => signed.has(memberId)),
    removed,
  };
}

/** Whether one side removed so many signers of the other that the signatures of the rest are not enough. */
function removesSigners({ threshold }: AclDocument, by: Side, of: Side): boolean {
  return of.signers.filter((memberId) => !by.removed.has(memberId)).length < threshold;
}

/** The heavier side comes first. */
function weightOrder(common: AclDocument, one: Side, other: Side): number {
  return (
    other.supporters.length - one.supporters.length ||
    compareRanks(ranksOf(common, one), ranksOf(common, other)) ||
    safetyOrder(common, one.first, other.first)
  );
}

/** Places of the signers in the common list, ascending. */
function ranksOf({ admins }: AclDocument, { supporters }: Side): number[] {
  return admins.flatMap(({ memberId }, rank) => (supporters.includes(memberId) ? [rank] : []));
}

function compareRanks(one: readonly number[], other: readonly number[]): number {
  for (const [at, rank] of one.entries()) {
    const difference = rank - (other[at] ?? Number.POSITIVE_INFINITY);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The safer of two lists that follow one list comes first. Where neither is, they stay in the order of their hashes. */
function safetyOrder(common: AclDocument, one: SignedList, other: SignedList): number {
  const sooner = soonestEnd(common, one.document) - soonestEnd(common, other.document);
  return (
    refusals(common, other.document) - refusals(common, one.document) ||
    (Number.isNaN(sooner) ? 0 : sooner) ||
    compareModes(other.document.mode, one.document.mode)
  );
}

/** How many nodes and administrators a list refuses that the list before it didn't. */
function refusals(before: AclDocument, { writers, admins, tombstones = [] }: AclDocument): number {
  const named = new Set([...writers.map(({ nodeId }) => nodeId), ...admins.map(({ memberId }) => memberId)]);
  const refusedBefore = new Set((before.tombstones ?? []).map(({ nodeId }) => nodeId));
  const removed = [
    ...before.writers.map(({ nodeId }) => nodeId),
    ...before.admins.map(({ memberId }) => memberId),
  ].filter((id) => !named.has(id));
  const refused = tombstones.map(({ nodeId }) => nodeId).filter((nodeId) => !refusedBefore.has(nodeId));
  return new Set([...removed, ...refused]).size;
}

/** The soonest end of an admission that the list before it would have ended later; infinite if there is none. */
function soonestEnd(before: AclDocument, { writers }: AclDocument): number {
  const ends = new Map(before.writers.map(({ nodeId, expiresAt }) => [nodeId, endOf(expiresAt)]));
  return Math.min(
    Number.POSITIVE_INFINITY,
    ...writers.flatMap(({ nodeId, expiresAt }) =>
      endOf(expiresAt) < (ends.get(nodeId) ?? 0) ? [endOf(expiresAt)] : [],
    ),
  );
}
