import { type Context, transaction } from '../../../service/context.ts';
import { fromHex, toHex, utf8 } from '../../../crypto/bytes.ts';
import { leafHash, verifyConsistency, verifyInclusion } from '../../../crypto/merkle.ts';
import { parseVerifierKey, witnessNameOf } from '../../../crypto/verifier-key.ts';
import type { Peer } from '../../../service/ports/network.ts';
import { Problem } from '../../../base/problem.ts';
import type { WitnessedLogRow } from '../../store/tables/ledger.ts';
import { parseEntry } from '../../../crypto/formats/ledger/entry.ts';
import { genesisOf, type Genesis } from '../../../crypto/formats/ledger/genesis.ts';
import { isSignedBy, signatureLine } from '../../../crypto/formats/ledger/signed-note.ts';
import type { AddCheckpoint } from './add-checkpoint.ts';
import { cosign } from '../../../crypto/formats/ledger/cosignature.ts';
import { keepEvidence } from './evidence.ts';
import {
  genesisIn,
  isBeyond,
  type Contradiction,
  type Evidence,
} from '../../../crypto/formats/ledger/evidence-file.ts';
import { endNotices, notice } from './notices.ts';
import { checkpointOf, type PeerCheckpoint } from '../../../crypto/formats/ledger/peer-checkpoint.ts';
import { assertSigning } from './stop.ts';

/** The entry that binds the key of a log to its node, with a proof that the log has it. */
export interface GenesisProof {
  readonly index: number;
  /** canonical JSON */
  readonly entry: string;
  readonly proof: readonly Uint8Array[];
}

/** Either the cosignature, as a line of the signed note, or the size of the checkpoint that the witness has. */
export type WitnessAnswer = { readonly signature: string } | { readonly conflict: number };

/** What a node sends for a cosignature. */
export interface Asked extends AddCheckpoint {
  readonly genesis?: GenesisProof | undefined;
  /** the root that its ledger has at the old size */
  readonly root?: Uint8Array | undefined;
}

/** Logs that one node began, one after another by recoveries. */
const MOST_LOGS = 64;
/** Another request changed what is remembered meanwhile. */
const MOST_TRIES = 5;

/**
 * Cosigns a checkpoint of another node if it continues the largest one of its log that this node knows. It never cosigns a smaller one, nor
 * one that does not continue it: those are kept as evidence.
 *
 * @throws Problem invalid CHECKPOINT_REFUSED, conflict NODE_STOPPED
 */
export async function witnessCheckpoint(ctx: Context, peer: Peer, asked: Asked): Promise<WitnessAnswer> {
  await assertSigning(ctx);
  const given = checkpointOf(asked.checkpoint, fromHex(peer.publicKey, 33));
  if (given?.nodeId !== peer.nodeId || given.size === 0)
    throw refused('The checkpoint is not one that this node signed.');
  if (asked.oldSize > given.size) throw refused('The old size is greater than the size of the checkpoint.');
  for (let attempt = 1; ; attempt += 1) {
    const known = await logsOf(ctx, peer.nodeId);
    const { row, genesis } = await rowFor(ctx, peer, given, { known, genesis: asked.genesis });
    const answer = await judge(ctx, peer, given, asked, row);
    if (answer !== undefined) return answer;
    if (await remember(ctx, peer, given, row, genesis && asked.genesis?.entry)) break;
    if (attempt === MOST_TRIES) throw refused('Too many checkpoints of this log arrive at once. Send it again.');
  }
  const { keys, clock } = ctx;
  const seconds = Math.floor(clock.now() / 1_000);
  return { signature: signatureLine(cosign(given.note.text, witnessNameOf(keys.nodeId), keys.witness, seconds)) };
}

async function logsOf({ db }: Pick<Context, 'db'>, nodeId: string): Promise<WitnessedLogRow[]> {
  return await db.selectFrom('witnessed_logs').selectAll().where('node_id', '=', nodeId).execute();
}

