import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { transaction } from '../../src/service/context.ts';
import { toHex } from '../../src/crypto/bytes.ts';
import type { Peer } from '../../src/service/ports/network.ts';
import { originOf } from '../../src/crypto/formats/ledger/log-key.ts';
import { answerWitness } from '../../src/platform/ledger/witness/answers.ts';
import { askForCosignature } from '../../src/platform/ledger/witness/cosignatures.ts';
import { writeAddCheckpoint } from '../../src/platform/ledger/witness/add-checkpoint.ts';
import { createInstances } from '../../src/platform/ledger/witness/instances.ts';
import { bindWitnessKey, witnessKeyOf } from '../../src/platform/ledger/witness/witness-key.ts';
import { asks, grow, peerOf } from '../platform/ledger/witness/logs.ts';
import { openHouse, type House } from '../support/house.ts';
import { engines } from '../support/stores.ts';

/** What comes from the network, as it comes from there. */
async function ask(witness: House, peer: Peer, asked: unknown): Promise<unknown> {
  return await answerWitness(witness.ctx, createInstances(witness.ctx), asked, peer);
}

async function question(house: House, oldSize = 0) {
  const { genesis, root, ...rest } = await asks(house, oldSize);
  return {
    ask: 'add-checkpoint',
    body: writeAddCheckpoint(rest),
    ...(root !== undefined && { root: toHex(root) }),
    ...(genesis !== undefined && { genesis: { ...genesis, proof: genesis.proof.map(toHex) } }),
  };
}

const remembered = async ({ ctx }: House) =>
  await ctx.db.selectFrom('witnessed_logs').select(['origin', 'size']).execute();
const malformed = { code: 'QUESTION_MALFORMED' };
const refused = { code: 'CHECKPOINT_REFUSED' };

