import { setImmediate as breathe } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Context } from '../../service/context.ts';
import {
  addLeaf,
  leafHash,
  leavesOf,
  subtreeNumber,
  subtreeOfNumber,
  type HashedSubtree,
} from '../../crypto/merkle.ts';
import { commitmentOf, parseEntry, type LedgerEntry } from '../../crypto/formats/ledger/entry.ts';
import type { Faults } from '../../base/faults.ts';
import { onesOf } from './head.ts';
import { fromUtf8 } from '../../crypto/bytes.ts';
import { canonicalJson } from '../../crypto/canonical-json.ts';

/** Rows per page. Other work can run between two pages. */
const pageSize = 500;

export type Visit = (entry: LedgerEntry) => void;

/** The recomputed values, for the other checks. */
export interface Walk {
  /** hashes of the complete subtrees that cover the ledger, computed from the entries */
  readonly frontier: readonly Uint8Array[];
  readonly entries: number;
}

/** Reads and hashes every entry up to `size`, computes the whole tree again, and compares it with the stored tree. */
export async function walkEntries(ctx: Context, size: number, faults: Faults, visit: Visit): Promise<Walk> {
  const frontier: Uint8Array[] = [];
  let expected = 0;
  while (expected < size) {
    const rows = await ctx.db
      .selectFrom('ledger_entries')
      .selectAll()
      .where('leaf_index', '>=', expected)
      .where('leaf_index', '<', size)
      .orderBy('leaf_index')
      .limit(pageSize)
      .execute();
    const completed: HashedSubtree[] = [];
    for (const { leaf_index: index, leaf_hash: stored, body } of rows) {
      if (index !== expected) break;
      const hash = leafHash(body);
      const entry = parseEntry(body, index);
      if ('fault' in entry) faults.add('entries', index, `entry ${index} ${entry.fault}`);
      else visit(entry);
      if (!same(hash, stored)) faults.add('entries', index, `entry ${index} does not match its leaf hash`);
      completed.push(...addLeaf(frontier, index, hash));
      expected += 1;
    }
    await compareSubtrees(ctx, completed, faults);
    await checkOpenings(ctx, rows, faults);
    if (expected < size && rows[rows.length - 1]?.leaf_index !== expected - 1) {
      // The tree can't be recomputed after a gap.
      faults.add('entries', expected, `entry ${expected} is missing`);
      break;
    }
    await breathe();
  }
  return { frontier, entries: expected };
}

async function compareSubtrees(ctx: Context, completed: readonly HashedSubtree[], faults: Faults): Promise<void> {
  if (completed.length === 0) return;
  const rows = await ctx.db
    .selectFrom('ledger_subtrees')
    .selectAll()
    .where('node', 'in', completed.map(subtreeNumber))
    .execute();
  const stored = new Map(rows.map(({ node, hash }) => [node, hash]));
  for (const subtree of completed) {
    const hash = stored.get(subtreeNumber(subtree));
    if (hash !== undefined && same(hash, subtree.hash)) continue;
    const { start, end } = leavesOf(subtree);
    if (hash === undefined) faults.add('tree', start, `the hash over entries ${start} to ${end - 1} is missing`);
    // A wrong entry makes every hash above it wrong, but it counts as one fault.
    else if (!faults.explains(start, end))
      faults.add('tree', start, `the hash over entries ${start} to ${end - 1} does not match them`);
  }
}

interface EntryPage {
  readonly leaf_index: number;
  readonly body: Uint8Array;
}

async function checkOpenings(ctx: Context, rows: readonly EntryPage[], faults: Faults): Promise<void> {
  const [first, last] = [rows[0], rows[rows.length - 1]];
  if (first === undefined || last === undefined) return;
  const openings = await ctx.db
    .selectFrom('ledger_openings')
    .selectAll()
    .where('leaf_index', '>=', first.leaf_index)
    .where('leaf_index', '<=', last.leaf_index)
    .execute();
  const bodies = new Map(rows.map(({ leaf_index: index, body }) => [index, body]));
  for (const { leaf_index: index, salt, details } of openings) {
    const entry = parseEntry(bodies.get(index) ?? new Uint8Array(), index);
    const commit = 'fault' in entry ? undefined : entry.commit;
    const fits = salt.length === 32 && commit === commitmentOf(salt, details) && isCanonical(details);
    if (!fits) faults.add('openings', index, `the kept details of entry ${index} are not those that it commits to`);
  }
}

/** Finds rows that don't belong to the ledger. Entries that are added during the check are no faults. */
export async function findStrays(ctx: Context, faults: Faults): Promise<void> {
  const { rows: entries } = await sql<{ leaf_index: number }>`
    select leaf_index from ledger_entries
    where leaf_index < 0 or leaf_index >= (select coalesce(max(size), 0) from ledger_head)
    order by leaf_index limit ${pageSize}`.execute(ctx.db);
  for (const { leaf_index: index } of entries)
    faults.add('entries', index, `entry ${index} is beyond the end of the ledger`);

  const { rows: counts } = await sql<{ subtrees: number; size: number }>`
    select count(*) as subtrees, (select coalesce(max(size), 0) from ledger_head) as size from ledger_subtrees`.execute(
    ctx.db,
  );
  const { subtrees, size } = counts[0] ?? { subtrees: 0, size: 0 };
  if (subtrees === size - onesOf(size)) return;
  for (let after = Number.MIN_SAFE_INTEGER; ;) {
    const page = await ctx.db
      .selectFrom('ledger_subtrees')
      .select('node')
      .where('node', '>', after)
      .orderBy('node')
      .limit(pageSize)
      .execute();
    const { rows: heads } = await sql<{ size: number }>`select size from ledger_head`.execute(ctx.db);
    for (const { node } of page) nameStray(node, heads[0]?.size ?? 0, faults);
    const last = page[page.length - 1];
    if (last === undefined) return;
    after = last.node;
    await breathe();
  }
}

function nameStray(node: number, size: number, faults: Faults): void {
  if (node < 0 || node % 2 === 0)
    return faults.add('tree', null, `there is a hash of the tree with the impossible number ${node}`);
  const { start, end } = leavesOf(subtreeOfNumber(node));
  if (end > size)
    faults.add('tree', start, `there is a hash over entries ${start} to ${end - 1}, beyond the end of the ledger`);
}

export function same(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

/** The salt and the details that open the commitment of an entry. */
export interface Opening {
  readonly salt: Uint8Array;
  /** canonical JSON */
  readonly details: Uint8Array;
}

/** @returns undefined if the entry has no commitment, or if its details were erased */
export async function openingOf(ctx: Context, index: number): Promise<Opening | undefined> {
  return await ctx.db
    .selectFrom('ledger_openings')
    .select(['salt', 'details'])
    .where('leaf_index', '=', index)
    .executeTakeFirst();
}

/**
 * Erases the details of an entry and their salt. The entry and every proof about it stay valid. Without the salt, nobody can find the
 * details by trying values against the commitment.
 *
 * @returns whether there were details to erase
 */
export async function eraseOpening(tx: Context, index: number): Promise<boolean> {
  const erased = await tx.db.deleteFrom('ledger_openings').where('leaf_index', '=', index).executeTakeFirst();
  return erased.numDeletedRows > 0n;
}

/** Whether bytes are canonical JSON. */
function isCanonical(bytes: Uint8Array): boolean {
  try {
    const text = fromUtf8(bytes);
    return canonicalJson(JSON.parse(text)) === text;
  } catch {
    return false;
  }
}
