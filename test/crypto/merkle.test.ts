import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  addLeaf,
  consistencyRanges,
  emptyRoot,
  inclusionRanges,
  leafHash,
  nodeHash,
  rootOf,
  subtreeNumber,
  subtreeOfNumber,
  subtreesOf,
  verifyConsistency,
  verifyInclusion,
  type ConsistencyProof,
  type InclusionProof,
  type LeafRange,
} from '../../src/crypto/merkle.ts';
import { published } from '../vectors/rfc6962.ts';
import { inStage } from '../support/stage.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const unhex = (text: string) => Uint8Array.from(Buffer.from(text, 'hex'));

/** RFC 6962, 2.1, as it is written there: recursive over the leaves. Remembers, or it would take minutes. */
function plainTree(leaves: readonly Uint8Array[]) {
  const memory = new Map<number, Uint8Array>();

  /** MTH(D[start:start + n]) */
  function root(n: number, start = 0): Uint8Array {
    if (n === 0) return createHash('sha256').digest();
    const key = start * 1000 + n;
    const known = memory.get(key);
    if (known !== undefined) return known;
    const hash = createHash('sha256');
    if (n === 1) hash.update(Uint8Array.of(0)).update(leaves[start]!);
    else {
      const k = largestPower(n);
      hash
        .update(Uint8Array.of(1))
        .update(root(k, start))
        .update(root(n - k, start + k));
    }
    memory.set(key, hash.digest());
    return memory.get(key)!;
  }

  /** PATH(m, D[n]) of 2.1.1 */
  function path(m: number, n: number, start = 0): Uint8Array[] {
    if (n === 1) return [];
    const k = largestPower(n);
    return m < k ? [...path(m, k, start), root(n - k, start + k)] : [...path(m - k, n - k, start + k), root(k, start)];
  }

  /** SUBPROOF(m, D[n], b) of 2.1.2 */
  function subproof(m: number, n: number, complete: boolean, start = 0): Uint8Array[] {
    if (m === n) return complete ? [] : [root(n, start)];
    const k = largestPower(n);
    return m <= k
      ? [...subproof(m, k, complete, start), root(n - k, start + k)]
      : [...subproof(m - k, n - k, false, start + k), root(k, start)];
  }

  return { root, path, subproof };
}

function largestPower(below: number): number {
  let k = 1;
  while (k * 2 < below) k *= 2;
  return k;
}

/** A tree that keeps what the ledger keeps: leaves and complete subtrees by their numbers. */
function grow(leaves: readonly Uint8Array[]) {
  const kept = new Map<number, Uint8Array>();
  const frontier: Uint8Array[] = [];
  const roots = [rootOf(frontier)];
  for (const [index, leaf] of leaves.entries()) {
    const hash = leafHash(leaf);
    kept.set(subtreeNumber({ level: 0, index }), hash);
    for (const subtree of addLeaf(frontier, index, hash)) kept.set(subtreeNumber(subtree), subtree.hash);
    roots.push(rootOf(frontier));
  }
  const hashOf = (range: LeafRange) => rootOf(subtreesOf(range).map((subtree) => kept.get(subtreeNumber(subtree))!));
  return { kept, roots, hashOf };
}

function bitFlips(bytes: Uint8Array): Uint8Array[] {
  return [0, 131, 255].map((bit) => {
    const changed = Uint8Array.from(bytes);
    changed[bit >> 3]! ^= 1 << (bit & 7);
    return changed;
  });
}

/** Every way to change one thing about a list of hashes. */
function otherLists(proof: readonly Uint8Array[], strangers: readonly Uint8Array[]): Uint8Array[][] {
  const lists: Uint8Array[][] = strangers.flatMap((extra) => [
    [extra, ...proof],
    [...proof, extra],
  ]);
  for (const at of proof.keys()) {
    lists.push(proof.toSpliced(at, 1));
    for (const changed of bitFlips(proof[at]!)) lists.push(proof.toSpliced(at, 1, changed));
    lists.push(proof.toSpliced(at, 1, proof[at]!.slice(1)));
    if (at > 0) lists.push(proof.toSpliced(at - 1, 2, proof[at]!, proof[at - 1]!));
  }
  return lists;
}

