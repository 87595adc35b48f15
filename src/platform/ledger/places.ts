import type { Context } from '../../service/context.ts';
import { toHex } from '../../crypto/bytes.ts';
import { Problem } from '../../base/problem.ts';
import { integrateWaiting } from './sequencer.ts';

export interface Place {
  /** zero-based; other records call it the block height */
  readonly index: number;
  /** hex, 64 digits; other records call it the ledger entry hash */
  readonly leafHash: string;
}

/**
 * The places of entries, by the ids that `appendEntry` gave. Entries that wait get their places first. Not for use in a transaction.
 *
 * @returns entries that are neither in the ledger nor waiting are left out: somebody removed them from the store
 * @throws Problem unavailable LEDGER_BEHIND when an entry can't have its place now
 */
export async function placesOf(ctx: Context, ids: readonly string[]): Promise<ReadonlyMap<string, Place>> {
  const wanted = new Set(ids);
  const found = await placed(ctx, [...wanted]);
  const missing = [...wanted].filter((id) => !found.has(id));
  if (missing.length === 0) return found;
  await ctx.ledger.now(async () => await integrateWaiting(ctx));
  // Asked in this order, because an entry goes from waiting to its place.
  const waiting = await ctx.db.selectFrom('ledger_waiting').select('id').where('id', 'in', missing).execute();
  const later = await placed(ctx, missing);
  if (waiting.some(({ id }) => !later.has(id))) throw behind();
  return new Map([...found, ...later]);
}

async function placed({ db }: Context, ids: readonly string[]): Promise<Map<string, Place>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('ledger_entries')
    .select(['entry_id', 'leaf_index', 'leaf_hash'])
    .where('entry_id', 'in', ids)
    .execute();
  return new Map(rows.map((row) => [row.entry_id ?? '', { index: row.leaf_index, leafHash: toHex(row.leaf_hash) }]));
}

function behind(): Problem {
  return new Problem(
    'unavailable',
    'LEDGER_BEHIND',
    'The newest records have no place in the ledger yet. They are stored. Try again in a moment. If this stays, check the ledger with: conclave ledger verify',
  );
}
