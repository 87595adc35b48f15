import { wholeNumber } from '../../../base/whole-number.ts';
import { compareModes, endOf } from './access-order.ts';
import type { SignedList } from '../../../crypto/formats/access-list/chain.ts';
import type { AclDocument, AclTombstone, PoolMode } from '../../../crypto/formats/access-list/document.ts';
import { sideBranches, type ListTree, type SideBranch } from './list-tree.ts';

const decisionKinds = ['removal', 'refusal', 'administrator', 'expiry', 'mode', 'threshold'] as const;

/**
 * What a branch that doesn't count decided, and what makes the pool safer. The counting branch takes it over with its next version.
 *
 * A decision is settled when a list of the counting branch after the fork fulfils it, even if a later one changes that again: that was
 * somebody's decision. So each is taken over once at most, and an administrator who approves a node again has the last word.
 *
 * From the part of a branch that was signed by administrators whom the counting branch removed, everything is taken over that an
 * administrator can undo by approving a node again. What could cost the pool its administrators isn't: neither the removal of an
 * administrator, nor of a node whose own key is an administrator, nor a higher threshold. Else a removed administrator could end the pool
 * with one list. These decisions are set aside, for people to look at.
 */
export interface SafeDecision {
  /** removal: a node isn't in the list any more; refusal: a tombstone; expiry: the admission of a node ends sooner */
  readonly kind: (typeof decisionKinds)[number];
  /** id of the node or the administrator; empty for the mode and the threshold */
  readonly subject: string;
  /** refusal: kind of the tombstone; expiry: time; mode and threshold: themselves */
  readonly value: string;
  /** removal and refusal: who decided it; otherwise empty */
  readonly by: string;
  /** when the last list of the branch was issued */
  readonly at: string;
  /** version of the list at which the branch forks */
  readonly since: number;
}

export interface Decided {
  readonly open: readonly SafeDecision[];
  readonly setAside: readonly SafeDecision[];
  /** removals of administrators that are treated as done although nobody has signed them yet */
  readonly pending: readonly SafeDecision[];
}

/**
 * What the branches off a path decided and the path hasn't.
 * @param path begins with the root of the tree
 * @param commons the lists of the path whose branches count
 */
export function safeDecisions(
  tree: ListTree,
  path: readonly SignedList[],
  commons: readonly SignedList[] = path,
): Decided {
  const open = new Map<string, SafeDecision>();
  const setAside = new Map<string, SafeDecision>();
  const pending: SafeDecision[] = [];
  const judged = sideBranches(tree, path, commons).map((branch) => {
    const after = path.slice(path.findIndex(({ hash }) => hash === branch.common.hash) + 1);
    // Whoever an earlier branch removed is treated as removed, even if nobody could sign that yet.
    const before = pending.filter(({ since }) => since < branch.common.document.version);
    const trusted = decidedByStanding(branch, path, before);
    const all = differences(branch.common, branch.lists.at(-1) ?? branch.lists[0]);
    const decisions = all.filter((one) => !after.some(({ document }) => fulfils(document, one)));
    const removals = decisions.filter((one) => one.kind === 'administrator' && trusted.has(subjectOf(one)));
    for (const one of removals) keepStricter(open, one);
    if (!isOverruled(branch, after[0])) pending.push(...removals);
    return { decisions, trusted };
  });
  const ownNodes = nodesOfAdministrators(path.at(-1) ?? tree.root, open);
  const isDoubtful = ({ kind, subject }: SafeDecision) =>
    kind === 'administrator' || kind === 'threshold' || ownNodes.has(subject);
  for (const { decisions, trusted } of judged) {
    for (const one of decisions) keepStricter(isDoubtful(one) && !trusted.has(subjectOf(one)) ? setAside : open, one);
  }
  for (const key of open.keys()) setAside.delete(key);
  return { open: inOrder(open.values()), setAside: inOrder(setAside.values()), pending };
}

/** The nodes whose own keys are administrators, without those whose removal is open. */
function nodesOfAdministrators(
  { document: { writers, admins } }: SignedList,
  open: ReadonlyMap<string, SafeDecision>,
): Set<string> {
  const removed = new Set([...open.values()].map(({ subject }) => subject));
  const keys = new Set(admins.filter(({ memberId }) => !removed.has(memberId)).map(({ publicKey }) => publicKey));
  return new Set(writers.filter(({ publicKey }) => keys.has(publicKey)).map(({ nodeId }) => nodeId));
}

/** Whether a branch removed the signers of the list that counts in its place, and that one counts all the same. */
function isOverruled({ common, lists }: SideBranch, counting: SignedList | undefined): boolean {
  const { admins, threshold } = common.document;
  const stay = new Set(admins.map(({ memberId }) => memberId));
  for (const { document } of lists) {
    const named = new Set(document.admins.map(({ memberId }) => memberId));
    for (const memberId of stay) if (!named.has(memberId)) stay.delete(memberId);
  }
  return (counting?.signatures ?? []).filter(({ memberId }) => stay.has(memberId)).length < threshold;
}

/** Keeps the stricter of two decisions about one subject. It doesn't matter in which order they come. */
export function keepStricter(into: Map<string, SafeDecision>, one: SafeDecision): void {
  const key = `${one.kind} ${one.subject}`;
  const other = into.get(key);
  if (other === undefined) into.set(key, one);
  else {
    const stricter = byStrictness(one, other) <= 0 ? one : other;
    into.set(key, { ...stricter, since: Math.max(one.since, other.since), at: one.at > other.at ? one.at : other.at });
  }
}

const kindsOfRefusal: readonly AclTombstone['kind'][] = ['denied', 'removed', 'banned'];

