import type { Context } from '../../service/context.ts';
import { fromUtf8, toHex } from '../../crypto/bytes.ts';
import { Problem } from '../../base/problem.ts';
import { parseCheckpoint } from '../../crypto/formats/ledger/checkpoint.ts';
import { readHead } from './head.ts';
import { chainIdOf, logKeyOf } from '../../crypto/formats/ledger/log-key.ts';
import { placesOf } from './places.ts';
import { proveInclusion } from './proofs.ts';
import { parseNote } from '../../crypto/formats/ledger/signed-note.ts';
import { newestCosigned, newestNote } from './witness/cosignatures.ts';

/** What somebody without this node needs to check that an entry is in its ledger. Hashes are hex, entries canonical JSON. */
export interface OfflineEntry {
  readonly blockHeight: number;
  readonly chainId: string;
  readonly logKey: string;
  readonly entry: string;
  readonly inclusionProof: string[];
  /** the signed note, with cosignatures */
  readonly checkpoint: string;
  /** the entry that binds the log key to the node */
  readonly genesis: { readonly index: number; readonly entry: string; readonly proof: string[] };
}

export interface ProvenEntry {
  readonly leafHash: string;
  readonly offline: OfflineEntry;
  /** of the ledger in the checkpoint */
  readonly size: number;
}

/**
 * Proves entries under one checkpoint: the newest, or with `cosigned` the newest that other nodes have cosigned, if it has all of them. The
 * newest one is also left for an older one that is cosigned and has as many entries as are needed. Not for use in a transaction.
 *
 * @param least entries that the checkpoint needs, beside those that are proven
 * @throws Problem unavailable LEDGER_BEHIND, conflict NODE_STOPPED
 */
export async function proveOffline(
  ctx: Context,
  ids: readonly string[],
  { cosigned = false, least = 0 }: { readonly cosigned?: boolean; readonly least?: number } = {},
): Promise<ReadonlyMap<string, ProvenEntry>> {
  const places = await placesOf(ctx, ids);
  const last = Math.max(0, ...[...places.values()].map(({ index }) => index + 1));
  const older = await newestCosigned(ctx);
  const isEnough = older !== undefined && older.size >= last && (cosigned || older.size >= least);
  const checkpoint = isEnough ? older.note : await newestNote(ctx);
  const size = parseCheckpoint(parseNote(checkpoint)?.text ?? '')?.size;
  const logKey = logKeyOf(ctx.keys);
  const head = await readHead(ctx, logKey);
  if (size === undefined || head === undefined || size <= head.genesis) throw damaged();
  const first = await leafOf(ctx, head.genesis, size);
  const genesis = { index: head.genesis, entry: first.entry, proof: first.inclusionProof };
  const proven = new Map<string, ProvenEntry>();
  for (const [id, { index, leafHash }] of places) {
    const leaf = await leafOf(ctx, index, size);
    const offline = { blockHeight: index, chainId: chainIdOf(logKey), logKey, ...leaf, checkpoint, genesis };
    proven.set(id, { leafHash, offline, size });
  }
  return proven;
}

async function leafOf(ctx: Context, index: number, size: number) {
  const row = await ctx.db
    .selectFrom('ledger_entries')
    .select('body')
    .where('leaf_index', '=', index)
    .executeTakeFirst();
  if (row === undefined) throw damaged();
  const { proof } = await proveInclusion(ctx, index, size);
  return { entry: fromUtf8(row.body), inclusionProof: proof.map(toHex) };
}

function damaged(): Problem {
  return new Problem('internal', 'LEDGER_DAMAGED', 'The ledger has not all the entries that it should have.');
}
