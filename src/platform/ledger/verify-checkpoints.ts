import { setImmediate as breathe } from 'node:timers/promises';
import type { Context } from '../../service/context.ts';
import { fromHex } from '../../crypto/bytes.ts';
import { parseVerifierKey } from '../../crypto/verifier-key.ts';
import { Problem } from '../../base/problem.ts';
import type { LedgerCheckpointRow } from '../store/tables/ledger.ts';
import { isSignedByNode, parseCheckpoint } from '../../crypto/formats/ledger/checkpoint.ts';
import type { Faults } from '../../base/faults.ts';
import type { Genesis } from '../../crypto/formats/ledger/genesis.ts';
import { rootAt } from './proofs.ts';
import { isSignedBy, parseNote, type SignedNote } from '../../crypto/formats/ledger/signed-note.ts';
import { same } from './verify-tree.ts';

const pageSize = 100;

/**
 * Checks that each published checkpoint belongs to this log: a key of the log signed it, and its root is the root of the tree at its
 * size. If one tree has the right root at every size, the checkpoints are consistent with each other.
 *
 * @returns the number of checkpoints
 */
export async function checkCheckpoints(
  ctx: Context,
  size: number,
  geneses: readonly Genesis[],
  faults: Faults,
  newestOnly: boolean,
): Promise<number> {
  let checked = 0;
  for (let before = Number.MAX_SAFE_INTEGER; ;) {
    const rows = await ctx.db
      .selectFrom('ledger_checkpoints')
      .selectAll()
      .where('size', '<', before)
      .orderBy('size', 'desc')
      .limit(newestOnly ? 1 : pageSize)
      .execute();
    for (const row of rows) {
      const fault = await faultOf(ctx, row, size, geneses, faults);
      if (fault !== undefined) faults.add('checkpoints', null, `the checkpoint of ${row.size} entries ${fault}`);
      checked += 1;
      before = row.size;
    }
    if (newestOnly || rows.length === 0) return checked;
    await breathe();
  }
}

async function faultOf(
  ctx: Context,
  row: LedgerCheckpointRow,
  size: number,
  geneses: readonly Genesis[],
  faults: Faults,
): Promise<string | undefined> {
  const note = parseNote(row.note);
  const checkpoint = note === undefined ? undefined : parseCheckpoint(note.text);
  if (note === undefined || checkpoint === undefined) return 'is malformed';
  if (checkpoint.size !== row.size) return 'is for another size';
  if (!geneses.some((genesis) => isByLog(note, checkpoint.origin, genesis)))
    return 'is not signed by the keys of this log';
  // The checkpoint may have been made after `size` was read.
  const head = await ctx.db.selectFrom('ledger_head').select('size').executeTakeFirst();
  if (row.size > Math.max(size, head?.size ?? 0)) return 'is of a ledger larger than this one: entries were removed';
  if (faults.explains(0, row.size)) return undefined;
  try {
    return same(await rootAt(ctx, row.size), checkpoint.root) ? undefined : 'has another root: history was changed';
  } catch (error) {
    // The missing hash is already in the list of faults.
    if (error instanceof Problem && error.code === 'LEDGER_DAMAGED') return undefined;
    throw error;
  }
}

function isByLog(note: SignedNote, origin: string, genesis: Genesis): boolean {
  const key = parseVerifierKey(genesis.logKey);
  return key?.name === origin && isSignedBy(note, key) && isSignedByNode(note, origin, fromHex(genesis.nodeKey));
}
