import * as v from 'valibot';
import { type Context, transaction } from '../../../service/context.ts';
import { toHex } from '../../../crypto/bytes.ts';
import type { Peer } from '../../../service/ports/network.ts';
import type { VerifierKey } from '../../../crypto/verifier-key.ts';
import { issueCheckpoint, type Issued } from '../issue-checkpoint.ts';
import { originOf } from '../../../crypto/formats/ledger/log-key.ts';
import { parseNote } from '../../../crypto/formats/ledger/signed-note.ts';
import { writeAddCheckpoint } from './add-checkpoint.ts';
import { cosignedAt } from '../../../crypto/formats/ledger/cosignature.ts';
import { prepareCheckpoint } from './prepare.ts';
import { protocol, sizes } from '../../../crypto/formats/ledger/wire.ts';

/** Cosignatures of this node's checkpoints by others. */

/** The newest checkpoints that keep their cosignatures; proofs are made for the newest. */
const KEPT_CHECKPOINTS = 100;

const answered = v.union([
  v.object({ signature: v.pipe(v.string(), v.maxLength(1_000)) }),
  v.object({ conflict: sizes }),
]);

export interface Witness {
  readonly text: string;
  readonly verifier: VerifierKey;
}

/**
 * Asks a node to cosign the newest checkpoint, unless it has.
 *
 * @param known size of the largest checkpoint that the node says it knows
 * @throws Problem conflict NODE_STOPPED, and the errors of the network
 */
export async function askForCosignature(ctx: Context, peer: Peer, witness: Witness, known: number): Promise<void> {
  const issued = await issueCheckpoint(ctx);
  if (issued.size === 0 || (await hasCosigned(ctx, issued, witness))) return;
  let oldSize = known;
  for (const attempt of ['first', 'second']) {
    const answer = await ask(ctx, peer, issued, oldSize);
    if (answer === undefined) return;
    if ('signature' in answer) return await keep(ctx, issued, witness, answer.signature);
    if (attempt === 'second' || answer.conflict > issued.size) return;
    oldSize = answer.conflict;
  }
}

async function ask(ctx: Context, peer: Peer, issued: Issued, oldSize: number) {
  const prepared = await prepareCheckpoint(ctx, issued, oldSize);
  const { genesis, root } = prepared;
  const question = {
    ask: 'add-checkpoint',
    body: writeAddCheckpoint(prepared),
    ...(root !== undefined && { root: toHex(root) }),
    ...(genesis !== undefined && { genesis: { ...genesis, proof: genesis.proof.map(toHex) } }),
  };
  const said = v.safeParse(answered, await ctx.gossip.request({ nodeId: peer.nodeId }, protocol, question));
  return said.success ? said.output : undefined;
}

async function hasCosigned({ db }: Context, { size, note }: Issued, { text }: Witness): Promise<boolean> {
  const row = await db
    .selectFrom('ledger_cosignatures')
    .select('checkpoint')
    .where('size', '=', size)
    .where('witness', '=', text)
    .executeTakeFirst();
  return row?.checkpoint === parseNote(note)?.text;
}

async function keep(ctx: Context, { size, note }: Issued, { text, verifier }: Witness, line: string): Promise<void> {
  const cosigned = parseNote(note + line);
  if (cosigned === undefined || cosignedAt(cosigned, verifier) === undefined) return;
  await transaction(ctx, async ({ db, clock }) => {
    const row = { checkpoint: cosigned.text, line, created_at: clock.now() };
    await db
      .insertInto('ledger_cosignatures')
      .values({ ...row, size, witness: text })
      .onConflict((conflict) => conflict.columns(['size', 'witness']).doUpdateSet(row))
      .execute();
    const sizesKept = await db
      .selectFrom('ledger_cosignatures')
      .select('size')
      .distinct()
      .orderBy('size', 'desc')
      .limit(KEPT_CHECKPOINTS)
      .execute();
    const least = sizesKept.at(-1)?.size ?? 0;
    await db.deleteFrom('ledger_cosignatures').where('size', '<', least).execute();
  });
}

/** The newest checkpoint of the current log that others have cosigned, and how many have. */
export async function newestCosigned(
  ctx: Context,
): Promise<{ size: number; witnesses: number; note: string } | undefined> {
  const { db, keys } = ctx;
  const row = await db
    .selectFrom('ledger_cosignatures')
    .select(['size', 'checkpoint'])
    .orderBy('size', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (row?.checkpoint.startsWith(`${originOf(keys.ledgerLogKey)}\n`) !== true) return undefined;
  const kept = await db.selectFrom('ledger_checkpoints').select('note').where('size', '=', row.size).executeTakeFirst();
  if (kept === undefined || parseNote(kept.note)?.text !== row.checkpoint) return undefined;
  const lines = await cosignaturesOf(ctx, row.size, row.checkpoint);
  return { size: row.size, witnesses: lines.length, note: kept.note + lines.join('') };
}

/** The newest checkpoint, with the cosignatures that it has. */
export async function newestNote(ctx: Context): Promise<string> {
  const { size, note } = await issueCheckpoint(ctx);
  const lines = await cosignaturesOf(ctx, size, note.slice(0, note.indexOf('\n\n') + 1));
  return note + lines.join('');
}

/** The lines of the cosignatures of a checkpoint of this node. */
async function cosignaturesOf({ db }: Context, size: number, checkpoint: string): Promise<string[]> {
  const rows = await db
    .selectFrom('ledger_cosignatures')
    .select('line')
    .where('size', '=', size)
    .where('checkpoint', '=', checkpoint)
    .orderBy('witness')
    .execute();
  return rows.map(({ line }) => line);
}
