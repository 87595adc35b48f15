import type { Mutant } from './mutant.ts';

const tests = (...names: string[]) => names.map((name) => `test/services/pool/${name}.test.ts`);

/** How lists of parted nodes come together. */
export const healingMutants: readonly Mutant[] = [
  {
    file: 'src/services/pool/acl/fork.ts',
    what: 'side whose signers the other side removed',
    from: 'return of.signers.filter((memberId) => !by.removed.has(memberId)).length < threshold;',
    to: 'return of.signers.length < 0 * by.removed.size * threshold;',
    tests: tests('acl/fork'),
  },
  {
    file: 'src/services/pool/acl/safe-decisions.ts',
    what: 'removals of administrators by those who were removed',
    from: 'isDoubtful(one) && !trusted.has(subjectOf(one)) ? setAside : open',
    to: 'isDoubtful(one) && trusted.size < 0 ? setAside : open',
    tests: tests('acl/parted-nodes'),
  },
  {
    file: 'src/services/pool/acl/branches.ts',
    what: 'decisions of the other branch',
    from: 'safeDecisions(tree, path).open',
    to: '[]',
    tests: tests('acl/parted-nodes'),
  },
  {
    file: 'src/services/pool/acl/fork.ts',
    what: 'administrators whose removal is not signed yet',
    from: 'return following.filter((first) => tree.below(first).some(isVouchedFor));',
    to: 'return isVouchedFor.length > 1 ? [] : following;',
    tests: tests('acl/unsigned-removals'),
  },
  {
    file: 'src/services/pool/acl/fork.ts',
    what: 'administrators who stay because somebody has to',
    from: '[pending, open].flatMap',
    to: '[pending, open.length < 0 ? open : pending].flatMap',
    tests: tests('acl/healing'),
  },
  {
    file: 'src/services/pool/acl/safe-decisions.ts',
    what: 'threshold that a removed administrator lowered',
    from: 'if (standing.length >= needed) {',
    to: 'if (standing.length >= Math.min(needed, before.document.threshold)) {',
    tests: tests('acl/unsigned-removals'),
  },
  {
    file: 'src/services/pool/acl/take-over.ts',
    what: 'versions signed by a node that stopped',
    from: 'if (stop !== undefined || !inForce',
    to: 'if (!inForce',
    tests: tests('acl/unsigned-removals'),
  },
  {
    file: 'src/services/pool/joining/join-attempt.ts',
    what: 'bound on the lists of a side that was given up',
    from: 'if (hasGivenUp) await compactGivenUp',
    to: 'if (hasGivenUp && lists.length < 0) await compactGivenUp',
    tests: tests('acl/given-up-side'),
  },
  {
    file: 'src/services/pool/acl/branches.ts',
    what: 'decisions of lists that are not kept',
    from: 'if (known !== undefined) await decide(tx, known.tree, known.path);',
    to: 'if (known === undefined) return;',
    tests: tests('acl/given-up-side'),
  },
  {
    file: 'src/services/pool/acl/ended-nodes.ts',
    what: 'lists for a node that believes that it has expired',
    from: 'return admitted.has(self) ? others.filter(({ nodeId }) => !admitted.has(nodeId)) : others;',
    to: 'return others.filter(({ nodeId }) => !admitted.has(nodeId));',
    tests: tests('acl/wrong-clocks'),
  },
  {
    file: 'src/services/pool/acl/ended-nodes.ts',
    what: 'lists that an expired node lacks',
    from: "if (stands === 'behind') askToLook",
    to: "if (stands === 'elsewhere') askToLook",
    tests: tests('acl/wrong-clocks'),
  },
  {
    file: 'src/services/pool/acl/known-lists.ts',
    what: 'another node that knows lists which are not known here',
    from: 'return digestOf(kept.map((one) => one.hash)) === beside;',
    to: 'return digestOf(kept.map((one) => one.hash)) !== `${beside}?`;',
    tests: tests('acl/fork-cost'),
  },
  {
    file: 'src/services/pool/acl/rounds.ts',
    what: 'a node that says something else than when all that it knew was known here',
    from: 'if (before?.whole === said) return;',
    to: 'if (before?.whole !== undefined) return;',
    tests: tests('acl/fork-cost'),
  },
];
