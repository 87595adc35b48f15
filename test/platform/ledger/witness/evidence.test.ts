import { describe, expect, it } from 'vitest';
import { ledger } from '../../../../src/contract/ledger.ts';
import { services } from '../../../../src/node/services.ts';
import { verifyLedger } from '../../../../src/platform/ledger/verify-ledger.ts';
import { parseEvidence, writeEvidence, type Evidence } from '../../../../src/crypto/formats/ledger/evidence-file.ts';
import { stopAsCopy } from '../../../support/stopped.ts';
import { verifyEvidence } from '../../../../src/crypto/formats/ledger/verify-evidence.ts';
import { witnessCheckpoint } from '../../../../src/platform/ledger/witness/witness.ts';
import { openHouse, type House } from '../../../support/house.ts';
import { engines } from '../../../support/stores.ts';
import { asks, grow, openPair, peerOf } from './logs.ts';

const documents = async ({ ctx }: House) =>
  (await ctx.db.selectFrom('ledger_evidence').select('document').orderBy('found_at').orderBy('kind').execute()).map(
    ({ document }) => document,
  );
const notices = async ({ ctx }: House) =>
  (await ctx.db.selectFrom('ledger_notices').select('kind').execute()).map(({ kind }) => kind);

async function recover(house: House): Promise<void> {
  await stopAsCopy(house.ctx);
  const operator = [await house.operatorToken(), { trusted: true }] as const;
  const { recovers } = (await house.perform(ledger.recovery, {}, ...operator)).body;
  expect((await house.perform(ledger.recover, { size: recovers.size }, ...operator)).status).toBe(200);
}

interface Scene extends AsyncDisposable {
  readonly witness: House;
  readonly one: House;
  readonly copy: House;
  /** the witness gets a checkpoint, whatever it says to that */
  show(house: House, oldSize: number): Promise<void>;
}

async function open(engine: (typeof engines)[number]): Promise<Scene> {
  const witness = await openHouse(engine);
  const { one, copy } = await openPair(engine);
  return {
    witness,
    one,
    copy,
    async show(house, oldSize) {
      await witnessCheckpoint(witness.ctx, peerOf(house), await asks(house, oldSize)).catch(() => undefined);
    },
    async [Symbol.asyncDispose]() {
      for (const house of [copy, one, witness]) await house[Symbol.asyncDispose]();
    },
  };
}

/** What each kind of contradiction comes from. */
const acts = {
  async 'same-size'({ one, copy, show }: Scene) {
    await grow(one, 4, 'one');
    await grow(copy, 4, 'other');
    await show(one, 0);
    await show(copy, 5);
  },
  async 'not-continued'({ one, copy, show }: Scene) {
    // Eight entries: a proof from there does not contain the root of the beginning.
    await grow(one, 7, 'one');
    await grow(copy, 11, 'other');
    await show(one, 0);
    await show(copy, 8);
    await show(copy, 8);
  },
  async 'after-recovery'({ one, copy, show }: Scene) {
    await grow(one, 3);
    await grow(copy, 8);
    await show(one, 0);
    await recover(one);
    await show(one, 0);
    await show(copy, 4);
  },
  async 'forgot-entries'({ one, copy, show }: Scene) {
    await grow(one, 9);
    await grow(copy, 3);
    await show(one, 0);
    await recover(copy);
    await show(copy, 0);
  },
  async 'recovered-twice'({ one, copy, show }: Scene) {
    await grow(one, 3);
    await grow(copy, 3);
    await show(one, 0);
    await recover(one);
    await show(one, 0);
    await recover(copy);
    await show(copy, 0);
  },
} as const;

