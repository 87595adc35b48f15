import type { LedgerEnd } from '../../service/ports/ledger.ts';
import type { Context } from '../../service/context.ts';
import { addLeaf, leafHash, rootOf, subtreeNumber, type HashedSubtree } from '../../crypto/merkle.ts';
import { bytesArray, integerArray, textArray } from '../store/postgres/arrays.ts';
import type { EngineStatements } from '../store/per-engine.ts';
import { writtenQuery } from '../store/written-query.ts';
import { entryBytes, GENESIS_TYPE, partEntry, timeOf, type PartedEntry } from '../../crypto/formats/ledger/entry.ts';
import type { Db } from '../store/database.ts';
import type { LedgerHeadRow } from '../store/tables/ledger.ts';
import { makeGenesis } from '../../crypto/formats/ledger/genesis.ts';
import { headRow, readHead, type Head } from './head.ts';
import { logKeyOf } from '../../crypto/formats/ledger/log-key.ts';
import type { WaitingEntry } from './waiting.ts';

/**
 * Adds entries at the end of the ledger, in a transaction beside which nobody else does so. A genesis entry, which names the owner of the
 * log, is added before the first entry of a ledger and before the first entry under another log key.
 *
 * @param positions of the entries that were stored while they waited; these rows are removed
 * @throws Problem internal LEDGER_DAMAGED when the head was changed by another program
 */
export async function integrate(
  tx: Pick<Context, 'store' | 'db' | 'keys'>,
  waiting: readonly [WaitingEntry, ...WaitingEntry[]],
  positions: readonly number[] = [],
): Promise<LedgerEnd> {
  const found = await readHead(tx, logKeyOf(tx.keys));
  const logKey = logKeyOf(tx.keys);
  const growth = growing(found);
  if (found?.logKey !== logKey) {
    const time = timeOf(waiting[0].entry);
    growth.add(null, partEntry({ v: 1, type: GENESIS_TYPE, time, data: makeGenesis(tx.keys, time) }));
  }
  const openings: Opening[] = [];
  for (const { id, entry, opening } of waiting) {
    const index = growth.add(id, entry);
    if (opening !== undefined) openings.push({ index, ...opening });
  }

  const genesis = found?.logKey === logKey ? found.genesis : (found?.size ?? 0);
  const head = headRow(tx.keys, { size: growth.size, frontier: growth.frontier, logKey, genesis });
  const { leaves, subtrees, size, frontier } = growth;
  const write = tx.store.engine === 'postgres' ? writeTogether : writeEach;
  await write(tx.db, { positions, leaves, subtrees, openings, head });
  return { size, root: () => rootOf(frontier) };
}

interface Leaf {
  readonly index: number;
  readonly hash: Uint8Array;
  readonly body: Uint8Array;
  readonly id: string | null;
}

interface Opening {
  readonly index: number;
  readonly salt: Uint8Array;
  readonly details: Uint8Array;
}

/** What a transaction changes that adds entries. */
interface Change {
  readonly positions: readonly number[];
  readonly leaves: readonly Leaf[];
  readonly subtrees: readonly HashedSubtree[];
  readonly openings: readonly Opening[];
  readonly head: LedgerHeadRow;
}

/** The growing tree: it starts as the current tree, and entries are added to it in memory. */
function growing(from: Head | undefined) {
  const frontier = [...(from?.frontier ?? [])];
  const leaves: Leaf[] = [];
  const subtrees: HashedSubtree[] = [];
  let size = from?.size ?? 0;
  return {
    frontier,
    leaves,
    subtrees,
    get size() {
      return size;
    },
    /** @returns the index of the entry */
    add(id: string | null, entry: PartedEntry): number {
      const index = size;
      const body = entryBytes(entry, index);
      const hash = leafHash(body);
      leaves.push({ index, hash, body, id });
      subtrees.push(...addLeaf(frontier, index, hash));
      size += 1;
      return index;
    },
  };
}

const setHead = `insert into ledger_head (id, size, frontier, log_key, genesis, seal) values (1, $1, $2, $3, $4, $5)
  on conflict (id) do update set size = excluded.size, frontier = excluded.frontier, log_key = excluded.log_key,
    genesis = excluded.genesis, seal = excluded.seal`;

const each = {
  leaf: writtenQuery('insert into ledger_entries (leaf_index, leaf_hash, body, entry_id) values ($1, $2, $3, $4)'),
  subtree: writtenQuery('insert into ledger_subtrees (node, hash) values ($1, $2)'),
  opening: writtenQuery('insert into ledger_openings (leaf_index, salt, details) values ($1, $2, $3)'),
  gone: writtenQuery('delete from ledger_waiting where position = $1'),
  head: writtenQuery(setHead),
};

/** SQLite runs small statements as fast as large ones, and keeps them prepared. */
async function writeEach(db: Db, { positions, leaves, subtrees, openings, head }: Change): Promise<void> {
  for (const position of positions) await db.executeQuery(each.gone(position));
  for (const { index, hash, body, id } of leaves) await db.executeQuery(each.leaf(index, hash, body, id));
  for (const subtree of subtrees) await db.executeQuery(each.subtree(subtreeNumber(subtree), subtree.hash));
  for (const { index, salt, details } of openings) await db.executeQuery(each.opening(index, salt, details));
  await db.executeQuery(each.head(head.size, head.frontier, head.log_key, head.genesis, head.seal));
}

const together = writtenQuery(`with
  gone as (delete from ledger_waiting where position = any($6::int8[])),
  leaves as (insert into ledger_entries (leaf_index, leaf_hash, body, entry_id)
    select * from unnest($7::int8[], $8::bytea[], $9::bytea[], $10::text[])),
  subtrees as (insert into ledger_subtrees (node, hash) select * from unnest($11::int8[], $12::bytea[])),
  openings as (insert into ledger_openings (leaf_index, salt, details)
    select * from unnest($13::int8[], $14::bytea[], $15::bytea[]))
  ${setHead}`);

export const engineStatements: EngineStatements = {
  sqljs: () => Object.values(each).map((statement) => statement()),
  postgres: () => [together()],
};

/** PostgreSQL runs all as one statement, in one round trip, and reads fifteen values however many entries there are. */
async function writeTogether(db: Db, { positions, leaves, subtrees, openings, head }: Change): Promise<void> {
  await db.executeQuery(
    together(
      head.size,
      head.frontier,
      head.log_key,
      head.genesis,
      head.seal,
      integerArray(positions),
      integerArray(leaves.map(({ index }) => index)),
      bytesArray(leaves.map(({ hash }) => hash)),
      bytesArray(leaves.map(({ body }) => body)),
      textArray(leaves.map(({ id }) => id)),
      integerArray(subtrees.map(subtreeNumber)),
      bytesArray(subtrees.map(({ hash }) => hash)),
      integerArray(openings.map(({ index }) => index)),
      bytesArray(openings.map(({ salt }) => salt)),
      bytesArray(openings.map(({ details }) => details)),
    ),
  );
}