interface About {
  readonly known: readonly WitnessedLogRow[];
  readonly genesis: GenesisProof | undefined;
}

/** The row of the checkpoint's log, or the genesis of a log that is not known yet. */
async function rowFor(
  ctx: Context,
  peer: Peer,
  given: PeerCheckpoint,
  { known, genesis: proof }: About,
): Promise<{ readonly row: WitnessedLogRow | undefined; readonly genesis: Genesis | undefined }> {
  const row = known.find(({ origin }) => origin === given.origin);
  const genesis = row === undefined ? genesisFor(given, proof) : undefined;
  const logKey = row?.log_key ?? genesis?.logKey;
  const verifier = logKey === undefined ? undefined : parseVerifierKey(logKey);
  if (verifier === undefined || !isSignedBy(given.note, verifier))
    throw refused('The checkpoint is not signed by a log key that belongs to this node.');
  if (row !== undefined && row.next_origin !== null) {
    const next = known.find(({ origin }) => origin === row.next_origin);
    if (next !== undefined && given.size > row.size)
      await keep(ctx, 'after-recovery', next, given, peer, { geneses: genesesOf(next) });
    throw refused('This node gave up this log. Its log now is another one.');
  }
  if (row === undefined && known.length > 0) await checkRecovery(ctx, peer, given, known, genesis, proof?.entry);
  return { row, genesis };
}

/** A new log of a node whose log is known must say that it comes in place of that one, and be the only one that does. */
async function checkRecovery(
  ctx: Context,
  peer: Peer,
  given: PeerCheckpoint,
  known: readonly WitnessedLogRow[],
  genesis: Genesis | undefined,
  entry: string | undefined,
): Promise<void> {
  const before = known.find(({ log_key: key }) => key === genesis?.recovers?.logKey);
  if (before === undefined || known.length >= MOST_LOGS)
    throw refused('This log does not say which log of this node it comes in place of.');
  if (before.next_origin === null) return;
  const first = known.find(({ origin }) => origin === before.next_origin);
  if (first !== undefined && entry !== undefined)
    await keep(ctx, 'recovered-twice', first, given, peer, { geneses: [...genesesOf(first), entry] });
  throw refused('Another log came in place of the same log of this node.');
}

function genesisFor(
  { origin, size, root, nodeId }: PeerCheckpoint,
  proof: GenesisProof | undefined,
): Genesis | undefined {
  if (proof === undefined) return undefined;
  const body = utf8(proof.entry);
  if (!verifyInclusion({ index: proof.index, size, root, proof: proof.proof, leafHash: leafHash(body) }))
    return undefined;
  const entry = parseEntry(body, proof.index);
  const genesis = 'fault' in entry ? undefined : genesisOf(entry);
  return genesis?.nodeId === nodeId && genesis.origin === origin ? genesis : undefined;
}

/** @returns the answer to a checkpoint that is not cosigned; undefined: it continues what is known */
async function judge(
  ctx: Context,
  peer: Peer,
  given: PeerCheckpoint,
  { oldSize, proof, root: beginning }: Asked,
  row: WitnessedLogRow | undefined,
): Promise<WitnessAnswer | undefined> {
  const size = row?.size ?? 0;
  if (row !== undefined && given.size === row.size && Buffer.compare(row.root, given.root) !== 0) {
    await keep(ctx, 'same-size', row, given, peer);
    return { conflict: size };
  }
  if (oldSize !== size) return { conflict: size };
  if (row === undefined || given.size === row.size) {
    if (proof.length > 0) throw refused('The proof must be empty.');
    return undefined;
  }
  const { root: toRoot, size: to } = given;
  if (verifyConsistency({ from: size, to, fromRoot: row.root, toRoot, proof })) return undefined;
  const kept =
    beginning !== undefined &&
    (await keep(ctx, 'not-continued', row, given, peer, {
      instead: { root: toHex(beginning), proof: proof.map(toHex) },
    }));
  if (!kept) await notice(ctx, peer.nodeId, 'unproven', { size, later: to });
  throw refused('The proof does not show that the checkpoint continues the one of the old size.');
}