describe.each(engines)('evidence against a node on %s', (engine) => {
  it.each(Object.keys(acts) as (keyof typeof acts)[])(
    'of the kind %s convinces anybody from its file',
    async (kind) => {
      await using scene = await open(engine);
      await acts[kind](scene);
      const files = (await documents(scene.witness)).filter((text) => parseEvidence(text)?.kind === kind);
      expect(files).toHaveLength(1);
      const [text = ''] = files;
      const { nodeId, identity } = scene.one.ctx.keys;
      const nodeKey = Buffer.from(identity.publicKey).toString('hex');
      const shown = verifyEvidence(text);
      expect(shown).toMatchObject({ ok: true, nodeId, nodeKey });
      expect(shown.checks.every(({ ok }) => ok)).toBe(true);
      expect(shown.proven.join(' ')).toContain(nodeKey);

      // Whatever is changed in it, it shows nothing any more.
      const evidence = parseEvidence(text) as Evidence;
      const otherKey = Buffer.from(scene.witness.ctx.keys.identity.publicKey).toString('hex');
      const forged: Evidence[] = [
        { ...evidence, nodeId: scene.witness.ctx.keys.nodeId },
        { ...evidence, nodeId: scene.witness.ctx.keys.nodeId, nodeKey: otherKey },
        { ...evidence, one: evidence.other },
        { ...evidence, other: evidence.one },
        { ...evidence, one: evidence.one.replace(/\n(\d)/, '\n1$1') },
        ...(evidence.instead === undefined ? [] : [{ ...evidence, instead: { ...evidence.instead, proof: [] } }]),
        ...(evidence.geneses === undefined ? [] : [{ ...evidence, geneses: [] }]),
      ];
      for (const one of forged) expect(verifyEvidence(writeEvidence(one))).toMatchObject({ ok: false, proven: [] });
      for (const broken of ['', '{}', '[', text.slice(1), text.replace('evidence/v1', 'evidence/v2')])
        expect(verifyEvidence(broken).checks).toMatchObject([{ name: 'form', ok: false }]);
    },
  );

  it('is none when the node proves nothing, and is noticed', async () => {
    await using scene = await open(engine);
    const { witness, one, copy } = scene;
    await grow(one, 4, 'one');
    await grow(copy, 7, 'other');
    await scene.show(one, 0);
    const asked = await asks(copy, 5);
    const refused = { code: 'CHECKPOINT_REFUSED' };
    for (const change of [{ root: undefined }, { proof: [] }, { root: new Uint8Array(32) }])
      await expect(witnessCheckpoint(witness.ctx, peerOf(copy), { ...asked, ...change })).rejects.toMatchObject(
        refused,
      );
    expect(await documents(witness)).toEqual([]);
    expect(await notices(witness)).toEqual(['unproven']);
    const said = witness.log.lines.filter(({ message }) => String(message).includes('did not show'));
    expect(said).toHaveLength(1);
  });

  it('is none when the larger checkpoint came before the recovery that names it', async () => {
    await using scene = await open(engine);
    await grow(scene.one, 3);
    await scene.show(scene.one, 0);
    await grow(scene.one, 4);
    const late = await asks(scene.one, 4);
    await recover(scene.one);
    await scene.show(scene.one, 0);
    await expect(witnessCheckpoint(scene.witness.ctx, peerOf(scene.one), late)).rejects.toMatchObject({
      code: 'CHECKPOINT_REFUSED',
    });
    expect(await documents(scene.witness)).toEqual([]);
    expect(await notices(scene.witness)).toEqual(['recovered']);
  });

  it('is in the ledger, which misses it when it is deleted or changed', async () => {
    await using scene = await open(engine);
    await acts['same-size'](scene);
    const { witness } = scene;
    const ctx = { ...witness.ctx, ledgerChecks: services.flatMap(({ ledgerChecks = [] }) => ledgerChecks) };
    const checked = async () => {
      const { ok, faults, checks } = await verifyLedger(ctx, { full: true });
      return { ok, faults, detail: checks.find(({ name }) => name === 'contradictions')?.detail };
    };
    expect(await checked()).toEqual({ ok: true, faults: [], detail: 'contradictions of other nodes that are kept: 1' });
    const row = await ctx.db.selectFrom('ledger_evidence').selectAll().executeTakeFirstOrThrow();
    const fault = (how: string) => [{ what: `the evidence ${row.id} against the node ${row.node_id} ${how}` }];
    await ctx.db
      .updateTable('ledger_evidence')
      .set({ document: row.document.replace('same', 'some') })
      .execute();
    expect(await checked()).toMatchObject({ ok: false, faults: fault('was changed') });
    await ctx.db.deleteFrom('ledger_evidence').execute();
    expect(await checked()).toMatchObject({ ok: false, faults: fault('is missing') });
  });
});
