import { randomBytes } from 'node:crypto';
import { transaction } from '../../../../src/service/context.ts';
import { toHex } from '../../../../src/crypto/bytes.ts';
import type { Peer } from '../../../../src/service/ports/network.ts';
import { appendEntry } from '../../../../src/platform/ledger/append.ts';
import { issueCheckpoint } from '../../../../src/platform/ledger/issue-checkpoint.ts';
import { prepareCheckpoint, type Prepared } from '../../../../src/platform/ledger/witness/prepare.ts';
import { openHouse, type House } from '../../../support/house.ts';
import type { EngineName } from '../../../../src/platform/store/database.ts';

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
