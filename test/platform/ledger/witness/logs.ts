import { randomBytes } from 'node:crypto';
import { transaction } from '../../../src/context.ts';
import { toHex } from '../../../src/crypto/bytes.ts';
import type { Peer } from '../../../src/gossip/port.ts';
import { appendEntry } from '../../../src/ledger/append.ts';
import { issueCheckpoint } from '../../../src/ledger/issue-checkpoint.ts';
import { prepareCheckpoint, type Prepared } from '../../../src/ledger/witness/prepare.ts';
import { openHouse, type House } from '../../support/house.ts';
import type { EngineName } from '../../../src/store/database.ts';

/** Adds entries; the first one brings a genesis entry with it. */
export async function grow({ ctx }: House, count = 1, word = 'entry'): Promise<void> {
  for (let at = 0; at < count; at += 1)
    await transaction(ctx, (tx) => appendEntry(tx, { type: 'PASSVAULT_AUDIT', data: { word, at } }));
  await ctx.ledger.settled();
}

/** A node whose ledger somebody else witnesses, and the copy of it that another process runs. */
export async function openPair(engine: EngineName): Promise<{ one: House; copy: House }> {
  const secret = randomBytes(32);
  return { one: await openHouse(engine, { secret }), copy: await openHouse(engine, { secret }) };
}

export function peerOf({ ctx: { keys } }: House): Peer {
  return { nodeId: keys.nodeId, publicKey: toHex(keys.identity.publicKey), admitted: true, addresses: [] };
}

/** What the node sends to a witness that knows its ledger of `oldSize` entries. */
export async function asks({ ctx }: House, oldSize: number): Promise<Prepared> {
  return await prepareCheckpoint(ctx, await issueCheckpoint(ctx), oldSize);
}
