import { hash } from 'node:crypto';
import { assertLength, plain } from './bytes.ts';

/**
 * The tree of RFC 6962, 2.1: SHA-256, leaves prefixed with 0x00 and nodes with 0x01, split at the largest power of two below the
 * size. Sizes and indices are integers up to 2^52, so this code must not use the 32-bit operators.
 */

export const HASH_LENGTH = 32;
const LARGEST_SIZE = 2 ** 52;

const leafPrefix = Uint8Array.of(0);

/** Hash of a leaf: 32 bytes. */
export function leafHash(data: Uint8Array): Uint8Array {
  return digest(Buffer.concat([leafPrefix, data]));
}

/** Hash of a node over its two children, 32 bytes each: 32 bytes. @throws CryptoError for other lengths */
export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  // Unnoticed, a shorter child would be filled up with zeros, and two trees would have one root.
  assertLength('left child', left, HASH_LENGTH);
  assertLength('right child', right, HASH_LENGTH);
  const both = new Uint8Array(1 + 2 * HASH_LENGTH);
  both[0] = 1;
  both.set(left, 1);
  both.set(right, 1 + HASH_LENGTH);
  return digest(both);
}

/** The root of the empty tree: SHA-256 of the empty string. */
export function emptyRoot(): Uint8Array {
  return digest(new Uint8Array());
}

/** A complete subtree: 2^level leaves, beginning at leaf `index` · 2^level. */
export interface Subtree {
  readonly level: number;
  readonly index: number;
}

/** A range of leaves; `end` is exclusive. */
export interface LeafRange {
  readonly start: number;
  readonly end: number;
}

export interface HashedSubtree extends Subtree {
  readonly hash: Uint8Array;
}

/** The in-order number of a complete subtree. Leaves have even numbers, and a number never changes when the tree grows. */
export function subtreeNumber({ level, index }: Subtree): number {
  return (2 * index + 1) * 2 ** level - 1;
}

/** The complete subtree with an in-order number. */
export function subtreeOfNumber(number: number): Subtree {
  let level = 0;
  let rest = number + 1;
  while (rest % 2 === 0) {
    rest /= 2;
    level += 1;
  }
  return { level, index: (rest - 1) / 2 };
}

export function leavesOf({ level, index }: Subtree): LeafRange {
  return { start: index * 2 ** level, end: (index + 1) * 2 ** level };
}

/**
 * The complete subtrees that cover the leaves of a range, largest first. The range must be a part into which the tree itself splits: it
 * starts at a multiple of the smallest power of two that is at least its length.
 */
export function subtreesOf({ start, end }: LeafRange): Subtree[] {
  const subtrees: Subtree[] = [];
  for (let from = start; from < end;) {
    let level = 0;
    while (2 ** (level + 1) <= end - from) level += 1;
    subtrees.push({ level, index: from / 2 ** level });
    from += 2 ** level;
  }
  return subtrees;
}

/**
 * The root over complete subtrees, which are given largest first. An empty list gives the root of the empty tree.
 * @throws CryptoError when a hash has other than 32 bytes
 */
export function rootOf(hashes: readonly Uint8Array[]): Uint8Array {
  for (const hashed of hashes) assertLength('hash of a subtree', hashed, HASH_LENGTH);
  const root = hashes.reduceRight<Uint8Array | undefined>(
    (right, left) => (right === undefined ? left : nodeHash(left, right)),
    undefined,
  );
  return root ?? emptyRoot();
}

/** The root of the tree over all its leaves, which are hashes of 32 bytes. */
export function rootOfLeaves(leaves: Iterable<Uint8Array>): Uint8Array {
  const frontier: Uint8Array[] = [];
  let size = 0;
  for (const leaf of leaves) {
    addLeaf(frontier, size, leaf);
    size += 1;
  }
  return rootOf(frontier);
}

/**
 * Adds a leaf to a tree of `size` leaves.
 *
 * @param frontier hashes of the complete subtrees that cover the tree, largest first; it is changed to the frontier of the larger tree
 * @param leaf hash of the leaf, 32 bytes
 * @returns the subtrees of two leaves or more that became complete, smallest first
 * @throws CryptoError when the leaf has another length; the frontier is then unchanged
 */
export function addLeaf(frontier: Uint8Array[], size: number, leaf: Uint8Array): HashedSubtree[] {
  assertLength('leaf hash', leaf, HASH_LENGTH);
  const completed: HashedSubtree[] = [];
  let hashed = leaf;
  let index = size;
  for (let level = 1; index % 2 === 1; level += 1) {
    const left = frontier.pop();
    if (left === undefined) throw new RangeError('the frontier does not cover the tree');
    hashed = nodeHash(left, hashed);
    index = (index - 1) / 2;
    completed.push({ level, index, hash: hashed });
  }
  frontier.push(hashed);
  return completed;
}

/** The ranges whose hashes prove that a leaf is in a tree (RFC 6962, 2.1.1), from the leaf upwards. */
export function inclusionRanges(index: number, size: number): LeafRange[] {
  assertSizes(index + 1, size);
  const ranges: LeafRange[] = [];
  let [start, end] = [0, size];
  while (end - start > 1) {
    const middle = start + split(end - start);
    if (index < middle) {
      ranges.push({ start: middle, end });
      end = middle;
    } else {
      ranges.push({ start, end: middle });
      start = middle;
    }
  }
  return ranges.reverse();
}

