import fc from 'fast-check';
import {
  aclHash,
  aclText,
  type AclDocument,
  type AclWriter,
  type PoolMode,
} from '../../../../src/crypto/formats/access-list/document.ts';
import type { SignedList } from '../../../../src/crypto/formats/access-list/chain.ts';
import { countingPath } from '../../../../src/services/pool/acl/fork.ts';
import { treeOf } from '../../../../src/services/pool/acl/list-tree.ts';
import { safeDecisions } from '../../../../src/services/pool/acl/safe-decisions.ts';
import { takingOver, withDecisions } from '../../../../src/services/pool/acl/taking-over.ts';

/**
 * A pool of nodes that know sets of lists, without a store, a network and keys: what remains is the rule. Signatures are names, since the
 * rule sees only lists whose signatures were verified.
 */
export const NODES = 5;
const MODES: readonly PoolMode[] = ['open', 'approval', 'closed'];

export type Change =
  | { readonly kind: 'approve' }
  | { readonly kind: 'remove'; readonly which: number }
  | { readonly kind: 'expire'; readonly which: number; readonly day: number }
  | { readonly kind: 'stricter' }
  | { readonly kind: 'add-admin'; readonly which: number }
  | { readonly kind: 'remove-admin'; readonly which: number };

export type Step =
  | { readonly kind: 'change'; readonly node: number; readonly by: number; readonly change: Change }
  | { readonly kind: 'part'; readonly groups: readonly number[] }
  /** one node hears another, if they aren't parted */
  | { readonly kind: 'hear'; readonly node: number; readonly from: number }
  /** a node takes over what is open, if its key may sign */
  | { readonly kind: 'heal'; readonly node: number };

const index = (below: number) => fc.nat(below - 1);
const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ kind: 'approve' } as const) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('remove' as const), which: index(20) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('expire' as const), which: index(20), day: index(28) }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'stricter' } as const) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('add-admin' as const), which: index(10) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('remove-admin' as const), which: index(10) }) },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('change' as const), node: index(NODES), by: index(10), change }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('part' as const),
      groups: fc.array(index(3), { minLength: NODES, maxLength: NODES }),
    }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('hear' as const), node: index(NODES), from: index(NODES) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('heal' as const), node: index(NODES) }) },
);

export interface History {
  /** how many of the nodes' own keys are administrators in the first list */
  readonly nodeAdmins: number;
  readonly steps: readonly Step[];
  /** order in which the nodes hear each other in the end */
  readonly order: readonly number[];
}
export const history: fc.Arbitrary<History> = fc.record({
  nodeAdmins: fc.integer({ min: 0, max: 3 }),
  steps: fc.array(step, { minLength: 10, maxLength: 60, size: 'max' }),
  order: fc.shuffledSubarray([...Array(NODES * NODES).keys()], { minLength: NODES * NODES, maxLength: NODES * NODES }),
});

const id = (kind: string, number: number, length: number) =>
  `${kind}${number.toString(16).padStart(4, '0')}`.padEnd(length, '0');
const person = (number: number) => ({ memberId: id('aa', number, 24), publicKey: id('02aa', number, 66) });
const nodeKey = (number: number) => ({ memberId: id('bb', number, 24), publicKey: id('02bb', number, 66) });
const START = '2026-01-01T00:00:00.000Z';
const writer = (number: number): AclWriter => ({
  nodeId: id('cc', number, 40),
  publicKey: id('02bb', number, 66),
  addedAt: START,
  addedBy: person(0).memberId,
  expiresAt: null,
});

function listOf(document: AclDocument, signer: string): SignedList {
  const text = aclText(document);
  return { document, text, hash: aclHash(text), signatures: [{ memberId: signer, signature: '' }] };
}

export interface Outcome {
  readonly known: ReadonlyMap<string, SignedList>[];
  readonly heads: readonly SignedList[];
  /** the head of each node with the decisions in force that nobody could sign yet */
  readonly inForce: readonly AclDocument[];
  readonly path: readonly SignedList[];
  /** all that was decided, by any administrator in any part */
  readonly decided: { readonly list: SignedList; readonly before: AclDocument; readonly signer: string }[];
  /** versions that the rule made */
  readonly merges: number;
  /** how often a node made such a version and didn't follow it */
  readonly unfollowed: number;
  /** rounds in which every node heard every other, until nothing changed */
  readonly rounds: number;
}

