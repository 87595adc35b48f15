import type { Context } from '../../../service/context.ts';
import { bitsOf, FILTER, isSet, setBit, type FilterWitness } from '../../../crypto/bloom-filter.ts';
import { toHex } from '../../../crypto/bytes.ts';
import { HASH_LENGTH, leafHash, rootOfInclusion } from '../../../crypto/merkle.ts';
import type { FileFilterRow } from '../../../platform/store/tables/file-proofs.ts';
import {
  levelsOf,
  NODE_BITS,
  nodeRoot,
  nodesIn,
  pathIn,
  WIDTH,
  type BuiltFilter,
  type FilterNode,
} from './filter-tree.ts';

/** The stored rows of filters: changed for a few accesses, read for a proof, or replaced as a whole. */

const CHUNKS = NODE_BITS / FILTER.chunkBits;
/** Rows of one statement. */
const AT_ONCE = 100;
/** Bits of a file that are looked at together. */
const FIRST_BITS = 5;

type Rows = Pick<Context, 'db'>;

async function readNodes({ db }: Rows, containerId: string, level: number, numbers: readonly number[]) {
  const found = new Map<number, Uint8Array>();
  for (let at = 0; at < numbers.length; at += AT_ONCE) {
    const rows = await db
      .selectFrom('file_filter_nodes')
      .select(['number', 'children'])
      .where('container_id', '=', containerId)
      .where('level', '=', level)
      .where('number', 'in', numbers.slice(at, at + AT_ONCE))
      .execute();
    for (const { number, children } of rows) found.set(number, children);
  }
  return found;
}

async function writeNodes({ db }: Rows, containerId: string, nodes: readonly FilterNode[]): Promise<void> {
  for (let at = 0; at < nodes.length; at += AT_ONCE)
    await db
      .insertInto('file_filter_nodes')
      .values(
        nodes
          .slice(at, at + AT_ONCE)
          .map(({ level, number, children }) => ({ container_id: containerId, level, number, children })),
      )
      .onConflict((conflict) =>
        conflict
          .columns(['container_id', 'level', 'number'])
          .doUpdateSet((e) => ({ children: e.ref('excluded.children') })),
      )
      .execute();
}

/**
 * Adds tags to a filter: the chunks that they touch, and what is above these.
 * @returns the new root, hex; undefined if rows are missing
 */
export async function addTags(
  tx: Rows,
  { container_id, salt, bits }: FileFilterRow,
  tags: readonly Uint8Array[],
): Promise<string | undefined> {
  const changes = new Map<number, ((children: Uint8Array) => void)[]>();
  const change = (number: number, apply: (children: Uint8Array) => void): void => {
    const known = changes.get(number);
    if (known === undefined) changes.set(number, [apply]);
    else known.push(apply);
  };
  for (const tag of tags)
    for (const bit of bitsOf(tag, salt, bits))
      change(Math.floor(bit / NODE_BITS), (children) => setBit(children, bit % NODE_BITS));
  const top = levelsOf(bits) - 1;
  for (let level = 0; ; level += 1) {
    const rows = await readNodes(tx, container_id, level, [...changes.keys()]);
    const changed: FilterNode[] = [];
    for (const [number, applied] of changes) {
      const children = Uint8Array.from(rows.get(number) ?? []);
      if (children.length === 0) return undefined;
      for (const apply of applied) apply(children);
      changed.push({ level, number, children });
    }
    await writeNodes(tx, container_id, changed);
    changes.clear();
    for (const node of changed) {
      const root = nodeRoot(node);
      if (level === top) return toHex(root);
      change(Math.floor(node.number / WIDTH), (children) => children.set(root, (node.number % WIDTH) * HASH_LENGTH));
    }
  }
}

/** What shows that a tag is not in a filter. */
export interface Absence {
  readonly witness: FilterWitness;
  /** from the chunk to the root */
  readonly path: readonly Uint8Array[];
}

/** @returns undefined if no bit of the tag is 0, or if the rows are not those of the root: then the filter has to be built anew */
export async function proveAbsence(tx: Rows, row: FileFilterRow, tag: Uint8Array): Promise<Absence | undefined> {
  const { container_id, salt, bits, root } = row;
  const places = bitsOf(tag, salt, bits);
  const chunks = new Map<number, Uint8Array>();
  const isZero = (bit: number): boolean => {
    const children = chunks.get(Math.floor(bit / NODE_BITS));
    return children !== undefined && !isSet(children, bit % NODE_BITS);
  };
  let j = -1;
  // At most every second bit of a filter is set, so the first few nearly always have one that is not.
  for (let from = 0; j === -1 && from < places.length; from += FIRST_BITS) {
    const numbers = places.slice(from, from + FIRST_BITS).map((bit) => Math.floor(bit / NODE_BITS));
    const rows = await readNodes(tx, container_id, 0, [...new Set(numbers)]);
    for (const [number, children] of rows) chunks.set(number, children);
    j = places.findIndex(isZero);
  }
  const bit = places[j];
  if (bit === undefined) return undefined;
  const chunkIndex = Math.floor(bit / FILTER.chunkBits);
  const path: Uint8Array[] = [];
  let place = chunkIndex;
  for (let level = 0; level < levelsOf(bits); level += 1) {
    const number = Math.floor(place / WIDTH);
    const rows = level === 0 ? chunks : await readNodes(tx, container_id, level, [number]);
    path.push(...pathIn({ level, children: rows.get(number) ?? new Uint8Array() }, place % WIDTH));
    place = number;
  }
  const children = chunks.get(Math.floor(bit / NODE_BITS)) ?? new Uint8Array();
  const chunk = children.slice(
    (chunkIndex % CHUNKS) * FILTER.chunkBytes,
    ((chunkIndex % CHUNKS) + 1) * FILTER.chunkBytes,
  );
  const size = bits / FILTER.chunkBits;
  const leads = rootOfInclusion({ index: chunkIndex, size, leafHash: leafHash(chunk), proof: path });
  if (leads === undefined || toHex(leads) !== root) return undefined;
  return { witness: { hashes: FILTER.hashes, bits, salt, j, bit, chunkIndex, chunk }, path };
}

/** Puts a filter in the place of the one that is stored. */
export async function replaceFilter(tx: Rows, row: FileFilterRow, { levels }: BuiltFilter): Promise<void> {
  const { container_id, ...values } = row;
  await tx.db.deleteFrom('file_filter_nodes').where('container_id', '=', container_id).execute();
  for (const [level, children] of levels.entries()) await writeNodes(tx, container_id, [...nodesIn(level, children)]);
  await tx.db
    .insertInto('file_filters')
    .values(row)
    .onConflict((conflict) => conflict.column('container_id').doUpdateSet(values))
    .execute();
}
