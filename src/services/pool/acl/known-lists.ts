import { sha256 } from '../../../crypto/hash.ts';
import { toHex, utf8 } from '../../../crypto/bytes.ts';
import type { Db } from '../../../store/database.ts';
import type { SignedList } from './chain.ts';
import { sideLists, sideList } from './evidence.ts';
import { treeOf, type ListTree } from './list-tree.ts';
import { listAt, listsFrom, storedList } from './store.ts';

/** The lists that this node knows, from the earliest fork on, and those of them that it follows. */
export interface KnownLists {
  readonly tree: ListTree;
  /** the active lists from the root of the tree to the active one */
  readonly path: readonly [SignedList, ...SignedList[]];
  /** forks that an administrator of this node decided: hash of a list to the hash of the one that follows */
  readonly adopted: ReadonlyMap<string, string>;
}

/** @returns undefined if this node knows no list beside the active ones */
export async function knownLists(db: Db, poolId: string): Promise<KnownLists | undefined> {
  const sides = await sideLists(db, poolId);
  const [earliest] = sides;
  if (earliest === undefined) return undefined;
  const rows = await listsFrom(db, poolId, Math.max(earliest.document.version - 1, 1), Number.POSITIVE_INFINITY);
  const [root, ...rest] = rows.map(storedList);
  if (root === undefined) return undefined;
  const decided = await db.selectFrom('pool_resolutions').selectAll().where('pool_id', '=', poolId).execute();
  return {
    tree: treeOf(root, [...rest, ...sides]),
    path: [root, ...rest],
    adopted: new Map(decided.map((row) => [row.after_hash, row.adopted])),
  };
}

/** A list of the pool that this node knows, whether it is active or not. */
export async function knownList(
  db: Db,
  poolId: string,
  version: number,
  hash: string | null,
): Promise<SignedList | undefined> {
  if (hash === null) return undefined;
  const active = await listAt(db, poolId, version);
  return active?.hash === hash ? active : await sideList(db, poolId, hash);
}

/** Two nodes that know the same lists beside the active ones have the same digest of them. */
export async function sidesDigest(db: Db, poolId: string): Promise<string> {
  const rows = await db
    .selectFrom('pool_evidence')
    .select('hash')
    .where('pool_id', '=', poolId)
    .orderBy('hash')
    .execute();
  return toHex(sha256(utf8(rows.map(({ hash }) => hash).join('\n'))));
}
