import { assertInteger, assertLength, plain, readUint32, uint32, utf8 } from './bytes.ts';
import { hmacSha256 } from './hash.ts';

/**
 * A pseudorandom function that can forget single values: the tree of Goldreich, Goldwasser and Micali (1986), punctured as by Boneh and
 * Waters (2013). Every value is derived from one seed along the way from the root of a binary tree to a leaf. To forget a value, the seeds
 * on its way are replaced by those beside the way. From these every other value can be derived, and not this one.
 *
 * Each step is HKDF-Expand (RFC 5869, 2.3) with SHA-256 and one block of output. Seeds that are not needed any more are filled with zeros
 * where they can be reached. JavaScript gives no guarantee: the engine, OpenSSL and swapped memory may keep copies.
 */

/** Levels below the root, so there are 2^40 slots. */
const DEPTH = 40;
const SLOTS = 2 ** DEPTH;
const SEED_BYTES = 32;
/** The counter of the first block of HKDF-Expand. */
const FIRST_BLOCK = Uint8Array.of(1);
const infos = {
  lower: utf8('conclave/puncturable-prf/v1/0'),
  upper: utf8('conclave/puncturable-prf/v1/1'),
  // Distinct from the steps, so that no value is a seed.
  value: utf8('conclave/puncturable-prf/v1/value'),
};

/** `"GGM" 0x01 | count 4 | for each node: first 5, depth 1, seed 32`, numbers big-endian */
const MAGIC = Uint8Array.of(0x47, 0x47, 0x4d, 1);
const HEAD_BYTES = MAGIC.length + 4;
const NODE_BYTES = 5 + 1 + SEED_BYTES;

/** A seed, and the slots whose values it gives: 2^(40 - depth) of them from `first` on. */
export interface CoverNode {
  readonly first: number;
  /** levels below the root, 0 to 40 */
  readonly depth: number;
  /** 32 bytes */
  readonly seed: Uint8Array;
}

/** The seeds from which the values can be derived that were not forgotten, in the order of their slots. */
export type Cover = readonly CoverNode[];

/** @param seed 32 random bytes; they are copied. @throws CryptoError */
export function wholeTree(seed: Uint8Array): Cover {
  assertLength('seed', seed, SEED_BYTES);
  return [{ first: 0, depth: 0, seed: plain(seed) }];
}

/** @param slot 0 to 2^40 - 1. @returns 32 bytes; undefined if the value was forgotten. @throws CryptoError */
export function valueAt(cover: Cover, slot: number): Uint8Array | undefined {
  assertSlot(slot);
  const node = nodeOf(cover, slot);
  if (node === undefined) return undefined;
  return replaced(descend(node, slot, DEPTH).seed, infos.value);
}

/** The node of a depth, below a node, on the way to a slot. */
function descend(node: CoverNode, slot: number, depth: number): CoverNode {
  let { first } = node;
  let seed = plain(node.seed);
  for (let level = node.depth + 1; level <= depth; level += 1) {
    const isUpper = slot >= first + widthOf(level);
    if (isUpper) first += widthOf(level);
    seed = replaced(seed, isUpper ? infos.upper : infos.lower);
  }
  return { first, depth, seed };
}

/**
 * The seed of the slots around one: those of a block of 2^`levels`, or fewer where some of the block were forgotten. It gives their values
 * with fewer steps than the whole cover.
 *
 * @param levels 0 to 40. @returns a seed of its own; undefined if the slot's value was forgotten. @throws CryptoError
 */
export function around(cover: Cover, slot: number, levels: number): CoverNode | undefined {
  assertSlot(slot);
  assertInteger('levels', levels, 0, DEPTH);
  const node = nodeOf(cover, slot);
  return node && descend(node, slot, Math.max(node.depth, DEPTH - levels));
}

/** Whether the slot still has a value, without deriving it. @param slot 0 to 2^40 - 1. @throws CryptoError */
export function hasValue(cover: Cover, slot: number): boolean {
  assertSlot(slot);
  return nodeOf(cover, slot) !== undefined;
}

/**
 * Forgets the values of some slots. What was forgotten before stays forgotten. The same slots give the same cover in any order.
 *
 * @param slots in any order, each 0 to 2^40 - 1
 * @returns seeds of its own, so that the old ones can be wiped
 * @throws CryptoError
 */
export function puncture(cover: Cover, slots: readonly number[]): Cover {
  for (const slot of slots) assertSlot(slot);
  const sorted = [...new Set(slots)].sort((one, other) => one - other);
  const remaining: CoverNode[] = [];
  let next = 0;
  for (const { first, depth, seed } of cover) {
    const from = firstFrom(sorted, first, next);
    next = firstFrom(sorted, first + widthOf(depth), from);
    split({ first, depth, seed: plain(seed) }, sorted, from, next, remaining);
  }
  return remaining;
}

