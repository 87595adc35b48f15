import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { COSIGNATURE_TYPE, parseVerifierKey } from '../../../../src/crypto/verifier-key.ts';
import { parseNote } from '../../../../src/crypto/formats/ledger/signed-note.ts';
import { cosignedAt } from '../../../../src/crypto/formats/ledger/cosignature.ts';
import { countEvidence } from '../../../../src/platform/ledger/witness/evidence.ts';
import { stopAsCopy } from '../../../support/stopped.ts';
import { witnessCheckpoint } from '../../../../src/platform/ledger/witness/witness.ts';
import { openHouse, type House } from '../../../support/house.ts';
import { bothEngines } from '../../../support/stores.ts';
import { asks, grow, openPair, peerOf } from './logs.ts';

describe.each(bothEngines)('a witness on %s', (engine) => {
  let witness: House;
  let one: House;
  let copy: House;

  beforeEach(async () => {
    witness = await openHouse(engine);
    ({ one, copy } = await openPair(engine));
  });
  afterEach(async () => {
    for (const house of [witness, one, copy]) await house[Symbol.asyncDispose]();
  });

  const remembered = async () =>
    await witness.ctx.db.selectFrom('witnessed_logs').select(['origin', 'size', 'next_origin']).execute();
  const evidence = async () =>
    await witness.ctx.db.selectFrom('ledger_evidence').select(['kind', 'node_id', 'source']).execute();
  const take = async (house: House, oldSize: number) =>
    await witnessCheckpoint(witness.ctx, peerOf(house), await asks(house, oldSize));

  it('cosigns what continues the largest checkpoint that it knows', async () => {
    await grow(one, 4);
    const first = await asks(one, 0);
    const answer = (await witnessCheckpoint(witness.ctx, peerOf(one), first)) as { signature: string };
    const key = parseVerifierKey(witness.ctx.keys.witnessKey, COSIGNATURE_TYPE)!;
    const cosigned = parseNote(first.checkpoint + answer.signature)!;
    expect(cosignedAt(cosigned, key)).toBe(witness.clock.now() / 1_000);
    await grow(one, 3);
    expect(await take(one, 5)).toHaveProperty('signature');
    expect(await take(one, 8)).toHaveProperty('signature');
    expect(await remembered()).toEqual([{ origin: `conclave/${one.ctx.keys.nodeId}`, size: 8, next_origin: null }]);
    expect(await evidence()).toEqual([]);
  });

  it('answers with the size that it knows when the old size is another one, and never goes back', async () => {
    await grow(one, 4);
    const small = await asks(one, 0);
    await grow(one, 4);
    expect(await take(one, 5)).toEqual({ conflict: 0 });
    expect(await take(one, 0)).toHaveProperty('signature');
    expect(await take(one, 3)).toEqual({ conflict: 9 });
    expect(await witnessCheckpoint(witness.ctx, peerOf(one), small)).toEqual({ conflict: 9 });
    expect(await witnessCheckpoint(witness.ctx, peerOf(one), { ...small, oldSize: 5 })).toEqual({ conflict: 9 });
    expect(await remembered()).toMatchObject([{ size: 9 }]);
    expect(await evidence()).toEqual([]);
  });

  it('keeps two checkpoints of one size and of different roots as evidence, once', async () => {
    await grow(one, 4, 'one');
    await grow(copy, 4, 'other');
    await take(one, 0);
    for (const oldSize of [5, 0, 5]) expect(await take(copy, oldSize)).toEqual({ conflict: 5 });
    const { nodeId } = one.ctx.keys;
    expect(await evidence()).toEqual([{ kind: 'same-size', node_id: nodeId, source: nodeId }]);
    expect(await countEvidence(witness.ctx)).toEqual({ nodes: new Map([[nodeId, 1]]), total: 1 });
    const said = witness.log.lines.filter(({ level }) => level === 'error');
    expect(said).toMatchObject([{ message: expect.stringContaining('different ledgers of the same size'), nodeId }]);
  });

  it('refuses a later checkpoint that does not continue the known one, and keeps both', async () => {
    await grow(one, 4, 'one');
    await grow(copy, 7, 'other');
    await take(one, 0);
    await expect(take(copy, 5)).rejects.toMatchObject({ code: 'CHECKPOINT_REFUSED' });
    expect(await evidence()).toMatchObject([{ kind: 'not-continued' }]);
    expect(await remembered()).toMatchObject([{ size: 5 }]);
  });

  it('that dies after it has remembered a checkpoint cosigns that one later, and no other of its size', async () => {
    await grow(one, 4, 'one');
    await grow(copy, 4, 'other');
    const { keys } = witness.ctx;
    const dies = {
      ...keys,
      get witness(): never {
        throw new Error('killed');
      },
    };
    const asked = await asks(one, 0);
    await expect(witnessCheckpoint({ ...witness.ctx, keys: dies }, peerOf(one), asked)).rejects.toThrow('killed');
    expect(await take(copy, 5)).toEqual({ conflict: 5 });
    expect(await take(one, 5)).toHaveProperty('signature');
    expect(await evidence()).toMatchObject([{ kind: 'same-size' }]);
  });

  it('counts contradictions beyond the sixteenth of a node', async () => {
    await grow(one, 2, 'one');
    await take(one, 0);
    for (let at = 0; at < 18; at += 1) {
      await grow(copy, 2, `other ${at}`);
      await take(copy, 3).catch(() => undefined);
    }
    expect(await evidence()).toHaveLength(16);
    expect((await countEvidence(witness.ctx)).total).toBe(18);
  });

  it('believes only what the node itself signed, under a key that its log names', async () => {
    await grow(one, 4);
    const asked = await asks(one, 0);
    const give = async (peer: House, changes: Partial<typeof asked>) =>
      await witnessCheckpoint(witness.ctx, peerOf(peer), { ...asked, ...changes });
    const refused = { code: 'CHECKPOINT_REFUSED' };
    await expect(give(witness, {})).rejects.toMatchObject(refused);
    await expect(give(one, { genesis: undefined })).rejects.toMatchObject(refused);
    await expect(give(one, { genesis: { ...asked.genesis!, index: 1 } })).rejects.toMatchObject(refused);
    await expect(give(one, { oldSize: 6 })).rejects.toMatchObject(refused);
    await expect(give(one, { proof: [new Uint8Array(32)] })).rejects.toMatchObject(refused);
    for (const text of ['', asked.checkpoint.slice(1), asked.checkpoint.replace('\n5\n', '\n6\n')])
      await expect(give(one, { checkpoint: text })).rejects.toMatchObject(refused);
    const lines = asked.checkpoint.trimEnd().split('\n');
    // Without the signature of the log key, and without that of the node.
    for (const leftOut of [4, 5])
      await expect(
        give(one, { checkpoint: `${lines.filter((_, at) => at !== leftOut).join('\n')}\n` }),
      ).rejects.toMatchObject(refused);
    expect(await remembered()).toEqual([]);
  });

  it('of two checkpoints at once that continue the known one cosigns one', async () => {
    await grow(one, 1);
    await take(one, 0);
    await grow(one, 2);
    const small = await asks(one, 2);
    await grow(one, 4);
    const large = await asks(one, 2);
    const answers = await Promise.all(
      [small, large].map(async (asked) => await witnessCheckpoint(witness.ctx, peerOf(one), asked)),
    );
    const [{ size } = { size: 0 }] = await remembered();
    expect([4, 8]).toContain(size);
    expect(answers).toContainEqual({ conflict: size });
    expect(answers.filter((answer) => 'signature' in answer)).toHaveLength(1);
  });

  it('of two checkpoints at once cosigns what continues the other', async () => {
    await grow(one, 4);
    const small = await asks(one, 0);
    await grow(one, 4);
    const large = await asks(one, 0);
    const answers = await Promise.all(
      [small, large].map(async (asked) => await witnessCheckpoint(witness.ctx, peerOf(one), asked)),
    );
    const [{ size } = { size: 0 }] = await remembered();
    expect([5, 9]).toContain(size);
    expect(answers).toContainEqual({ conflict: size });
    expect(answers.filter((answer) => 'signature' in answer)).toHaveLength(1);
  });

  it('signs nothing once it has stopped', async () => {
    await grow(one, 4);
    await stopAsCopy(witness.ctx);
    await expect(take(one, 0)).rejects.toMatchObject({ code: 'NODE_STOPPED' });
    expect(await remembered()).toEqual([]);
    expect((await witness.api('GET', '/ledger/checkpoint')).body).toMatchObject({ error: 'NODE_STOPPED' });
  });
});
