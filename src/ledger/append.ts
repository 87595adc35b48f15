import { CompiledQuery } from 'kysely';
import type { Context } from '../context.ts';
import { toHex } from '../crypto/bytes.ts';
import { canonicalJsonBytes } from '../crypto/canonical-json.ts';
import { addLeaf, leafHash, rootOf, subtreeNumber, type HashedSubtree } from '../crypto/merkle.ts';
import { writtenQuery } from '../store/written-query.ts';
import { commitmentOf, entryBytes, GENESIS_TYPE, ledgerTag, type LedgerEntry, type NewLedgerEntry } from './entry.ts';
import { makeGenesis } from './genesis.ts';
import { headRow, readHead, type Head } from './head.ts';
import { logKeyOf } from './log-key.ts';

export interface Appended {
  /** zero-based; other records call it the block height */
  readonly index: number;
  /** hex, 64 digits; other records call it the ledger entry hash */
  readonly leafHash: string;
}

const insertEntry = writtenQuery('insert into ledger_entries (leaf_index, leaf_hash, body) values ($1, $2, $3)');
const insertOpening = writtenQuery('insert into ledger_openings (leaf_index, salt, details) values ($1, $2, $3)');
const insertHead = writtenQuery(
  'insert into ledger_head (id, size, frontier, log_key, genesis, seal) values (1, $1, $2, $3, $4, $5)',
);
const updateHead = writtenQuery(
  'update ledger_head set size = $1, frontier = $2, log_key = $3, genesis = $4, seal = $5 where id = 1',
);

/**
 * Records an entry in the transaction of the recorded action, so that either both are stored or neither is. A genesis entry, which
 * names the owner of the log, is added before the first entry of a ledger and before the first entry under another log key.
 *
 * @param tx the context of a running transaction
 * @throws Problem internal LEDGER_DAMAGED when the head was changed by another program
 */
export async function appendEntry(tx: Context, entry: NewLedgerEntry): Promise<Appended> {
  if (tx.db === tx.store.db) throw new Error('an entry of the ledger joins a transaction');
  // An undeclared type is a programming error; it fails at its first entry.
  if (!tx.ledgerTypes.has(entry.type)) throw new Error(`no service records ${entry.type} in the ledger`);
  const logKey = logKeyOf(tx.keys);
  const found = await readHead(tx, logKey);
  const growth = growing(found);
  const time = new Date(tx.clock.now()).toISOString();
  if (found?.logKey !== logKey)
    growth.add({ v: 1, index: growth.size, type: GENESIS_TYPE, time, data: makeGenesis(tx.keys, time) });

  const { type, data, tags, details } = entry;
  const opening = details === undefined ? undefined : { salt: tx.random(32), details: canonicalJsonBytes(details) };
  const added = growth.add({
    v: 1,
    index: growth.size,
    type,
    time,
    ...(data !== undefined && { data }),
    ...(tags !== undefined && { tags: tagged(tx, tags) }),
    ...(opening !== undefined && { commit: commitmentOf(opening.salt, opening.details) }),
  });

  const run = async (query: CompiledQuery) => void (await tx.db.executeQuery(query));
  // The head is written first. If several processes append at once, PostgreSQL lets one continue here and makes the others start again.
  const genesis = found?.logKey === logKey ? found.genesis : (found?.size ?? 0);
  const head = headRow(tx.keys, { size: growth.size, frontier: growth.frontier, logKey, genesis });
  const writeHead = found === undefined ? insertHead : updateHead;
  await run(writeHead(head.size, head.frontier, head.log_key, head.genesis, head.seal));
  for (const { index, hash, body } of growth.entries) await run(insertEntry(index, hash, body));
  if (growth.subtrees.length > 0) await run(insertSubtrees(growth.subtrees));
  if (opening !== undefined) await run(insertOpening(added.index, opening.salt, opening.details));
  tx.afterCommit(() => tx.ledger.grew({ size: growth.size, root: () => rootOf(growth.frontier) }));
  return { index: added.index, leafHash: toHex(added.hash) };
}

interface Leaf {
  readonly index: number;
  readonly hash: Uint8Array;
  readonly body: Uint8Array;
}

/** The growing tree: it starts as the current tree, and entries are added to it in memory. */
function growing(from: Head | undefined) {
  const frontier = [...(from?.frontier ?? [])];
  const entries: Leaf[] = [];
  const subtrees: HashedSubtree[] = [];
  let size = from?.size ?? 0;
  return {
    frontier,
    entries,
    subtrees,
    get size() {
      return size;
    },
    add(entry: LedgerEntry): Leaf {
      const body = entryBytes(entry);
      const leaf = { index: size, hash: leafHash(body), body };
      entries.push(leaf);
      subtrees.push(...addLeaf(frontier, size, leaf.hash));
      size += 1;
      return leaf;
    },
  };
}

function tagged({ keys }: Context, tags: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(tags).map(([name, value]) => [name, ledgerTag(keys.ledgerTag, name, value)]),
  );
}

/** One statement inserts all subtrees. There are few: on average one per leaf. */
function insertSubtrees(subtrees: readonly HashedSubtree[]): CompiledQuery {
  const rows = subtrees.map((_, at) => `($${2 * at + 1}, $${2 * at + 2})`);
  return CompiledQuery.raw(
    `insert into ledger_subtrees (node, hash) values ${rows.join(', ')}`,
    subtrees.flatMap((subtree) => [subtreeNumber(subtree), subtree.hash]),
  );
}
