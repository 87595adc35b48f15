import * as v from 'valibot';
import type { Context } from '../../../service/context.ts';
import { fromHex, toHex } from '../../../crypto/bytes.ts';
import { verifyConsistency } from '../../../crypto/merkle.ts';
import type { Peer } from '../../../service/ports/network.ts';
import { Problem } from '../../../base/problem.ts';
import type { WitnessedLogRow } from '../../store/tables/ledger.ts';
import { keepEvidence } from './evidence.ts';
import type { Contradiction, Evidence } from '../../../crypto/formats/ledger/evidence-file.ts';
import { notice } from './notices.ts';
import { checkpointOf, type PeerCheckpoint } from '../../../crypto/formats/ledger/peer-checkpoint.ts';
import { hashes, hex, ledgerEnd, protocol } from '../../../crypto/formats/ledger/wire.ts';

/** Nodes pass on which checkpoints of others they know, so that two that contradict each other meet somewhere. */

/** What is told has room for these, with everything else at its longest. */
const AT_ONCE = 5;
const MOST_COMPARED = 4_096;

export const passedOn = v.pipe(v.array(ledgerEnd), v.maxLength(AT_ONCE));
type PassedOn = v.InferOutput<typeof passedOn>[number];

const shown = v.object({ publicKey: hex(33), checkpoint: v.string() });
/** the root that the ledger of the node has at the smaller size, and the proof that its larger one begins with that */
const proven = v.object({ root: hex(32), proof: hashes });

export interface Hearsay {
  /** some checkpoints of others, other ones each time */
  tell(peer: Peer): Promise<PassedOn[]>;
  hear(others: readonly PassedOn[], peer: Peer): Promise<void>;
}

export function createHearsay(ctx: Context): Hearsay {
  /** what was compared with what this node remembers */
  const compared = new Set<string>();
  let after = '';

  async function compare(row: WitnessedLogRow, { size, root }: PassedOn, peer: Peer): Promise<void> {
    const key = `${row.origin} ${row.size} ${toHex(row.root)} ${size} ${root}`;
    if (compared.has(key) || (row.size === size && toHex(row.root) === root)) return;
    const own = checkpointOf(row.note, fromHex(row.public_key, 33));
    const other = await fetchCheckpoint(ctx, peer, row.origin);
    if (own === undefined || other?.nodeId !== row.node_id || other.origin !== row.origin) return;
    const keep = async (
      kind: Contradiction,
      { text: one }: PeerCheckpoint,
      { text: second }: PeerCheckpoint,
      more: Pick<Evidence, 'instead'> = {},
    ): Promise<boolean> => {
      const of = { nodeId: row.node_id, nodeKey: row.public_key };
      return await keepEvidence(ctx, { kind, ...of, one, other: second, ...more }, peer.nodeId);
    };
    if (own.size === other.size) {
      if (Buffer.compare(own.root, other.root) !== 0) await keep('same-size', own, other);
    } else {
      const [small, large] = own.size < other.size ? [own, other] : [other, own];
      const instead = await askForProof(ctx, small, large);
      if (!continues(small, large, instead)) {
        const kept = instead !== undefined && (await keep('not-continued', small, large, { instead }));
        if (!kept) await notice(ctx, row.node_id, 'unproven', { size: small.size, later: large.size });
      }
    }
    if (compared.size >= MOST_COMPARED) compared.clear();
    compared.add(key);
  }

  return {
    async tell(peer) {
      const select = (from: string) =>
        ctx.db
          .selectFrom('witnessed_logs')
          .select(['origin', 'size', 'root'])
          .where('node_id', '!=', peer.nodeId)
          .where('next_origin', 'is', null)
          .where('origin', '>', from)
          .orderBy('origin')
          .limit(AT_ONCE);
      const rows = await select(after).execute();
      if (rows.length < AT_ONCE) {
        const names = new Set(rows.map(({ origin }) => origin));
        rows.push(...(after === '' ? [] : await select('').execute()).filter(({ origin }) => !names.has(origin)));
      }
      const told = rows.slice(0, AT_ONCE);
      after = told.at(-1)?.origin ?? '';
      return told.map(({ origin, size, root }) => ({ origin, size, root: toHex(root) }));
    },
    async hear(others, peer) {
      for (const one of others) {
        const row = await ctx.db
          .selectFrom('witnessed_logs')
          .selectAll()
          .where('origin', '=', one.origin)
          .executeTakeFirst();
        if (row === undefined || row.node_id === peer.nodeId) continue;
        try {
          await compare(row, one, peer);
        } catch (error) {
          // A node that does not answer must not keep this one from comparing what others signed.
          if (!(error instanceof Problem) || error.kind === 'internal') throw error;
          ctx.log.debug('a checkpoint that was passed on could not be compared', { nodeId: row.node_id, error });
        }
      }
    },
  };
}

async function fetchCheckpoint(ctx: Context, peer: Peer, origin: string): Promise<PeerCheckpoint | undefined> {
  const said = v.safeParse(
    shown,
    await ctx.gossip.request({ nodeId: peer.nodeId }, protocol, { ask: 'checkpoint', origin }),
  );
  return said.success ? checkpointOf(said.output.checkpoint, fromHex(said.output.publicKey, 33)) : undefined;
}

/** What a node answers when another one asks for the checkpoint of a log that it remembers. */
export async function showCheckpoint({ db }: Context, origin: string): Promise<v.InferOutput<typeof shown>> {
  const row = await db
    .selectFrom('witnessed_logs')
    .select(['public_key', 'note'])
    .where('origin', '=', origin)
    .executeTakeFirst();
  if (row === undefined) throw new Problem('missing', 'CHECKPOINT_REFUSED', 'No checkpoint of this log is known here.');
  return { publicKey: row.public_key, checkpoint: row.note };
}

/** Asks the node of the log itself. While it can't be asked, or doesn't have both sizes, nothing is shown against it. */
async function askForProof(
  ctx: Context,
  { origin, size: from, nodeId }: PeerCheckpoint,
  { size: to }: PeerCheckpoint,
): Promise<Evidence['instead']> {
  const question = { ask: 'consistency', origin, from, to };
  const said = v.safeParse(proven, await ctx.gossip.request({ nodeId }, protocol, question));
  return said.success ? said.output : undefined;
}

function continues(small: PeerCheckpoint, large: PeerCheckpoint, said: Evidence['instead']): boolean {
  if (said === undefined) return false;
  return verifyConsistency({
    from: small.size,
    to: large.size,
    fromRoot: small.root,
    toRoot: large.root,
    proof: said.proof.map((hash) => fromHex(hash)),
  });
}
