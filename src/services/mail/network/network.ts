import type { Context } from '../../../service/context.ts';
import type { MessageTransaction } from '../../../service/ports/outbox.ts';
import { noteOffer } from './arrivals.ts';
import { mayFetch, noteLeaving, partResponder } from './offers.ts';
import type { Peer } from '../../../service/ports/network.ts';
import { noteReceipts } from './receipts.ts';
import { noteOutcome, rerouteMoved } from './rerouting.ts';
import { OFFERS, PARTS, RECEIPTS } from './wire.ts';

/** Mail between nodes: offers in one direction, and receipts in the other. */
export function joinMailNetwork(ctx: Context): undefined {
  const { gossip } = ctx;
  const inside = (tx: MessageTransaction): Context => ({ ...ctx, ...tx });
  // No message of a member's says anything of another, and neither do receipts.
  gossip.receive(OFFERS, async (tx, message) => await noteOffer(inside(tx), message), 'apart');
  gossip.receive(RECEIPTS, async (tx, message) => await noteReceipts(inside(tx), message), 'apart');
  gossip.onLeaving(OFFERS, async (tx, { ids }) => await noteLeaving(inside(tx), ids));
  gossip.onOutcome(OFFERS, async (tx, settled) => await noteOutcome(inside(tx), settled));
  gossip.respond(PARTS, partResponder(ctx));
  let known: number | undefined;
  gossip.everyRound(async () => {
    const version = (await gossip.directory()?.head(ctx.db))?.version;
    if (version === known) return;
    await rerouteMoved(ctx);
    known = version;
  });
  return undefined;
}

/** Which blocks of messages other nodes may fetch. */
export function mailBlocks(ctx: Context): (blockId: string, peer: Peer) => Promise<boolean> {
  return async (blockId, peer) => await mayFetch(ctx, blockId, peer);
}
