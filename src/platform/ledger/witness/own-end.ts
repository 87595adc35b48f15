import * as v from 'valibot';
import type { Context } from '../../../service/context.ts';
import { toHex } from '../../../crypto/bytes.ts';
import { emptyRoot, rootOf } from '../../../crypto/merkle.ts';
import { readHead } from '../head.ts';
import { logKeyOf, originOf } from '../../../crypto/formats/ledger/log-key.ts';
import { ledgerEnd, protocol, type LedgerEnd } from '../../../crypto/formats/ledger/wire.ts';

/** The end of this node's ledger, as it shows it to others. */
export async function ownEnd(ctx: Context): Promise<LedgerEnd> {
  const head = await readHead(ctx, logKeyOf(ctx.keys));
  const root = toHex(head === undefined ? emptyRoot() : rootOf(head.frontier));
  return { origin: originOf(logKeyOf(ctx.keys)), size: head?.size ?? 0, root };
}

/**
 * Asks a node how far its ledger goes now. Unlike what it tells by itself, the answer can't be older than what the caller read before.
 *
 * @returns undefined for an answer that is none
 * @throws Problem of the network
 */
export async function askForEnd({ gossip }: Context, nodeId: string): Promise<LedgerEnd | undefined> {
  const said = v.safeParse(ledgerEnd, await gossip.request({ nodeId }, protocol, { ask: 'end' }));
  return said.success ? said.output : undefined;
}
