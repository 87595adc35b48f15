import { bitsOf, FILTER, setBit } from '../../../crypto/bloom-filter.ts';
import { HASH_LENGTH, leafHash, nodeHash } from '../../../crypto/merkle.ts';

/**
 * The Merkle tree over the chunks of a filter, as it is stored: a row is a part of it that is five levels high. Row `number` of level 0
 * has chunks, and of a higher level the roots of rows of the level below. One access changes 30 chunks, and so some 60 rows of a filter
 * of any size. The number of chunks is a power of two, so all parts are complete.
 */
export const WIDTH = 32;
const NODE_BYTES = WIDTH * HASH_LENGTH;
export const NODE_BITS = NODE_BYTES * 8;

export interface FilterNode {
  readonly level: number;
  readonly number: number;
  /** 32 bytes each: chunks at level 0, hashes above */
  readonly children: Uint8Array;
}

/** How many rows stand above each other. */
export function levelsOf(bits: number): number {
  let levels = 1;
  for (let rows = bits / NODE_BITS; rows > 1; rows = Math.ceil(rows / WIDTH)) levels += 1;
  return levels;
}

export function nodeRoot({ level, children }: Pick<FilterNode, 'level' | 'children'>): Uint8Array {
  let hashes = hashesIn(level, children);
  while (hashes.length > 1) hashes = parents(hashes);
  return hashes[0] ?? new Uint8Array();
}

/** The hashes that lead from a child of a row to its root, from below. */
export function pathIn({ level, children }: Pick<FilterNode, 'level' | 'children'>, place: number): Uint8Array[] {
  const path: Uint8Array[] = [];
  let at = place;
  for (let hashes = hashesIn(level, children); hashes.length > 1; hashes = parents(hashes)) {
    const sibling = hashes[at % 2 === 0 ? at + 1 : at - 1];
    if (sibling !== undefined) path.push(sibling);
    at = Math.floor(at / 2);
  }
  return path;
}

function hashesIn(level: number, children: Uint8Array): Uint8Array[] {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < children.length; at += HASH_LENGTH) {
    const part = children.subarray(at, at + HASH_LENGTH);
    parts.push(level === 0 ? leafHash(part) : part);
  }
  return parts;
}

function parents(hashes: readonly Uint8Array[]): Uint8Array[] {
  const above: Uint8Array[] = [];
  for (let at = 0; at + 1 < hashes.length; at += 2)
    above.push(nodeHash(hashes[at] as Uint8Array, hashes[at + 1] as Uint8Array));
  return above;
}

/** A whole filter: the children of all rows of a level in one piece. */
export interface BuiltFilter {
  readonly levels: readonly Uint8Array<ArrayBuffer>[];
  readonly root: Uint8Array;
}

/** @param tags 32 bytes each, in one piece */
export function buildFilter(tags: Uint8Array, salt: Uint8Array, bits: number): BuiltFilter {
  const filter = new Uint8Array(bits / 8);
  for (let at = 0; at < tags.length; at += FILTER.tagBytes)
    for (const bit of bitsOf(tags.subarray(at, at + FILTER.tagBytes), salt, bits)) setBit(filter, bit);
  const levels = [filter];
  for (let below = filter; ; levels.push(below)) {
    const nodes = [...nodesIn(levels.length - 1, below)];
    const roots = new Uint8Array(nodes.length * HASH_LENGTH);
    for (const node of nodes) roots.set(nodeRoot(node), node.number * HASH_LENGTH);
    if (nodes.length === 1) return { levels, root: roots };
    below = roots;
  }
}

/** The rows of one level. */
export function* nodesIn(level: number, children: Uint8Array): Generator<FilterNode> {
  for (let at = 0; at < children.length; at += NODE_BYTES)
    yield { level, number: at / NODE_BYTES, children: children.subarray(at, at + NODE_BYTES) };
}