export function play({ nodeAdmins, steps, order }: History): Outcome {
  const first = listOf(
    {
      t: 'pool-acl',
      v: 1,
      poolId: '00'.repeat(32),
      version: 1,
      prev: null,
      mode: 'open',
      scope: { database: 'conclave' },
      writers: [...Array(NODES).keys()].map(writer),
      admins: [...[...Array(nodeAdmins).keys()].map(nodeKey), ...[...Array(NODES).keys()].map(person)],
      threshold: 1,
      issuedAt: START,
    },
    person(0).memberId,
  );
  const known = [...Array(NODES).keys()].map(() => new Map([[first.hash, first]]));
  const decided: Outcome['decided'] = [];
  let groups: readonly number[] = Array<number>(NODES).fill(0);
  let guests = NODES;
  let time = 0;
  let merges = 0;
  let unfollowed = 0;

  const at = (node: number) => known[node] ?? new Map<string, SignedList>();
  const view = (node: number) => {
    const tree = treeOf(first, at(node).values());
    const path = countingPath(tree);
    return { tree, path, head: path.at(-1) ?? first };
  };

  function heal(node: number): boolean {
    const { tree, path, head } = view(node);
    const key = nodeKey(node).memberId;
    const { open } = safeDecisions(tree, path);
    if (!withDecisions(head.document, open).admins.some(({ memberId }) => memberId === key)) return false;
    const next = takingOver(head, open);
    if (next === undefined) return false;
    const made = listOf(next, key);
    const fresh = !known.some((lists) => lists.has(made.hash));
    at(node).set(made.hash, made);
    if (fresh) merges += 1;
    if (view(node).head.hash !== made.hash) unfollowed += 1;
    return true;
  }

  function decide(node: number, by: number, what: Change): void {
    const { tree, path, head } = view(node);
    const { document, hash } = head;
    const { admins } = withDecisions(document, safeDecisions(tree, path).open);
    // A node signs with its own key, and a person is at the node of the same number.
    const here = new Set([nodeKey(node).memberId, person(node).memberId]);
    const able = admins.filter(({ memberId }) => here.has(memberId));
    const signer = able[by % Math.max(able.length, 1)]?.memberId;
    if (signer === undefined) return;
    const changed = changedBy(document, what, signer);
    if (changed === undefined) return;
    time += 1;
    const issuedAt = new Date(Date.parse(START) + time).toISOString();
    const list = listOf({ ...document, ...changed, version: document.version + 1, prev: hash, issuedAt }, signer);
    at(node).set(list.hash, list);
    decided.push({ list, before: document, signer });
  }

  function changedBy(document: AclDocument, what: Change, signer: string): Partial<AclDocument> | undefined {
    const { writers, admins, mode } = document;
    switch (what.kind) {
      case 'approve':
        return { writers: [...writers, { ...writer(guests++), addedBy: signer }] };
      case 'remove': {
        // One node stays: a pool keeps its last nodes even if two sides remove each other's.
        const gone = writers.filter(({ nodeId }) => nodeId !== writer(NODES - 1).nodeId)[what.which % writers.length];
        return gone === undefined ? undefined : { writers: writers.filter((one) => one !== gone) };
      }
      case 'expire': {
        const chosen = writers[what.which % writers.length];
        const expiresAt = `2027-01-${String(what.day + 1).padStart(2, '0')}T00:00:00.000Z`;
        if (chosen === undefined || (chosen.expiresAt !== null && chosen.expiresAt <= expiresAt)) return undefined;
        const ending = { ...chosen, expiresAt };
        return { writers: writers.map((one) => (one === chosen ? ending : one)) };
      }
      case 'stricter': {
        const next = MODES[MODES.indexOf(mode) + 1];
        return next === undefined ? undefined : { mode: next };
      }
      case 'add-admin': {
        const added = what.which < NODES ? person(what.which) : nodeKey(what.which - NODES);
        const gone = decided.some(({ before, list }) =>
          [before.admins, list.document.admins].some((all) => all.some(({ memberId }) => memberId === added.memberId)),
        );
        return gone || admins.some(({ memberId }) => memberId === added.memberId)
          ? undefined
          : { admins: [...admins, added] };
      }
      default:
        return admins.length > 1
          ? { admins: admins.filter((_, place) => place !== what.which % admins.length) }
          : undefined;
    }
  }

  const hear = (node: number, from: number) => {
    for (const [hash, list] of at(from)) at(node).set(hash, list);
  };

  for (const one of steps) {
    if (one.kind === 'change') decide(one.node, one.by, one.change);
    else if (one.kind === 'part') groups = one.groups;
    else if (one.kind === 'heal') heal(one.node);
    else if (groups[one.node] === groups[one.from]) hear(one.node, one.from);
  }
  let rounds = 0;
  for (let changes = true; changes && rounds < 100; rounds += 1) {
    const before = known.map((lists) => lists.size).join();
    let healed = false;
    for (const pair of order) {
      hear(pair % NODES, Math.floor(pair / NODES));
      healed = heal(pair % NODES) || healed;
    }
    changes = healed || known.map((lists) => lists.size).join() !== before;
  }
  const views = known.map((_, node) => view(node));
  return {
    known,
    heads: views.map(({ head }) => head),
    inForce: views.map(({ tree, path, head }) => withDecisions(head.document, safeDecisions(tree, path).open)),
    path: views[0]?.path ?? [],
    decided,
    merges,
    unfollowed,
    rounds,
  };
}
