import type { Context } from '../../../service/context.ts';
import type { Db } from '../../../platform/store/database.ts';
import type { PoolEvidenceRow } from '../../../platform/store/tables/pool.ts';
import type { SignedList } from '../../../crypto/formats/access-list/chain.ts';
import { recordDropped, recordKept } from './evidence-record.ts';
import { recordable } from './record-limit.ts';
import { signersDigest } from './signer-digests.ts';
import { storedList } from './store.ts';

/** The most lists of branches that don't count that are kept. */
export const MAX_EVIDENCE = 200;

/** Lists of the pool that this node knows and doesn't follow, by version and hash. */
export async function sideLists(db: Db, poolId: string): Promise<SignedList[]> {
  const rows = await db
    .selectFrom('pool_evidence')
    .selectAll()
    .where('pool_id', '=', poolId)
    .orderBy('version')
    .orderBy('hash')
    .execute();
  return rows.map(storedList);
}

export async function hasSides(db: Db, poolId: string): Promise<boolean> {
  const row = await db.selectFrom('pool_evidence').select('hash').where('pool_id', '=', poolId).limit(1).execute();
  return row.length > 0;
}

export async function sideList(db: Db, poolId: string, hash: string): Promise<SignedList | undefined> {
  const row = await db
    .selectFrom('pool_evidence')
    .selectAll()
    .where('pool_id', '=', poolId)
    .where('hash', '=', hash)
    .executeTakeFirst();
  return row === undefined ? undefined : storedList(row);
}

/** Keeps lists that don't count, each once, and records in the ledger that they are kept. */
export async function keepEvidence(tx: Context, lists: readonly SignedList[], source: string): Promise<void> {
  await recordKept(tx, await insertEvidence(tx, lists, source, 1));
}

/** The same for lists that others made: of what is beyond the limit of a day, the ledger says the day after what is still kept. */
export async function keepOthers(tx: Context, lists: readonly SignedList[], source: string): Promise<void> {
  const kept = await insertEvidence(tx, lists, source, 0);
  const bySigner = new Map<string, Inserted[]>();
  for (const row of kept) bySigner.set(row.signer, [...(bySigner.get(row.signer) ?? []), row]);
  for (const [signer, rows] of bySigner) {
    const [first] = rows;
    if (first === undefined) continue;
    const about = { poolId: first.pool_id, what: 'lists', signers: [signer], wanted: rows.length } as const;
    const recorded = rows.slice(0, await recordable(tx, about));
    if (recorded.length === 0) continue;
    await recordKept(tx, recorded);
    await tx.db
      .updateTable('pool_evidence')
      .set({ recorded: 1 })
      .where('pool_id', '=', first.pool_id)
      .where(
        'hash',
        'in',
        recorded.map(({ hash }) => hash),
      )
      .execute();
  }
}

type Inserted = Pick<PoolEvidenceRow, 'pool_id' | 'version' | 'hash' | 'signatures'> & { readonly signer: string };

/** @returns those that weren't kept before */
async function insertEvidence(
  tx: Context,
  lists: readonly SignedList[],
  source: string,
  recorded: 0 | 1,
): Promise<Inserted[]> {
  const kept: Inserted[] = [];
  for (const { document, hash, text, signatures } of lists) {
    const row = {
      pool_id: document.poolId,
      version: document.version,
      hash,
      document: text,
      signatures: JSON.stringify(signatures),
      signers: signersDigest(hash, signatures),
      found_at: tx.clock.now(),
      source,
      recorded,
    };
    const { numInsertedOrUpdatedRows } = await tx.db
      .insertInto('pool_evidence')
      .values(row)
      .onConflict((conflict) => conflict.columns(['pool_id', 'hash']).doNothing())
      .executeTakeFirstOrThrow();
    const [signer = ''] = signatures.map(({ memberId }) => memberId).toSorted();
    if (numInsertedOrUpdatedRows === 1n) kept.push({ ...row, signer });
  }
  return kept;
}

/** Lists that became active are no evidence any more. */
export async function dropEvidence(tx: Context, lists: readonly SignedList[]): Promise<void> {
  for (const { document, hash } of lists)
    await tx.db.deleteFrom('pool_evidence').where('pool_id', '=', document.poolId).where('hash', '=', hash).execute();
}

/**
 * Keeps the first lists by version and hash, and counts the others by version. Every node keeps the same ones of the same lists, in
 * whatever order they came, and a list is dropped before the list that it follows.
 */
export async function compactEvidence(tx: Context, poolId: string): Promise<void> {
  const over = await tx.db
    .selectFrom('pool_evidence')
    .select(['version', 'hash', 'recorded'])
    .where('pool_id', '=', poolId)
    .orderBy('version')
    .orderBy('hash')
    .offset(MAX_EVIDENCE)
    .limit(1_000_000)
    .execute();
  if (over.length === 0) return;
  const counts = new Map<number, number>();
  for (const { version, hash } of over) {
    await tx.db.deleteFrom('pool_evidence').where('pool_id', '=', poolId).where('hash', '=', hash).execute();
    counts.set(version, (counts.get(version) ?? 0) + 1);
  }
  const named = over.filter(({ recorded }) => recorded === 1);
  await recordDropped(tx, poolId, named);
  for (const [version, lists] of counts) {
    await tx.db
      .insertInto('pool_evidence_dropped')
      .values({ pool_id: poolId, version, lists })
      .onConflict((conflict) =>
        conflict
          .columns(['pool_id', 'version'])
          .doUpdateSet((e) => ({ lists: e('pool_evidence_dropped.lists', '+', lists) })),
      )
      .execute();
  }
  // The others are among those that are only counted today.
  if (named.length === 0) return;
  const versions = [...counts.keys()];
  tx.afterCommit(() =>
    tx.log.warn('access lists that do not count were not kept: there are too many', {
      poolId,
      lists: over.length,
      fromVersion: Math.min(...versions),
      toVersion: Math.max(...versions),
    }),
  );
}

interface DroppedEvidence {
  readonly lists: number;
  readonly fromVersion: number;
  readonly toVersion: number;
}

/** How many lists were not kept, and of which versions. */
export async function droppedEvidence(db: Db, poolId: string): Promise<DroppedEvidence | undefined> {
  const rows = await db
    .selectFrom('pool_evidence_dropped')
    .select(['version', 'lists'])
    .where('pool_id', '=', poolId)
    .orderBy('version')
    .execute();
  const [first] = rows;
  if (first === undefined) return undefined;
  return {
    lists: rows.reduce((sum, { lists }) => sum + lists, 0),
    fromVersion: first.version,
    toVersion: (rows.at(-1) ?? first).version,
  };
}
