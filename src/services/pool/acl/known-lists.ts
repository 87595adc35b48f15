import { sha256 } from '../../../crypto/hash.ts';
import { toHex, utf8 } from '../../../crypto/bytes.ts';
import type { Db } from '../../../platform/store/database.ts';
import type { SignedList } from '../../../crypto/formats/access-list/chain.ts';
import { MAX_EVIDENCE, sideLists, sideList } from './evidence.ts';
import { treeOf, type ListTree } from './list-tree.ts';
import { SIGNERS_BYTES } from './signer-digests.ts';
import { activeFrom, listAt } from './store.ts';

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
  const [root, ...rest] = await activeFrom(db, poolId, Math.max(earliest.document.version - 1, 1));
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
  return (await sidesDigests(db, poolId)).lists;
}

/** The same, and one that differs if others signed the same lists. */
export async function sidesDigests(db: Db, poolId: string): Promise<{ lists: string; signers: string }> {
  const rows = await db.selectFrom('pool_evidence').select(['hash', 'signers']).where('pool_id', '=', poolId).execute();
  return {
    lists: digestOf(rows.map(({ hash }) => hash)),
    signers: digestOf(rows.map(({ signers }) => signers)).slice(0, 2 * SIGNERS_BYTES),
  };
}

function digestOf(hashes: readonly string[]): string {
  return toHex(sha256(utf8(hashes.toSorted().join('\n'))));
}

/**
 * Whether a node that follows a list, and knows lists beside those it follows with this digest, knows exactly what this node knows. Two nodes
 * that follow different branches have different lists beside those, and still nothing to tell each other.
 */
export async function knowsTheSame(
  db: Db,
  poolId: string,
  { hash, beside }: { readonly hash: string; readonly beside: string },
): Promise<boolean> {
  const sides = await sideLists(db, poolId);
  const byHash = new Map(sides.map((list) => [list.hash, list]));
  const theirs = new Set<string>();
  let common = hash;
  for (let list = byHash.get(common); list !== undefined; list = byHash.get(common)) {
    theirs.add(common);
    common = list.document.prev ?? '';
  }
  const fork = await db
    .selectFrom('pool_lists')
    .select('version')
    .where('pool_id', '=', poolId)
    .where('hash', '=', common)
    .executeTakeFirst();
  if (fork === undefined) return false;
  const ours = await db
    .selectFrom('pool_lists')
    .select(['version', 'hash'])
    .where('pool_id', '=', poolId)
    .where('version', '>', fork.version)
    .orderBy('version')
    .limit(MAX_EVIDENCE)
    .execute();
  const others = sides.filter((list) => !theirs.has(list.hash));
  const kept = [...ours, ...others.map((list) => ({ version: list.document.version, hash: list.hash }))]
    .toSorted((one, other) => one.version - other.version || (one.hash < other.hash ? -1 : 1))
    .slice(0, MAX_EVIDENCE);
  return digestOf(kept.map((one) => one.hash)) === beside;
}

/** Hashes of the newest lists beside the active ones: where another node follows one of them, only what comes after it is new. */
export async function newestSides(db: Db, poolId: string, most: number): Promise<string[]> {
  const rows = await db
    .selectFrom('pool_evidence')
    .select('hash')
    .where('pool_id', '=', poolId)
    .orderBy('version', 'desc')
    .orderBy('hash')
    .limit(most)
    .execute();
  return rows.map(({ hash }) => hash);
}
