import type { SignedList } from '../../../crypto/formats/access-list/chain.ts';
import type { KnownLists } from './known-lists.ts';

export interface ForkReport {
  /** version of the two lists */
  readonly version: number;
  readonly counting: string;
  readonly countingSigners: string[];
  readonly other: string;
  readonly otherSigners: string[];
  /** one: an administrator signed both lists; two: one signed one list and another the other */
  readonly signedBy: 'one' | 'two';
  readonly decidedBy: 'rule' | 'administrator';
  /** how many lists follow the other one, with it */
  readonly lists: number;
  /** nodes that only the other branch admitted, and the mail domains that only it gave: somebody has to ask for them again */
  readonly lost: { readonly nodes: string[]; readonly mailDomains: string[] };
}

/** The forks of the access list that this node knows, newest first. */
export function forksOf({ tree, path, adopted }: KnownLists): ForkReport[] {
  const head = path.at(-1) ?? tree.root;
  const found: ForkReport[] = [];
  for (const [at, common] of path.entries()) {
    const counting = path[at + 1];
    if (counting === undefined) continue;
    for (const other of tree.after(common).filter(({ hash }) => hash !== counting.hash)) {
      const branch = tree.below(other);
      found.push({
        version: other.document.version,
        counting: counting.hash,
        countingSigners: signersOf(counting),
        other: other.hash,
        otherSigners: signersOf(other),
        signedBy: signersOfFork(counting, other),
        decidedBy: adopted.get(common.hash) === counting.hash ? 'administrator' : 'rule',
        lists: branch.length,
        lost: lostWith(
          common,
          branch.filter((list) => tree.after(list).length === 0),
          head,
        ),
      });
    }
  }
  return found.toReversed();
}

export function signersOf({ signatures }: SignedList): string[] {
  return signatures.map(({ memberId }) => memberId);
}

/** Whether one administrator signed both of two lists of a version. */
export function signersOfFork(one: SignedList, other: SignedList): 'one' | 'two' {
  const signers = new Set(signersOf(one));
  return signersOf(other).some((memberId) => signers.has(memberId)) ? 'one' : 'two';
}

function lostWith(common: SignedList, ends: readonly SignedList[], { document }: SignedList): ForkReport['lost'] {
  const before = new Set(common.document.writers.map(({ nodeId }) => nodeId));
  const refused = new Set((document.tombstones ?? []).map(({ nodeId }) => nodeId));
  const now = new Map(document.writers.map((writer) => [writer.nodeId, writer]));
  const served = new Set(document.writers.map(({ mailDomain }) => mailDomain));
  const domainsBefore = new Set(common.document.writers.map(({ mailDomain }) => mailDomain));
  const writers = ends.flatMap((list) => list.document.writers);
  const nodes = writers.filter(({ nodeId }) => !before.has(nodeId) && !now.has(nodeId) && !refused.has(nodeId));
  const domains = writers.flatMap(({ nodeId, mailDomain }) =>
    mailDomain === undefined || served.has(mailDomain) || domainsBefore.has(mailDomain) || !now.has(nodeId)
      ? []
      : [mailDomain],
  );
  return { nodes: [...new Set(nodes.map(({ nodeId }) => nodeId))], mailDomains: [...new Set(domains)] };
}
