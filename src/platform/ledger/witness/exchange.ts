import * as v from 'valibot';
import type { Context } from '../../../service/context.ts';
import { toHex } from '../../../crypto/bytes.ts';
import type { Peer } from '../../../service/ports/network.ts';
import { Problem } from '../../../base/problem.ts';
import { logKeyOf, originOf } from '../../../crypto/formats/ledger/log-key.ts';
import { answerWitness } from './answers.ts';
import { askForCosignature, type Witness } from './cosignatures.ts';
import { createHearsay, passedOn } from './hearsay.ts';
import { createInstances } from './instances.ts';
import { askForEnd, ownEnd } from './own-end.ts';
import { stopUnlessContinued } from './own-head.ts';
import { endNotices, notice } from './notices.ts';
import { checkpointOf } from '../../../crypto/formats/ledger/peer-checkpoint.ts';
import { ledgerEnd, protocol, type LedgerEnd } from '../../../crypto/formats/ledger/wire.ts';
import { bindWitnessKey, witnessKeyOf } from './witness-key.ts';

/** What two nodes tell each other about their ledgers, when they connect and in every round. */
const told = v.object({
  /** the end of the teller's ledger */
  own: ledgerEnd,
  /** the largest checkpoint of the listener that the teller knows: the signed note */
  yours: v.optional(v.string()),
  witness: v.unknown(),
  statement: v.unknown(),
  /** hash of the listener's statement that the teller heard last */
  last: v.optional(v.string()),
  /** two statements of the listener, if they show that another process spoke after the earlier one */
  accusation: v.optional(v.unknown()),
  others: passedOn,
});
type Told = v.InferOutput<typeof told>;

/** Connects the ledger to the network: nodes witness each other's ledgers, and notice copies of nodes. */
export function joinLedgerNetwork(ctx: Context): undefined {
  const { gossip, log } = ctx;
  const instances = createInstances(ctx);
  const hearsay = createHearsay(ctx);
  const witnessKey = bindWitnessKey(ctx.keys);
  /** by node: work on what it told last, and what it told meanwhile */
  const busy = new Map<string, Told | undefined>();

  async function tell(peer: Peer): Promise<Told> {
    const yours = await rememberedNote(ctx, peer.nodeId);
    const last = instances.lastOf(peer.nodeId);
    const accusation = instances.accusationOf(peer.nodeId);
    return {
      own: await ownEnd(ctx),
      ...(yours !== undefined && { yours }),
      witness: witnessKey,
      statement: await instances.state(peer),
      ...(last !== undefined && { last }),
      ...(accusation !== undefined && { accusation }),
      others: await hearsay.tell(peer),
    };
  }

  async function hear(said: Told, peer: Peer): Promise<void> {
    await instances.hear(said.statement, peer);
    await instances.heed(said.accusation, peer);
    if (said.yours !== undefined) await heedMemory(ctx, said.yours, peer);
    await lookForShrinking(ctx, said.own, peer);
    if (peer.nodeId === ctx.keys.nodeId) return;
    if (instances.isForeign(said.last, peer))
      await gossip.request({ nodeId: peer.nodeId }, protocol, {
        ask: 'attest',
        statement: await instances.state(peer),
      });
    const witness = witnessKeyOf(said.witness, peer.publicKey);
    if (witness !== undefined) await askUnlessStopped(peer, witness, said.yours);
    await hearsay.hear(said.others, peer);
  }

  async function askUnlessStopped(peer: Peer, witness: Witness, yours: string | undefined): Promise<void> {
    try {
      await askForCosignature(ctx, peer, witness, sizeKnown(ctx, yours));
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'NODE_STOPPED') throw error;
    }
  }

  /** One after another for each node. What it tells while work goes on replaces what it told before. */
  function work(said: Told, peer: Peer): void {
    if (busy.has(peer.nodeId)) {
      busy.set(peer.nodeId, said);
      return;
    }
    busy.set(peer.nodeId, undefined);
    void hear(said, peer)
      .catch((error: unknown) => {
        // A node that was put back does not have what it is asked for, and says so.
        const ofPeer = error instanceof Problem && error.kind !== 'internal';
        log[ofPeer ? 'debug' : 'error']('comparing ledgers failed', { nodeId: peer.nodeId, error });
      })
      .finally(() => {
        const next = busy.get(peer.nodeId);
        busy.delete(peer.nodeId);
        if (next !== undefined) work(next, peer);
      });
  }

  gossip.share('ledger', {
    async tell(peer) {
      try {
        return await tell(peer);
      } catch (error) {
        // What other domains tell must not depend on this.
        log.error('the ledger could not be told to another node', { nodeId: peer.nodeId, error });
        return undefined;
      }
    },
    hear(said, peer) {
      const parsed = v.safeParse(told, said);
      // Work goes on after the answer, because it asks the peer, who may be waiting for this answer.
      if (parsed.success) work(parsed.output, peer);
      return Promise.resolve();
    },
  });
  gossip.respond(protocol, {
    strangers: false,
    maxBytes: 65_536,
    answer: async (asked, peer) => await answerWitness(ctx, instances, asked, peer),
  });
}

/**
 * Another node that shows fewer entries than it signed went back to an older store. It is told so; it may not have noticed. What it told may
 * be from before it signed more, and messages overtake each other. So it is asked again, after what it signed was read.
 */
async function lookForShrinking(ctx: Context, shown: LedgerEnd, { nodeId }: Peer): Promise<void> {
  const row = await ctx.db
    .selectFrom('witnessed_logs')
    .select(['size', 'root', 'next_origin'])
    .where('origin', '=', shown.origin)
    .where('node_id', '=', nodeId)
    .executeTakeFirst();
  if (row === undefined) return;
  const isOlder = (end: LedgerEnd): boolean =>
    end.origin === shown.origin && (end.size < row.size || row.next_origin !== null);
  if (isOlder(shown)) {
    const now = await askForEnd(ctx, nodeId);
    if (now !== undefined && isOlder(now)) await notice(ctx, nodeId, 'older', { entries: now.size, signed: row.size });
    return;
  }
  // A larger ledger ends it only when the node shows that it continues this one: see witness.ts.
  if (shown.root === toHex(row.root)) await endNotices(ctx, nodeId, ['older']);
}

async function rememberedNote({ db }: Context, nodeId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('witnessed_logs')
    .select('note')
    .where('node_id', '=', nodeId)
    .where('next_origin', 'is', null)
    .orderBy('seen_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.note;
}

/** A peer shows a checkpoint that this node signed. If the ledger doesn't continue it, the store was put back or copied. */
async function heedMemory(ctx: Context, note: string, { nodeId }: Peer): Promise<void> {
  const said = checkpointOf(note, ctx.keys.identity.publicKey);
  if (said !== undefined) await stopUnlessContinued(ctx, said, nodeId);
}

function sizeKnown({ keys }: Context, yours: string | undefined): number {
  const said = checkpointOf(yours, keys.identity.publicKey);
  return said?.origin === originOf(logKeyOf(keys)) ? said.size : 0;
}