/** One proof with other values in one field. */
function variants<Proof, Field extends keyof Proof>(good: Proof, field: Field, values: Proof[Field][]): Proof[] {
  const changed: Proof[] = [];
  for (const value of values) changed.push({ ...good, [field]: value });
  return changed;
}

const wrongSizes = (size: number) =>
  [0, -1, size - 1, size + 1, size * 2, size + 0.5, Number.NaN, 2 ** 53].filter((other) => other !== size);

describe('the tree of RFC 6962', () => {
  const { leaves, roots, inclusion, consistency } = published;

  it('has the published roots', () => {
    expect(hex(emptyRoot())).toBe(roots[0]);
    const tree = grow(leaves.map(unhex));
    expect(tree.roots.map(hex)).toEqual(roots);
  });

  it.each(inclusion)('has the published proof that leaf $index is in $size', ({ index, size, proof }) => {
    const tree = grow(leaves.map(unhex));
    expect(inclusionRanges(index, size).map((range) => hex(tree.hashOf(range)))).toEqual(proof);
    const leaf = leafHash(unhex(leaves[index]!));
    const root = unhex(roots[size]!);
    expect(verifyInclusion({ index, size, leafHash: leaf, root, proof: proof.map(unhex) })).toBe(true);
  });

  it.each(consistency)('has the published proof that $from is the beginning of $to', ({ from, to, proof }) => {
    const tree = grow(leaves.map(unhex));
    expect(consistencyRanges(from, to).map((range) => hex(tree.hashOf(range)))).toEqual(proof);
    const ends = { fromRoot: unhex(roots[from]!), toRoot: unhex(roots[to]!) };
    expect(verifyConsistency({ from, to, ...ends, proof: proof.map(unhex) })).toBe(true);
  });
});