/** @returns whether they contradict each other */
async function keep(
  ctx: Context,
  kind: Contradiction,
  { note: one }: Pick<WitnessedLogRow, 'note'>,
  { text: other }: Pick<PeerCheckpoint, 'text'>,
  { nodeId, publicKey }: Peer,
  more: Pick<Evidence, 'instead' | 'geneses'> = {},
): Promise<boolean> {
  return await keepEvidence(ctx, { kind, nodeId, nodeKey: publicKey, one, other, ...more }, nodeId);
}

function genesesOf({ genesis }: WitnessedLogRow): string[] {
  return genesis === null ? [] : [genesis];
}

/** @returns false when what is remembered changed meanwhile */
async function remember(
  ctx: Context,
  peer: Peer,
  given: PeerCheckpoint,
  row: WitnessedLogRow | undefined,
  entry: string | undefined,
): Promise<boolean> {
  const genesis = entry === undefined ? undefined : genesisIn(entry);
  const stored = await transaction(ctx, async (tx): Promise<{ readonly replaced?: WitnessedLogRow } | undefined> => {
    await assertSigning(tx);
    const logs = await logsOf(tx, peer.nodeId);
    const now = logs.find(({ origin }) => origin === given.origin);
    if (now?.next_origin !== row?.next_origin) return undefined;
    // A checkpoint of another size has another root.
    if (now !== undefined && Buffer.compare(now.root, row?.root ?? new Uint8Array()) !== 0) return undefined;
    const values = { size: given.size, root: given.root, note: given.text, seen_at: tx.clock.now() };
    if (now !== undefined) {
      await tx.db.updateTable('witnessed_logs').set(values).where('origin', '=', given.origin).execute();
      return {};
    }
    const replaced = logs.find(({ log_key: key }) => key === genesis?.recovers?.logKey);
    if (logs.length > 0 && replaced?.next_origin !== null) return undefined;
    const inserted = await tx.db
      .insertInto('witnessed_logs')
      .values({
        ...values,
        origin: given.origin,
        node_id: peer.nodeId,
        public_key: peer.publicKey,
        log_key: genesis?.logKey ?? '',
        next_origin: null,
        genesis: entry ?? null,
      })
      .onConflict((conflict) => conflict.column('origin').doNothing())
      .executeTakeFirst();
    if (inserted.numInsertedOrUpdatedRows !== 1n) return undefined;
    if (replaced === undefined) return {};
    await tx.db
      .updateTable('witnessed_logs')
      .set({ next_origin: given.origin })
      .where('origin', '=', replaced.origin)
      .execute();
    return { replaced };
  });
  if (stored?.replaced !== undefined && entry !== undefined)
    await tellRecovery(ctx, peer, given, stored.replaced, entry);
  if (stored !== undefined) await endNotices(ctx, peer.nodeId, ['older', 'unproven']);
  return stored !== undefined;
}

/** A recovery is an act of the node's operator that everybody may know of. What it leaves out is evidence. */
async function tellRecovery(
  ctx: Context,
  peer: Peer,
  given: PeerCheckpoint,
  before: WitnessedLogRow,
  entry: string,
): Promise<void> {
  const named = genesisIn(entry)?.recovers;
  await endNotices(ctx, peer.nodeId, ['copied']);
  await notice(ctx, peer.nodeId, 'recovered', {
    oldSize: before.size,
    newSize: given.size,
    ...(named !== undefined && { recovers: named.size }),
  });
  if (isBeyond(before, named)) await keep(ctx, 'forgot-entries', before, given, peer, { geneses: [entry] });
}

function refused(message: string): Problem {
  return new Problem('invalid', 'CHECKPOINT_REFUSED', message);
}