/** The threshold that was decided; 0 for another decision. */
export function thresholdOf({ value }: Pick<SafeDecision, 'value'>): number {
  return wholeNumber(value) ?? 0;
}

/** How much a tombstone refuses; -1 for none. */
export function refusalRank(kind: string | undefined): number {
  return kindsOfRefusal.findIndex((one) => one === kind);
}

/** The stricter one comes first. */
function byStrictness(one: SafeDecision, other: SafeDecision): number {
  const texts = (a: string, b: string) => (a < b ? -1 : a === b ? 0 : 1);
  switch (one.kind) {
    case 'removal':
      return texts(one.by, other.by);
    case 'refusal':
      return refusalRank(other.value) - refusalRank(one.value) || texts(one.by, other.by);
    case 'mode':
      return compareModes(other.value as PoolMode, one.value as PoolMode);
    case 'threshold':
      return thresholdOf(other) - thresholdOf(one);
    default:
      return texts(one.value, other.value);
  }
}

export function inOrder(decisions: Iterable<SafeDecision>): SafeDecision[] {
  const key = ({ kind, subject }: SafeDecision) => `${decisionKinds.indexOf(kind)} ${subject}`;
  return [...decisions].toSorted((one, other) => (key(one) < key(other) ? -1 : 1));
}

/** Whether a list does what was decided, or more. */
export function fulfils(document: AclDocument, { kind, subject, value }: SafeDecision): boolean {
  const { writers, admins, tombstones = [], mode, threshold } = document;
  const writer = writers.find(({ nodeId }) => nodeId === subject);
  switch (kind) {
    case 'removal':
      return writer === undefined;
    case 'refusal': {
      // Whoever approved a node has looked at it since its request was denied elsewhere.
      if (value === 'denied' && writer !== undefined) return true;
      return refusalRank(tombstones.find(({ nodeId }) => nodeId === subject)?.kind) >= refusalRank(value);
    }
    case 'administrator':
      return !admins.some(({ memberId }) => memberId === subject);
    case 'expiry':
      return writer === undefined || endOf(writer.expiresAt) <= endOf(value);
    case 'mode':
      return compareModes(mode, value as PoolMode) >= 0;
    case 'threshold':
      return threshold >= Math.min(thresholdOf({ value }), admins.length);
    default:
      return kind satisfies never;
  }
}

const subjectOf = ({ kind, subject }: SafeDecision) => `${kind} ${subject}`;

/** What was decided in the lists of a branch that were signed by enough administrators whom the path hasn't removed since the fork. */
function decidedByStanding(
  { common, lists }: SideBranch,
  path: readonly SignedList[],
  pending: readonly SafeDecision[],
): Set<string> {
  const doubtful = removedSince(path, common.document.version);
  for (const { subject } of pending) doubtful.add(subject);
  const decided = new Set<string>();
  let before = common;
  let needed = common.document.threshold;
  for (const list of lists) {
    const standing = list.signatures.filter(({ memberId }) => !doubtful.has(memberId));
    if (standing.length >= needed) {
      for (const one of differences(before, list)) decided.add(subjectOf(one));
      // A lower threshold of a removed administrator doesn't count.
      needed = list.document.threshold;
    } else {
      // Whom a removed administrator made one is none either.
      const named = new Set(before.document.admins.map(({ memberId }) => memberId));
      for (const { memberId } of list.document.admins) if (!named.has(memberId)) doubtful.add(memberId);
    }
    before = list;
  }
  return decided;
}

/** Administrators whom a list of the path left out after a version. */
function removedSince(path: readonly SignedList[], version: number): Set<string> {
  const removed = new Set<string>();
  for (const [at, { document }] of path.entries()) {
    const next = path[at + 1];
    if (next === undefined || document.version < version) continue;
    const named = new Set(next.document.admins.map(({ memberId }) => memberId));
    for (const { memberId } of document.admins) if (!named.has(memberId)) removed.add(memberId);
  }
  return removed;
}

/** What is safer in a list than in an earlier one. */
function differences({ document: before }: SignedList, { document: later, signatures }: SignedList): SafeDecision[] {
  const about = { by: '', at: later.issuedAt, since: before.version };
  const writers = new Map(later.writers.map((writer) => [writer.nodeId, writer]));
  const refusedBefore = new Map((before.tombstones ?? []).map(({ nodeId, kind }) => [nodeId, kind]));
  const admins = new Set(later.admins.map(({ memberId }) => memberId));
  const decisions: SafeDecision[] = [];
  const by = signatures.map(({ memberId }) => memberId).toSorted()[0] ?? '';
  for (const { nodeId, expiresAt } of before.writers) {
    const writer = writers.get(nodeId);
    if (writer === undefined) decisions.push({ ...about, kind: 'removal', subject: nodeId, value: '', by });
    else if (writer.expiresAt !== null && endOf(writer.expiresAt) < endOf(expiresAt))
      decisions.push({ ...about, kind: 'expiry', subject: nodeId, value: writer.expiresAt });
  }
  for (const { nodeId, kind, by: decider } of later.tombstones ?? []) {
    if (refusalRank(kind) > refusalRank(refusedBefore.get(nodeId)))
      decisions.push({ ...about, kind: 'refusal', subject: nodeId, value: kind, by: decider });
  }
  for (const { memberId } of before.admins)
    if (!admins.has(memberId)) decisions.push({ ...about, kind: 'administrator', subject: memberId, value: '' });
  if (compareModes(later.mode, before.mode) > 0)
    decisions.push({ ...about, kind: 'mode', subject: '', value: later.mode });
  if (later.threshold > before.threshold)
    decisions.push({ ...about, kind: 'threshold', subject: '', value: String(later.threshold) });
  return decisions;
}
