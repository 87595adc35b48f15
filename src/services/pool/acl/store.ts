import type { Selectable } from 'kysely';
import type { Context } from '../../../service/context.ts';
import { Problem } from '../../../base/problem.ts';
import type { Db } from '../../../platform/store/database.ts';
import type { PoolListRow, PoolStateRow } from '../../../platform/store/tables/pool.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { aclHash, type AclDocument } from '../../../crypto/formats/access-list/document.ts';
import type { AclSignature, SignedList } from '../../../crypto/formats/access-list/chain.ts';
import { nextSigners } from './signer-digests.ts';

const STATE = 1;

const current = writtenQuery<Pick<PoolListRow, 'document' | 'signatures' | 'hash'> & { counting: string }>(`
  select l.document, l.signatures, l.hash, s.hash as counting from pool_state s
  join pool_lists l on l.pool_id = s.pool_id and l.version = s.version where s.id = $1`);

/** The active access list of this node. */
export async function currentList(db: Db): Promise<SignedList | undefined> {
  const [row] = (await db.executeQuery(current(STATE))).rows;
  if (row === undefined) return undefined;
  if (row.hash !== row.counting) throw damaged();
  return storedList(row);
}

const head = writtenQuery<Selectable<PoolStateRow>>('select * from pool_state where id = $1');

/** Pool id and version of the active access list, without the list itself. */
export async function poolHead(db: Db) {
  return (await db.executeQuery(head(STATE))).rows[0];
}

export async function listRow(db: Db, poolId: string, version: number): Promise<PoolListRow | undefined> {
  return await db
    .selectFrom('pool_lists')
    .selectAll()
    .where('pool_id', '=', poolId)
    .where('version', '=', version)
    .executeTakeFirst();
}

export async function listAt(db: Db, poolId: string, version: number): Promise<SignedList | undefined> {
  const row = await listRow(db, poolId, version);
  return row === undefined ? undefined : storedList(row);
}

/** Access lists from a version on: as many as fit into `maxLength` characters, but at least one. */
export async function listsFrom(db: Db, poolId: string, from: number, maxLength: number): Promise<PoolListRow[]> {
  const found: PoolListRow[] = [];
  let length = 0;
  for (let version = from; ; version += 1) {
    const row = await listRow(db, poolId, version);
    if (row === undefined) return found;
    length += row.document.length + row.signatures.length;
    if (found.length > 0 && length > maxLength) return found;
    found.push(row);
  }
}

/** All active access lists from a version on, in one statement. */
export async function activeFrom(db: Db, poolId: string, from: number): Promise<SignedList[]> {
  const rows = await db
    .selectFrom('pool_lists')
    .selectAll()
    .where('pool_id', '=', poolId)
    .where('version', '>=', from)
    .orderBy('version')
    .execute();
  return rows.map(storedList);
}

/** Reads a list from this store. Its content was checked when it came in. Only its hash is checked again. */
export function storedList(row: Pick<PoolListRow, 'document' | 'signatures' | 'hash'>): SignedList {
  if (aclHash(row.document) !== row.hash) throw damaged();
  return {
    document: JSON.parse(row.document) as AclDocument,
    text: row.document,
    hash: row.hash,
    signatures: JSON.parse(row.signatures) as AclSignature[],
  };
}

function damaged(): Problem {
  return new Problem(
    'internal',
    'STORE_DAMAGED',
    'An access list in the store was changed. Restore the store from a backup.',
  );
}

/** Stores a list that will count, or that precedes one. There is one list for each version; a losing list is removed before. */
export async function storeList(
  tx: Context,
  { document, text, hash, signatures }: SignedList,
  source: string,
): Promise<void> {
  await tx.db
    .insertInto('pool_lists')
    .values({
      pool_id: document.poolId,
      version: document.version,
      hash,
      document: text,
      signatures: JSON.stringify(signatures),
      signers: await nextSigners(tx.db, document, hash, signatures),
      accepted_at: tx.clock.now(),
      source,
    })
    .onConflict((conflict) => conflict.columns(['pool_id', 'version']).doNothing())
    .execute();
}

/** Sets the active access list. @param ledgerEntry id of the ledger entry that records it */
export async function setHead(
  db: Db,
  { document: { poolId, version }, hash }: SignedList,
  ledgerEntry: string,
): Promise<void> {
  const state = { pool_id: poolId, version, hash, ledger_entry: ledgerEntry };
  await db
    .insertInto('pool_state')
    .values({ id: STATE, ...state })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(state))
    .execute();
}

/** Removes the lists that lost against another branch. They remain available as evidence. */
export async function dropListsAfter(db: Db, poolId: string, version: number): Promise<void> {
  await db.deleteFrom('pool_lists').where('pool_id', '=', poolId).where('version', '>', version).execute();
}

/** Updates the table of writers to the access list. Only a few rows change, of maybe thousands. */
export async function nameWriters(db: Db, { poolId, version, writers }: AclDocument): Promise<void> {
  const before = await db.selectFrom('pool_writers').selectAll().where('pool_id', '=', poolId).execute();
  const known = new Map(before.map((row) => [row.node_id, row]));
  for (const { nodeId, publicKey, mailDomain, addedAt, addedBy, expiresAt } of writers) {
    const row = {
      public_key: publicKey,
      mail_domain: mailDomain ?? null,
      added_at: Date.parse(addedAt),
      added_by: addedBy,
      expires_at: expiresAt === null ? null : Date.parse(expiresAt),
      removed_version: null,
    };
    const old = known.get(nodeId);
    known.delete(nodeId);
    if (old !== undefined && Object.entries(row).every(([name, value]) => old[name as keyof typeof old] === value))
      continue;
    await db
      .insertInto('pool_writers')
      .values({ pool_id: poolId, node_id: nodeId, ...row })
      .onConflict((conflict) => conflict.columns(['pool_id', 'node_id']).doUpdateSet(row))
      .execute();
  }
  const gone = [...known.values()].filter((row) => row.removed_version === null).map((row) => row.node_id);
  for (const nodeId of gone) {
    await db
      .updateTable('pool_writers')
      .set({ removed_version: version })
      .where('pool_id', '=', poolId)
      .where('node_id', '=', nodeId)
      .execute();
  }
}

/** Notes that this node follows a list after a fork, whatever the rule says. @param by id of the member or node that decided it */
export async function resolveFork(tx: Context, list: SignedList, by: string): Promise<void> {
  const row = {
    pool_id: list.document.poolId,
    after_hash: list.document.prev ?? '',
    adopted: list.hash,
    decided_at: tx.clock.now(),
    decided_by: by,
  };
  await tx.db
    .insertInto('pool_resolutions')
    .values(row)
    .onConflict((conflict) => conflict.columns(['pool_id', 'after_hash']).doUpdateSet(row))
    .execute();
}
