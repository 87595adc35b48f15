import { describe, expect, it } from 'vitest';
import type { Context } from '../../../../src/service/context.ts';
import { ledger } from '../../../../src/contract/ledger.ts';
import { toHex } from '../../../../src/crypto/bytes.ts';
import type { Peer } from '../../../../src/service/ports/network.ts';
import { createInstances } from '../../../../src/platform/ledger/witness/instances.ts';
import { hashOf, makeStatement } from '../../../../src/platform/ledger/witness/statement.ts';
import { stopsOf } from '../../../../src/platform/ledger/witness/stop.ts';
import { openHouse } from '../../../support/house.ts';
import { stopAsCopy } from '../../../support/stopped.ts';
import { bothEngines, engines } from '../../../support/stores.ts';

const HOUR_MS = 3_600_000;

describe.each(bothEngines.filter((engine) => engine === 'postgres'))('processes on one database on %s', (engine) => {
  it('are no copies of each other, whatever one said before the machine slept', async () => {
    await using house = await openHouse(engine);
    const { ctx, clock } = house;
    const { self, witness } = peersOf(ctx);
    const [one, other] = [createInstances(ctx), createInstances(ctx)];
    await other.state(witness);
    await one.state(witness);
    clock.advance(HOUR_MS);
    const said = await other.state(witness);
    clock.advance(HOUR_MS);
    // This look removes the row of the other process, which has been silent for so long.
    await one.hear(said, self);
    expect(await stopsOf(ctx)).toEqual([]);
  });

  it('are no copies when the machine sleeps before the one that starts saw the other one write', async () => {
    await using house = await openHouse(engine);
    const { ctx, clock } = house;
    const { self, witness } = peersOf(ctx);
    const other = createInstances(ctx);
    const said = await other.state(witness);
    const one = createInstances(ctx);
    await one.hear(said, self);
    clock.advance(60_000);
    await one.hear(said, self);
    expect(await stopsOf(ctx)).toEqual([]);
  });

  it('name each other from the first statement, also when several are made at once', async () => {
    await using house = await openHouse(engine);
    const { witness } = peersOf(house.ctx);
    const first = await createInstances(house.ctx).state(witness);
    const second = createInstances(house.ctx);
    const said = await Promise.all([second.state(witness), second.state(witness), second.state(witness)]);
    for (const statement of said) expect(statement.beside).toEqual([statement.instance, first.instance]);
  });

  it('are copies when one was found in the database and never writes into it', async () => {
    await using house = await openHouse(engine);
    const { ctx, clock } = house;
    const { self, witness } = peersOf(ctx);
    const said = await createInstances(ctx).state(witness);
    const one = createInstances(ctx);
    for (let looks = 0; looks < 3; looks += 1) {
      await one.state(witness);
      clock.advance(10_000);
    }
    await one.hear(said, self);
    expect((await stopsOf(ctx)).map(({ kind }) => kind)).toEqual(['cloned']);
  });
});

describe.each(engines)('a copy of a node on %s', (engine) => {
  it('is not noticed after a recovery because of what it said before, and is when it still runs', async () => {
    await using house = await openHouse(engine);
    const { ctx } = house;
    const { witness } = peersOf(ctx);
    const publicKey = toHex(ctx.keys.identity.publicKey);
    const one = createInstances(ctx);
    const accusation = async () => {
      const earlier = await one.state(witness);
      const copy = 'ab'.repeat(16);
      const said = { instance: copy, beside: [copy], after: hashOf(publicKey, earlier), nonce: 'cd'.repeat(16) };
      return [earlier, makeStatement(ctx.keys, said)];
    };
    const before = await accusation();
    ctx.keys.useLog('0123456789abcdef');
    await one.heed(before, witness);
    expect(await stopsOf(ctx)).toEqual([]);
    await one.heed(await accusation(), witness);
    expect(await stopsOf(ctx)).toMatchObject([{ kind: 'cloned' }]);
  });

  it('is not noticed after a recovery that came while it was compared', async () => {
    await using house = await openHouse(engine);
    const { ctx } = house;
    const { self, witness } = peersOf(ctx);
    const [one, other] = [createInstances(ctx), createInstances(ctx)];
    const earlier = await one.state(witness);
    const copy = 'ab'.repeat(16);
    const after = hashOf(toHex(ctx.keys.identity.publicKey), earlier);
    const said = makeStatement(ctx.keys, { instance: copy, beside: [copy], after, nonce: 'cd'.repeat(16) });
    const operator = [await house.operatorToken(), { trusted: true }] as const;
    for (const hears of [
      async () => await one.heed([earlier, said], witness),
      async () => await other.hear(said, self),
    ]) {
      await stopAsCopy(ctx);
      const { size } = (await house.perform(ledger.recovery, {}, ...operator)).body.recovers;
      const isRecovered = house.meanwhile(async () => {
        expect((await house.perform(ledger.recover, { size }, ...operator)).status).toBe(200);
      });
      await hears();
      expect(isRecovered()).toBe(true);
      expect(await stopsOf(ctx)).toEqual([]);
    }
    await other.hear(said, self);
    expect(await stopsOf(ctx)).toMatchObject([{ kind: 'cloned' }]);
  });
});

function peersOf({ keys }: Context): { readonly self: Peer; readonly witness: Peer } {
  const self = { nodeId: keys.nodeId, publicKey: toHex(keys.identity.publicKey), admitted: true, addresses: [] };
  return { self, witness: { ...self, nodeId: '00'.repeat(20) } };
}