/** Fills the seeds with zeros. The cover must not be used afterwards: it would give wrong values. */
export function wipe(cover: Cover): void {
  for (const { seed } of cover) seed.fill(0);
}

/** @returns 8 bytes and 38 for each seed */
export function encodeCover(cover: Cover): Uint8Array {
  const bytes = new Uint8Array(HEAD_BYTES + cover.length * NODE_BYTES);
  bytes.set(MAGIC);
  bytes.set(uint32(cover.length), MAGIC.length);
  let at = HEAD_BYTES;
  for (const { first, depth, seed } of cover) {
    assertLength('seed', seed, SEED_BYTES);
    bytes[at] = Math.floor(first / 2 ** 32);
    bytes.set(uint32(first % 2 ** 32), at + 1);
    bytes[at + 5] = depth;
    bytes.set(seed, at + 6);
    at += NODE_BYTES;
  }
  return bytes;
}

/** @returns seeds of its own; undefined unless the bytes are what `encodeCover` made of a cover */
export function decodeCover(bytes: Uint8Array): Cover | undefined {
  assertLength('cover', bytes);
  if (bytes.length < HEAD_BYTES || MAGIC.some((byte, at) => bytes[at] !== byte)) return undefined;
  if (bytes.length !== HEAD_BYTES + readUint32(bytes, MAGIC.length) * NODE_BYTES) return undefined;
  const cover: CoverNode[] = [];
  for (let at = HEAD_BYTES; at < bytes.length; at += NODE_BYTES) {
    const first = (bytes[at] ?? 0) * 2 ** 32 + readUint32(bytes, at + 1);
    const depth = bytes[at + 5] ?? 0;
    const node = { first, depth, seed: plain(bytes.subarray(at + 6, at + NODE_BYTES)) };
    if (!mayFollow(cover.at(-1), node)) return undefined;
    cover.push(node);
  }
  return cover;
}

/** Whether the node is one of the tree, behind the other one, and not its sibling: puncturing never leaves both. */
function mayFollow(before: CoverNode | undefined, { first, depth }: CoverNode): boolean {
  if (depth > DEPTH || first % widthOf(depth) !== 0) return false;
  if (before === undefined) return true;
  const end = before.first + widthOf(before.depth);
  const areSiblings = before.depth === depth && first === end && before.first % (2 * widthOf(depth)) === 0;
  return first >= end && !areSiblings;
}

/** Adds what remains of a node without the slots from `from` to before `to`. It wipes the seed unless it adds it. */
function split(node: CoverNode, slots: readonly number[], from: number, to: number, remaining: CoverNode[]): void {
  if (from === to) {
    remaining.push(node);
    return;
  }
  if (node.depth < DEPTH) {
    const depth = node.depth + 1;
    const middle = node.first + widthOf(depth);
    const upperFrom = firstFrom(slots, middle, from);
    split({ first: node.first, depth, seed: expand(node.seed, infos.lower) }, slots, from, upperFrom, remaining);
    split({ first: middle, depth, seed: expand(node.seed, infos.upper) }, slots, upperFrom, to, remaining);
  }
  node.seed.fill(0);
}

/** The index, at least `start`, of the first slot that is `least` or more. */
function firstFrom(sorted: readonly number[], least: number, start: number): number {
  let at = start;
  while (at < sorted.length && (sorted[at] ?? least) < least) at += 1;
  return at;
}

/** The node that gives the value of a slot, by halving. */
function nodeOf(cover: Cover, slot: number): CoverNode | undefined {
  let [low, high] = [0, cover.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((cover[middle]?.first ?? 0) <= slot) low = middle + 1;
    else high = middle;
  }
  const node = cover[low - 1];
  return node !== undefined && slot < node.first + widthOf(node.depth) ? node : undefined;
}

/** How many slots a node of this depth has. */
function widthOf(depth: number): number {
  return 2 ** (DEPTH - depth);
}

function assertSlot(slot: number): void {
  assertInteger('slot', slot, 0, SLOTS - 1);
}

/** The next seed or the value. The seed is wiped. */
function replaced(seed: Uint8Array, info: Uint8Array): Uint8Array {
  const next = expand(seed, info);
  seed.fill(0);
  return next;
}

/** HKDF-Expand for 32 bytes: T(1) = HMAC-Hash(PRK, info | 0x01). */
function expand(seed: Uint8Array, info: Uint8Array): Uint8Array {
  return hmacSha256(seed, info, FIRST_BLOCK);
}
