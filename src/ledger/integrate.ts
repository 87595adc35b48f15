import { CompiledQuery } from 'kysely';
import type { Context } from '../context.ts';
import { addLeaf, leafHash, rootOf, subtreeNumber, type HashedSubtree } from '../crypto/merkle.ts';
import type { LedgerHeadRow } from '../store/tables/ledger.ts';
import { entryBytes, GENESIS_TYPE, type LedgerEntry } from './entry.ts';
import { makeGenesis } from './genesis.ts';
import { headRow, readHead, type Head } from './head.ts';
import { logKeyOf } from './log-key.ts';
import type { LedgerEnd } from './port.ts';
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
  const { time } = waiting[0].entry;
  if (found?.logKey !== logKey) growth.add(null, { v: 1, type: GENESIS_TYPE, time, data: makeGenesis(tx.keys, time) });
  const openings: unknown[][] = [];
  for (const { id, entry, opening } of waiting) {
    const index = growth.add(id, entry);
    if (opening !== undefined) openings.push([index, opening.salt, opening.details]);
  }

  const genesis = found?.logKey === logKey ? found.genesis : (found?.size ?? 0);
  const head = headRow(tx.keys, { size: growth.size, frontier: growth.frontier, logKey, genesis });
  const subtrees = growth.subtrees.map((subtree) => [subtreeNumber(subtree), subtree.hash]);
  await runAll(tx, [
    ...deletion(positions),
    ...insertion('ledger_entries (leaf_index, leaf_hash, body, entry_id)', growth.leaves),
    ...insertion('ledger_subtrees (node, hash)', subtrees),
    ...insertion('ledger_openings (leaf_index, salt, details)', openings),
    headStatement(found === undefined, head),
  ]);
  return { size: growth.size, root: () => rootOf(growth.frontier) };
}

/** The growing tree: it starts as the current tree, and entries are added to it in memory. */
function growing(from: Head | undefined) {
  const frontier = [...(from?.frontier ?? [])];
  const leaves: unknown[][] = [];
  const subtrees: HashedSubtree[] = [];
  let size = from?.size ?? 0;
  return {
    frontier,
    /** rows of ledger_entries */
    leaves,
    subtrees,
    get size() {
      return size;
    },
    /** @returns the index of the entry */
    add(id: string | null, entry: Omit<LedgerEntry, 'index'>): number {
      const body = entryBytes({ ...entry, index: size });
      const hash = leafHash(body);
      leaves.push([size, hash, body, id]);
      subtrees.push(...addLeaf(frontier, size, hash));
      size += 1;
      return size - 1;
    },
  };
}

interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** A statement whose parameters are numbered after those of others. */
type Numbered = (before: number) => Statement;

/** `$3, $4` for two parameters after two others */
function numbers(before: number, count: number): string {
  return Array.from({ length: count }, (_, at) => `$${before + at + 1}`).join(', ');
}

function headStatement(isFirst: boolean, head: LedgerHeadRow): Numbered {
  const parameters = [head.size, head.frontier, head.log_key, head.genesis, head.seal];
  const columns = 'size, frontier, log_key, genesis, seal';
  return (before) => ({
    sql: isFirst
      ? `insert into ledger_head (id, ${columns}) values (1, ${numbers(before, 5)})`
      : `update ledger_head set (${columns}) = (${numbers(before, 5)}) where id = 1`,
    parameters,
  });
}

/** One statement for all rows, or none. */
function insertion(into: string, rows: readonly (readonly unknown[])[]): Numbered[] {
  if (rows.length === 0) return [];
  const parameters = rows.flat();
  return [
    (before) => {
      const tuples = rows.map((row, at) => `(${numbers(before + at * row.length, row.length)})`);
      return { sql: `insert into ${into} values ${tuples.join(', ')}`, parameters };
    },
  ];
}

function deletion(positions: readonly number[]): Numbered[] {
  if (positions.length === 0) return [];
  return [
    (before) => ({
      sql: `delete from ledger_waiting where position in (${numbers(before, positions.length)})`,
      parameters: positions,
    }),
  ];
}

/** PostgreSQL runs all as one statement, in one round trip. SQLite knows only queries in `with`. */
async function runAll({ store, db }: Pick<Context, 'store' | 'db'>, statements: readonly Numbered[]): Promise<void> {
  if (store.engine === 'sqljs') {
    for (const statement of statements) {
      const { sql, parameters } = statement(0);
      await db.executeQuery(CompiledQuery.raw(sql, [...parameters]));
    }
    return;
  }
  const all: unknown[] = [];
  const texts = statements.map((statement) => {
    const { sql, parameters } = statement(all.length);
    all.push(...parameters);
    return sql;
  });
  const parts = texts.slice(0, -1).map((text, at) => `part_${at} as (${text})`);
  await db.executeQuery(CompiledQuery.raw(`with ${parts.join(', ')} ${texts.at(-1) ?? ''}`, all));
}
