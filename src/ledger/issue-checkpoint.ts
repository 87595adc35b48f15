import { transaction, type Context } from '../context.ts';
import { emptyRoot, rootOf } from '../crypto/merkle.ts';
import { parseVerifierKey } from '../crypto/verifier-key.ts';
import { parseCheckpoint, signCheckpoint } from './checkpoint.ts';
import { readHead } from './head.ts';
import { logKeyOf } from './log-key.ts';
import { parseNote, signaturesBy } from './signed-note.ts';

/**
 * The signed checkpoint of the ledger as it is now. Each is kept before it is given out: whoever changes the ledger afterwards
 * has to explain those.
 */
export async function issueCheckpoint(ctx: Context): Promise<string> {
  const logKey = logKeyOf(ctx.keys);
  const head = await readHead(ctx, logKey);
  const size = head?.size ?? 0;
  const root = head === undefined ? emptyRoot() : rootOf(head.frontier);
  if (size > 0) {
    const kept = await ctx.db
      .selectFrom('ledger_checkpoints')
      .select('note')
      .where('size', '=', size)
      .executeTakeFirst();
    if (kept !== undefined && isOf(kept.note, logKey, root)) return kept.note;
  }
  const note = signCheckpoint(ctx.keys, size, root);
  if (size > 0) await keep(ctx, size, note);
  return note;
}

/** Whether what is kept is what would be signed now, but for the work of signing it again. */
function isOf(note: string, logKey: string, root: Uint8Array): boolean {
  const [signed, key] = [parseNote(note), parseVerifierKey(logKey)];
  if (signed === undefined || key === undefined || signaturesBy(signed, key).length === 0) return false;
  const checkpoint = parseCheckpoint(signed.text);
  return checkpoint !== undefined && Buffer.compare(checkpoint.root, root) === 0;
}

async function keep(ctx: Context, size: number, note: string): Promise<void> {
  await transaction(ctx, async ({ db, clock }) => {
    await db
      .insertInto('ledger_checkpoints')
      .values({ size, note, created_at: clock.now() })
      .onConflict((conflict) => conflict.column('size').doNothing())
      .execute();
  });
}