/** The ranges whose hashes prove that a tree of `from` leaves is the beginning of a tree of `to` leaves (RFC 6962, 2.1.2). */
export function consistencyRanges(from: number, to: number): LeafRange[] {
  assertSizes(from, to);
  const ranges: LeafRange[] = [];
  let [start, end] = [0, to];
  while (from < end) {
    const middle = start + split(end - start);
    if (from <= middle) {
      ranges.push({ start: middle, end });
      end = middle;
    } else {
      ranges.push({ start, end: middle });
      start = middle;
    }
  }
  // The remaining range is the last part of the smaller tree. If it is the whole smaller tree, the verifier already has its root.
  if (start > 0) ranges.push({ start, end });
  return ranges.reverse();
}

export interface InclusionProof {
  readonly index: number;
  readonly size: number;
  readonly leafHash: Uint8Array;
  readonly root: Uint8Array;
  /** from the leaf upwards */
  readonly proof: readonly Uint8Array[];
}

/** Verifies an inclusion proof (RFC 9162, 2.1.3.2). Malformed input gives false; it never throws. */
export function verifyInclusion({ root, ...proven }: InclusionProof): boolean {
  const found = isHash(root) ? rootOfInclusion(proven) : undefined;
  return found !== undefined && equal(found, root);
}

/** The root that an inclusion proof leads to; undefined for malformed input. It never throws. */
export function rootOfInclusion({
  index,
  size,
  leafHash: leaf,
  proof,
}: Omit<InclusionProof, 'root'>): Uint8Array | undefined {
  if (!isSize(size) || !Number.isSafeInteger(index) || index < 0 || index >= size) return undefined;
  if (![leaf, ...proof].every(isHash)) return undefined;
  let [at, last] = [index, size - 1];
  let hashed = leaf;
  for (const part of proof) {
    if (last === 0) return undefined;
    if (isOdd(at) || at === last) {
      hashed = nodeHash(part, hashed);
      [at, last] = skipMissing(at, last);
    } else {
      hashed = nodeHash(hashed, part);
    }
    [at, last] = [half(at), half(last)];
  }
  return last === 0 ? hashed : undefined;
}

export interface ConsistencyProof {
  readonly from: number;
  readonly to: number;
  readonly fromRoot: Uint8Array;
  readonly toRoot: Uint8Array;
  readonly proof: readonly Uint8Array[];
}

/**
 * Verifies a consistency proof (RFC 9162, 2.1.4.2). Malformed input gives false; it never throws. Every tree continues the empty tree,
 * so a proof from it would show nothing: `from` = 0 with a larger `to` gives false.
 */
export function verifyConsistency({ from, to, fromRoot, toRoot, proof }: ConsistencyProof): boolean {
  if (!isSize(from) || !isSize(to) || from > to) return false;
  // The published vectors for equal sizes take any bytes as a root. A root that is no hash is refused here, whatever it is compared with.
  if (![fromRoot, toRoot, ...proof].every(isHash)) return false;
  if (from === to) return proof.length === 0 && equal(fromRoot, toRoot) && (from > 0 || equal(fromRoot, emptyRoot()));
  if (from === 0) return false;
  // If the smaller tree is complete, its root is a node of the larger tree, so the proof does not contain it.
  const [first, ...rest] = isPowerOfTwo(from) ? [fromRoot, ...proof] : proof;
  if (first === undefined || proof.length === 0) return false;
  let [at, last] = [from - 1, to - 1];
  while (isOdd(at)) [at, last] = [half(at), half(last)];
  let [small, large] = [first, first];
  for (const part of rest) {
    if (last === 0) return false;
    if (isOdd(at) || at === last) {
      small = nodeHash(part, small);
      large = nodeHash(part, large);
      [at, last] = skipMissing(at, last);
    } else {
      large = nodeHash(large, part);
    }
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && equal(small, fromRoot) && equal(large, toRoot);
}

/** Skips the levels at which the last node has no sibling and moves up unchanged. */
function skipMissing(at: number, last: number): [number, number] {
  let [here, end] = [at, last];
  while (!isOdd(here) && here !== 0) [here, end] = [half(here), half(end)];
  return [here, end];
}

/** The largest power of two below `size`, which is at least 2. */
function split(size: number): number {
  let power = 1;
  while (power * 2 < size) power *= 2;
  return power;
}

function assertSizes(smaller: number, larger: number): void {
  if (!isSize(smaller) || !isSize(larger) || smaller < 1 || smaller > larger)
    throw new RangeError('a proof is about 1 to all leaves of a tree');
}

const isSize = (size: number) => Number.isSafeInteger(size) && size >= 0 && size <= LARGEST_SIZE;
const isHash = (bytes: Uint8Array) => bytes instanceof Uint8Array && bytes.length === HASH_LENGTH;
const isOdd = (value: number) => value % 2 === 1;
const half = (value: number) => Math.floor(value / 2);
const isPowerOfTwo = (value: number) => Number.isInteger(Math.log2(value)) && 2 ** Math.log2(value) === value;

/** A comparison that is not constant-time: a ledger's tree has no secrets. */
function equal(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

function digest(bytes: Uint8Array): Uint8Array {
  return plain(hash('sha256', bytes, 'buffer'));
}
