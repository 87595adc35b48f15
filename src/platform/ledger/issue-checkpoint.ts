import { type Context, transaction } from '../../service/context.ts';
import { emptyRoot, rootOf } from '../../crypto/merkle.ts';
import { parseVerifierKey } from '../../crypto/verifier-key.ts';
import { parseCheckpoint, signCheckpoint } from '../../crypto/formats/ledger/checkpoint.ts';
import { readHead } from './head.ts';
import { logKeyOf, originOf } from '../../crypto/formats/ledger/log-key.ts';
import { parseNote, signaturesBy } from '../../crypto/formats/ledger/signed-note.ts';
import { checkMark, setMark } from './witness/mark.ts';
import { assertSigning } from './witness/stop.ts';

/** A checkpoint of this node's ledger. */
export interface Issued {
  readonly origin: string;
  readonly logKey: string;
  readonly size: number;
  readonly root: Uint8Array;
  /** index of the entry that binds the log key to the node; undefined while the ledger is empty */
  readonly genesis: number | undefined;
  /** the signed note */
  readonly note: string;
}

/**
 * Makes the signed checkpoint of the current ledger. Each checkpoint is stored before it is published, so that a later change of the
 * ledger is found: it does not match the stored checkpoints. And before it is published it is marked beside the store, so that a later
 * return to an older store is found.
 *
 * @throws Problem conflict NODE_STOPPED
 */
export async function issueCheckpoint(ctx: Context): Promise<Issued> {
  await ctx.ledger.settled();
  await assertSigning(ctx);
  const now = await readHead(ctx, logKeyOf(ctx.keys));
  const logKey = logKeyOf(ctx.keys);
  const size = now?.size ?? 0;
  const root = now === undefined ? emptyRoot() : rootOf(now.frontier);
  const issued = {
    origin: originOf(logKey),
    logKey,
    size,
    root,
    genesis: now?.logKey === logKey ? now.genesis : undefined,
  };
  if (size > 0) {
    const kept = await ctx.db
      .selectFrom('ledger_checkpoints')
      .select('note')
      .where('size', '=', size)
      .executeTakeFirst();
    if (kept !== undefined && isOf(kept.note, logKey, root)) return { ...issued, note: kept.note };
  }
  if (size === 0) return { ...issued, note: signCheckpoint(ctx.keys, size, root) };
  await checkMark(ctx);
  await assertSigning(ctx);
  const note = signCheckpoint(ctx.keys, size, root);
  await keep(ctx, size, note);
  await setMark(ctx, issued);
  return { ...issued, note };
}

/** Whether the stored note matches the current log key and root. Reusing it saves the work of signing again. */
function isOf(note: string, logKey: string, root: Uint8Array): boolean {
  const [signed, key] = [parseNote(note), parseVerifierKey(logKey)];
  if (signed === undefined || key === undefined || signaturesBy(signed, key).length === 0) return false;
  const said = parseCheckpoint(signed.text);
  return said !== undefined && Buffer.compare(said.root, root) === 0;
}

async function keep(ctx: Context, size: number, note: string): Promise<void> {
  await transaction(ctx, async (tx) => {
    await assertSigning(tx);
    await tx.db
      .insertInto('ledger_checkpoints')
      .values({ size, note, created_at: tx.clock.now() })
      .onConflict((conflict) => conflict.column('size').doNothing())
      .execute();
  });
}