describe.each(engines)('peers that lie about ledgers, on %s', (engine) => {
  it('send what is too much, or nothing of the kind', async () => {
    await using witness = await openHouse(engine);
    await using one = await openHouse(engine);
    await grow(one, 3);
    const good = await question(one);
    const { body } = good;
    const huge = [
      { ...good, body: body + 'x'.repeat(20_000) },
      { ...good, body: `old 1\n${`${'A'.repeat(43)}=\n`.repeat(64)}\n${body.slice(body.indexOf('\n\n') + 2)}` },
      { ...good, genesis: { ...good.genesis, proof: Array.from({ length: 65 }, () => 'ab'.repeat(32)) } },
      { ...good, genesis: { ...good.genesis, entry: 'x'.repeat(16_385) } },
      { ...good, root: 'ab' },
      { ask: 'consistency', origin: 'x'.repeat(101), from: 1, to: 2 },
      { ask: 'consistency', origin: 'x', from: 1, to: 2 ** 53 },
      { ask: 'checkpoint', origin: 7 },
      { ask: 'everything' },
      null,
      [],
    ];
    for (const asked of huge) await expect(ask(witness, peerOf(one), asked)).rejects.toMatchObject(malformed);
    // A size that no ledger has, signed or not, costs one look.
    const sizes = { ask: 'consistency', origin: originOf(witness.ctx.keys.ledgerLogKey), from: 1, to: 2 ** 52 };
    await expect(ask(witness, peerOf(one), sizes)).rejects.toMatchObject(refused);
    const signatures = '— a.example AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n'.repeat(200);
    await expect(ask(witness, peerOf(one), { ...good, body: body + signatures })).rejects.toMatchObject(refused);
    expect(await remembered(witness)).toEqual([]);
    expect(await ask(witness, peerOf(one), good)).toHaveProperty('signature');
  });

  it('show checkpoints of other nodes as their own', async () => {
    await using witness = await openHouse(engine);
    await using one = await openHouse(engine);
    await using thief = await openHouse(engine);
    await grow(one, 3);
    await grow(thief, 3);
    const stolen = await question(one);
    await expect(ask(witness, peerOf(thief), stolen)).rejects.toMatchObject(refused);
    const { genesis } = await question(thief);
    await expect(ask(witness, peerOf(thief), { ...stolen, genesis })).rejects.toMatchObject(refused);
    const posing = { ...peerOf(thief), nodeId: one.ctx.keys.nodeId };
    await expect(ask(witness, posing, await question(thief))).rejects.toMatchObject(refused);
    expect(await remembered(witness)).toEqual([]);
    expect(await witness.ctx.db.selectFrom('ledger_evidence').selectAll().execute()).toEqual([]);
  });

  it('begin log after log, of which few are remembered', async () => {
    await using witness = await openHouse(engine);
    const secret = randomBytes(32);
    await using one = await openHouse(engine, { secret });
    await using next = await openHouse(engine, { secret });
    await grow(one, 2);
    expect(await ask(witness, peerOf(one), await question(one))).toHaveProperty('signature');
    const filler = { public_key: toHex(one.ctx.keys.identity.publicKey), log_key: '', size: 1, note: '', seen_at: 1 };
    await transaction(witness.ctx, async ({ db }) => {
      for (let at = 0; at < 70; at += 1)
        await db
          .insertInto('witnessed_logs')
          .values({
            ...filler,
            origin: `filler ${at}`,
            node_id: one.ctx.keys.nodeId,
            root: randomBytes(32),
            next_origin: 'x',
            genesis: null,
          })
          .execute();
    });
    // A log of another key, which says that it comes in place of none.
    next.ctx.keys.useLog('00'.repeat(8));
    await grow(next, 1);
    await expect(ask(witness, peerOf(next), await question(next))).rejects.toMatchObject(refused);
    expect(await remembered(witness)).toHaveLength(71);
  });

  it('answer with cosignatures of something else, which are not kept', async () => {
    await using witness = await openHouse(engine);
    await using one = await openHouse(engine);
    await grow(one, 3);
    const { signature: before } = (await ask(witness, peerOf(one), await question(one))) as { signature: string };
    await grow(one, 2);
    const key = witnessKeyOf(bindWitnessKey(witness.ctx.keys), peerOf(witness).publicKey)!;
    const kept = async () =>
      (await one.ctx.db.selectFrom('ledger_cosignatures').select('size').execute()).map(({ size }) => size);
    const answering = (answer: unknown) => ({
      ...one.ctx,
      gossip: { ...one.ctx.gossip, request: async () => await Promise.resolve(answer) },
    });
    const now = (await ask(witness, peerOf(one), await question(one, 4))) as { signature: string };
    const lies = [
      { signature: before },
      { signature: `${now.signature}${before}` },
      { signature: 'x' },
      { signature: '' },
      { signature: `\n${now.signature}` },
      { signature: now.signature.repeat(20) },
      { conflict: 2 ** 52 },
      { conflict: -1 },
      {},
      null,
    ];
    for (const lie of lies) {
      await askForCosignature(answering(lie), peerOf(witness), { text: key.text, verifier: key.verifier }, 4);
      expect([lie, await kept()]).toEqual([lie, []]);
    }
    await askForCosignature(answering(now), peerOf(witness), { text: key.text, verifier: key.verifier }, 4);
    expect(await kept()).toEqual([6]);
  });

  it('claim the witness key of another node', async () => {
    await using witness = await openHouse(engine);
    await using one = await openHouse(engine);
    const own = bindWitnessKey(witness.ctx.keys);
    expect(witnessKeyOf(own, peerOf(witness).publicKey)?.text).toBe(witness.ctx.keys.witnessKey);
    expect(witnessKeyOf(own, peerOf(one).publicKey)).toBeUndefined();
    const { signature } = bindWitnessKey(one.ctx.keys);
    expect(witnessKeyOf({ key: own.key, signature }, peerOf(one).publicKey)).toBeUndefined();
    for (const said of [undefined, null, 'x', {}, { ...own, key: 'x'.repeat(201) }, { ...own, signature: 'ab' }])
      expect(witnessKeyOf(said, peerOf(witness).publicKey)).toBeUndefined();
  });
});