describe('trees of up to 300 leaves', () => {
  const size = 300;
  const leaves = Array.from({ length: size }, (_, index) => Buffer.from(`leaf ${index}`));
  const plain = plainTree(leaves);
  const tree = grow(leaves);
  const larger = grow([...leaves, ...leaves, Buffer.from('one more')]);
  const resized = <Proof>(good: Proof, field: keyof Proof, root: keyof Proof, size1: number): Proof => {
    return { ...good, [field]: size1, [root]: larger.roots[size1] ?? good[root] };
  };
  const everySize = Array.from({ length: size }, (_, index) => index + 1);
  const telling = everySize.filter((n) => n <= 34 || [63, 64, 65, 100, 127, 128, 129, 192, 257, 300].includes(n));
  const sizes = inStage(telling, telling, everySize);
  const differ = (one: Uint8Array[], other: Uint8Array[]) =>
    Buffer.compare(Buffer.concat(one), Buffer.concat(other)) !== 0;

  it('has the root that the recursion of the RFC gives', () => {
    for (const [n, root] of tree.roots.entries()) expect(hex(root)).toBe(hex(plain.root(n)));
  });

  it('has the inclusion proofs of the RFC, and they verify', { tags: 'thorough' }, () => {
    let wrong = 0;
    for (const n of sizes) {
      const root = tree.roots[n]!;
      for (let index = 0; index < n; index += 1) {
        const proof = inclusionRanges(index, n).map(tree.hashOf);
        if (differ(proof, plain.path(index, n))) wrong += 1;
        if (!verifyInclusion({ index, size: n, leafHash: tree.kept.get(2 * index)!, root, proof })) wrong += 1;
      }
    }
    expect(wrong).toBe(0);
  });

  it('has the consistency proofs of the RFC, and they verify', { tags: 'thorough' }, () => {
    let wrong = 0;
    for (const to of sizes) {
      const toRoot = tree.roots[to]!;
      for (let from = 1; from <= to; from += 1) {
        const proof = consistencyRanges(from, to).map(tree.hashOf);
        if (differ(proof, plain.subproof(from, to, true))) wrong += 1;
        if (!verifyConsistency({ from, to, fromRoot: tree.roots[from]!, toRoot, proof })) wrong += 1;
      }
    }
    expect(wrong).toBe(0);
  });

  it('has no inclusion proof that still verifies when a field of it is changed', () => {
    const accepted: string[] = [];
    for (const n of [1, 2, 3, 7, 8, 64, 100, 255, 300]) {
      for (const index of new Set([0, 1, n >> 1, n - 2, n - 1].filter((at) => at >= 0 && at < n))) {
        const good: InclusionProof = {
          index,
          size: n,
          leafHash: tree.kept.get(2 * index)!,
          root: tree.roots[n]!,
          proof: inclusionRanges(index, n).map(tree.hashOf),
        };
        expect(verifyInclusion(good)).toBe(true);
        const strangers = [good.root, good.leafHash, new Uint8Array(32), new Uint8Array(31)];
        const changed = [
          ...variants(good, 'index', [index + 1, index - 1, index ^ 1, index + n, index + 0.5, Number.NaN]),
          ...variants(good, 'leafHash', [...bitFlips(good.leafHash), good.leafHash.slice(1)]),
          ...variants(good, 'root', [...bitFlips(good.root), new Uint8Array()]),
          ...variants(good, 'proof', otherLists(good.proof, strangers)),
          // Another size can have a path of the same form; it never has the same root, which a checkpoint says with the size.
          ...wrongSizes(n).map((other) => resized(good, 'size', 'root', other)),
        ];
        for (const [at, proof] of changed.entries())
          if (verifyInclusion(proof)) accepted.push(`${index} of ${n}, change ${at}`);
      }
    }
    expect(accepted).toEqual([]);
  });

  it('has no consistency proof that still verifies when a field of it is changed', () => {
    const accepted: string[] = [];
    for (const to of [1, 2, 3, 7, 8, 64, 100, 255, 300]) {
      for (const from of new Set([1, 2, to >> 1, to - 1, to].filter((size1) => size1 >= 1 && size1 <= to))) {
        const good: ConsistencyProof = {
          from,
          to,
          fromRoot: tree.roots[from]!,
          toRoot: tree.roots[to]!,
          proof: consistencyRanges(from, to).map(tree.hashOf),
        };
        expect(verifyConsistency(good)).toBe(true);
        const strangers = [good.fromRoot, good.toRoot, new Uint8Array(32), new Uint8Array(33)];
        const changed = [
          ...wrongSizes(from).map((other) => resized(good, 'from', 'fromRoot', other)),
          ...wrongSizes(to).map((other) => resized(good, 'to', 'toRoot', other)),
          ...variants(good, 'fromRoot', [...bitFlips(good.fromRoot), good.fromRoot.slice(1), new Uint8Array()]),
          ...variants(good, 'toRoot', [...bitFlips(good.toRoot), good.toRoot.slice(1), new Uint8Array()]),
          ...variants(good, 'proof', otherLists(good.proof, strangers)),
        ];
        if (from < to) changed.push({ ...good, fromRoot: good.toRoot, toRoot: good.fromRoot });
        for (const [at, proof] of changed.entries())
          if (verifyConsistency(proof)) accepted.push(`${from} to ${to}, change ${at}`);
      }
    }
    expect(accepted).toEqual([]);
  });

  it('proves nothing about the empty one', () => {
    const [none, one] = [tree.roots[0]!, tree.roots[1]!];
    expect(verifyConsistency({ from: 0, to: 1, fromRoot: none, toRoot: one, proof: [] })).toBe(false);
    for (const fromRoot of [none, one])
      expect(verifyConsistency({ from: 0, to: 8, fromRoot, toRoot: tree.roots[8]!, proof: [one] })).toBe(false);
    expect(verifyConsistency({ from: 0, to: 0, fromRoot: none, toRoot: none, proof: [] })).toBe(true);
    expect(verifyConsistency({ from: 0, to: 0, fromRoot: none, toRoot: one, proof: [] })).toBe(false);
    expect(verifyConsistency({ from: 0, to: 0, fromRoot: none, toRoot: none, proof: [one] })).toBe(false);
    // Nothing but the hash of nothing is the root of the empty tree.
    expect(verifyConsistency({ from: 0, to: 0, fromRoot: one, toRoot: one, proof: [] })).toBe(false);
    // What the rest of the check would take: a root as it stands, hashed on with whatever else is sent until that is the other root.
    const forged = [none, one].flatMap((fromRoot) => {
      const toRoot = nodeHash(nodeHash(fromRoot, one), one);
      return [
        { from: 0, to: 1, fromRoot, toRoot: fromRoot, proof: [fromRoot] },
        { from: 0, to: 4, fromRoot, toRoot, proof: [fromRoot, one, one] },
      ];
    });
    expect(forged.filter((proof) => verifyConsistency(proof))).toEqual([]);
    expect(() => consistencyRanges(0, 8)).toThrow(RangeError);
    expect(() => inclusionRanges(8, 8)).toThrow(RangeError);
  });

  it.each([0, 1, 2, 300])('has no root of another length than a hash, with %i leaves', (count) => {
    // Published as sizes-are-equal-zero and sizes-are-equal-one (transparency-dev/merkle), which want 12 bytes to be taken.
    const short = Buffer.from("don't care 1");
    for (const root of [short, new Uint8Array(), new Uint8Array(31), new Uint8Array(33), new Uint8Array(64)]) {
      const ends = { from: count, to: count, proof: [] };
      expect(verifyConsistency({ ...ends, fromRoot: root, toRoot: root })).toBe(false);
      expect(verifyInclusion({ index: 0, size: count, leafHash: root, root, proof: [] })).toBe(false);
    }
  });

  it('takes hashes of 32 bytes alone, and names what has another length', () => {
    const [good, short] = [tree.roots[1]!, tree.roots[1]!.slice(1)];
    expect(() => nodeHash(short, good)).toThrow('left child must have 32 bytes, not 31');
    expect(() => nodeHash(good, short)).toThrow('right child must have 32 bytes, not 31');
    expect(() => rootOf([short])).toThrow('hash of a subtree must have 32 bytes, not 31');
    const frontier: Uint8Array[] = [good];
    expect(() => addLeaf(frontier, 1, short)).toThrow('leaf hash must have 32 bytes, not 31');
    expect(frontier).toEqual([good]);
  });

  it('numbers its subtrees so that each has a number of its own, which stays', () => {
    expect(tree.kept.size).toBe(2 * size - 4);
    for (const number of tree.kept.keys()) expect(subtreeNumber(subtreeOfNumber(number))).toBe(number);
    const huge = { level: 40, index: 2 ** 11 - 1 };
    expect(subtreeOfNumber(subtreeNumber(huge))).toEqual(huge);
  });
});

describe('sizes beyond 32 bits', () => {
  it('are handled without losing bits', () => {
    const size = 2 ** 40 + 3;
    const index = 2 ** 40 + 1;
    const leaf = leafHash(Buffer.from('far'));
    const [sibling, last, left] = [1, 2, 3].map((seed) => leafHash(Uint8Array.of(seed))) as [
      Uint8Array,
      Uint8Array,
      Uint8Array,
    ];
    expect(inclusionRanges(index, size)).toEqual([
      { start: 2 ** 40, end: 2 ** 40 + 1 },
      { start: 2 ** 40 + 2, end: 2 ** 40 + 3 },
      { start: 0, end: 2 ** 40 },
    ]);
    const root = nodeHash(left, nodeHash(nodeHash(sibling, leaf), last));
    const proof = [sibling, last, left];
    expect(verifyInclusion({ index, size, leafHash: leaf, root, proof })).toBe(true);
    expect(verifyInclusion({ index: 1, size, leafHash: leaf, root, proof })).toBe(false);
  });
});
