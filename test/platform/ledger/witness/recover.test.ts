import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ledger } from '../../../../src/contract/ledger.ts';
import { issueCheckpoint } from '../../../../src/platform/ledger/issue-checkpoint.ts';
import { checkMark } from '../../../../src/platform/ledger/witness/mark.ts';
import { stopUnlessContinued } from '../../../../src/platform/ledger/witness/own-head.ts';
import { stopsOf } from '../../../../src/platform/ledger/witness/stop.ts';
import { witnessCheckpoint } from '../../../../src/platform/ledger/witness/witness.ts';
import { openHouse, type House } from '../../../support/house.ts';
import { stopAsCopy } from '../../../support/stopped.ts';
import { engines } from '../../../support/stores.ts';
import { asks, grow, openPair, peerOf } from './logs.ts';

const operator = async (house: House) => [await house.operatorToken(), { trusted: true }] as const;
const look = async (house: House) => await house.perform(ledger.recovery, {}, ...(await operator(house)));
const recover = async (house: House, size: number) =>
  await house.perform(ledger.recover, { size }, ...(await operator(house)));
const head = async (house: House) => (await house.api('GET', '/ledger')).body;

/** Disposes of both, the later one first. */
function bothOf(first: House, second: House): AsyncDisposable {
  return {
    async [Symbol.asyncDispose]() {
      await second[Symbol.asyncDispose]();
      await first[Symbol.asyncDispose]();
    },
  };
}

describe.each(engines)('a recovery on %s', (engine) => {
  const secret = randomBytes(32);
  /** A node whose store was put back from ten entries to four, with the mark beside it. */
  const rolledBack = async () => {
    const before = await openHouse(engine, { secret });
    await grow(before, 9);
    const { root } = await issueCheckpoint(before.ctx);
    const house = await openHouse(engine, { secret, config: { dataDir: before.ctx.config.dataDir } });
    await grow(house, 3);
    await issueCheckpoint(house.ctx).catch(() => undefined);
    return { before, house, root: Buffer.from(root).toString('hex') };
  };

  it('begins a new log that names the largest head of the old one, and the node signs again', async () => {
    const { before, house, root } = await rolledBack();
    await using _ = bothOf(before, house);
    const oldKey = (await head(house)).logKey;
    expect((await head(house)).stopped).toMatchObject([{ kind: 'rolled-back', toldBy: 'ledger.mark' }]);
    const shown = (await look(house)).body;
    expect(shown).toMatchObject({
      size: 4,
      missing: 6,
      recovers: { logKey: oldKey, size: 10, root, from: 'ledger.mark' },
    });
    const done = await recover(house, 10);
    expect(done).toMatchObject({ status: 200, body: { recovers: { logKey: oldKey, size: 10, root }, size: 6 } });
    const now = await head(house);
    expect(now).toMatchObject({ logKey: done.body.logKey, size: 6, genesis: 4, stopped: [] });
    expect(now.logKey).not.toBe(oldKey);
    expect(now.origin).toMatch(new RegExp(`^conclave/${house.ctx.keys.nodeId}/[0-9a-f]{16}$`));
    expect((await house.api('GET', '/ledger/checkpoint')).body).toContain(`${now.origin}\n6\n`);
    const { entries } = (await house.api('GET', '/ledger/entries?from=4')).body;
    expect(entries.map(({ entry }: { entry: string }) => JSON.parse(entry))).toMatchObject([
      { type: 'LOG_GENESIS', data: { logKey: now.logKey, recovers: { logKey: oldKey, size: 10, root } } },
      { type: 'NODE_RECOVERED', data: { reasons: ['rolled-back'] } },
    ]);
    const checked = await house.perform(ledger.verify, { full: true }, ...(await operator(house)));
    expect(checked.body).toMatchObject({ ok: true, stopped: [] });
    expect((await recover(house, 6)).body).toMatchObject({ error: 'NODE_NOT_STOPPED' });
  });

  it(
    'names what was signed although the store has grown beyond that since, and no witness sees a contradiction',
    { tags: 'thorough' },
    async () => {
      const { before, house, root } = await rolledBack();
      await using _ = bothOf(before, house);
      await using witness = await openHouse(engine);
      await witnessCheckpoint(witness.ctx, peerOf(before), await asks(before, 0));
      await grow(house, 20);
      // The same store, by what another node tells: that is no second reason.
      await checkMark(house.ctx);
      expect(await head(house)).toMatchObject({ size: 24, stopped: [{ kind: 'rolled-back', toldBy: 'ledger.mark' }] });
      expect((await look(house)).body).toMatchObject({
        size: 24,
        missing: 6,
        recovers: { size: 10, root, from: 'ledger.mark' },
      });
      expect((await recover(house, 24)).body).toMatchObject({ error: 'RECOVERY_CHANGED' });
      expect(await recover(house, 10)).toMatchObject({ status: 200, body: { recovers: { size: 10, root } } });
      expect(await witnessCheckpoint(witness.ctx, peerOf(house), await asks(house, 0))).toHaveProperty('signature');
      expect(await witness.ctx.db.selectFrom('ledger_evidence').selectAll().execute()).toEqual([]);
    },
  );

  it('names the largest head that was told, whoever told it first', async () => {
    await using before = await openHouse(engine, { secret });
    await grow(before, 9);
    const smaller = await issueCheckpoint(before.ctx);
    await grow(before, 5);
    const larger = await issueCheckpoint(before.ctx);
    await using house = await openHouse(engine, { secret });
    await grow(house, 3);
    await stopUnlessContinued(house.ctx, smaller, 'one node');
    await stopUnlessContinued(house.ctx, larger, 'another node');
    await stopUnlessContinued(house.ctx, smaller, 'one node');
    expect((await look(house)).body).toMatchObject({
      stopped: [{ kind: 'rolled-back', toldBy: 'another node' }],
      missing: 11,
      recovers: { size: 15, from: 'another node' },
    });
  });

  it('of a node with a copy names what this store has signed, if that is more than what the copy is known to have signed', async () => {
    const { one, copy } = await openPair(engine);
    await using _ = bothOf(one, copy);
    await grow(copy, 3, 'another entry');
    const ofCopy = await issueCheckpoint(copy.ctx);
    await grow(one, 9);
    const { root } = await issueCheckpoint(one.ctx);
    await stopUnlessContinued(one.ctx, ofCopy, 'another node');
    await grow(one, 1);
    expect((await look(one)).body).toMatchObject({
      stopped: [{ kind: 'rewritten' }],
      size: 11,
      missing: 1,
      recovers: { size: 10, root: Buffer.from(root).toString('hex'), from: 'the store' },
    });
  });

  it('lasts through a restart', async () => {
    const { before, house } = await rolledBack();
    await using _ = bothOf(before, house);
    await recover(house, 10);
    const { logKey } = await head(house);
    house.ctx.keys.useLog('');
    await grow(house, 1);
    expect(await head(house)).toMatchObject({ logKey, size: 7, genesis: 4, stopped: [] });
    await issueCheckpoint(house.ctx);
    expect(await stopsOf(house.ctx)).toEqual([]);
  });

  it('is not undone by what another node told of the old log before it, and was still compared', async () => {
    const { before, house } = await rolledBack();
    await using _ = bothOf(before, house);
    const told = await issueCheckpoint(before.ctx);
    const isRecovered = house.meanwhile(async () => await recover(house, 10));
    await stopUnlessContinued(house.ctx, told, 'another node');
    expect(isRecovered()).toBe(true);
    expect(await stopsOf(house.ctx)).toEqual([]);
  });

  it('settles what is written about the old log while it goes on', async () => {
    const { before, house } = await rolledBack();
    await using _ = bothOf(before, house);
    const [stop] = await stopsOf(house.ctx);
    await recover(house, 10);
    // A transaction that began before the recovery, and ended after it.
    const row = { id: 'f'.repeat(32), kind: 'rewritten', details: JSON.stringify(stop?.details), recovered_at: null };
    const noticed = house.clock.now() + 1;
    await house.ctx.db
      .insertInto('ledger_stops')
      .values({ ...row, noticed_at: noticed })
      .execute();
    expect(await head(house)).toMatchObject({ stopped: [] });
    await stopAsCopy(house.ctx);
    expect((await head(house)).stopped).toMatchObject([{ kind: 'cloned' }]);
  });

  it('that was not confirmed for what is known now changes nothing', async () => {
    const { before, house } = await rolledBack();
    await using _ = bothOf(before, house);
    expect((await recover(house, 4)).body).toMatchObject({ error: 'RECOVERY_CHANGED' });
    expect(await head(house)).toMatchObject({ size: 4, stopped: [{ kind: 'rolled-back' }] });
  });

  it('is for the operator alone', async () => {
    await using house = await openHouse(engine);
    const boss = await house.administrator();
    for (const token of [undefined, boss.token, await house.operatorToken()]) {
      expect((await house.perform(ledger.recovery, {}, token)).status).not.toBe(200);
      expect((await house.perform(ledger.recover, { size: 0 }, token)).status).not.toBe(200);
    }
    expect((await house.perform(ledger.recover, { size: 0 }, boss.token, { trusted: true })).status).toBe(403);
  });

  it('is seen by witnesses as one, and the old log has ended', { tags: 'thorough' }, async () => {
    const { before, house } = await rolledBack();
    await using _ = bothOf(before, house);
    await using witness = await openHouse(engine);
    const logs = async () => await witness.ctx.db.selectFrom('witnessed_logs').selectAll().orderBy('origin').execute();
    const evidence = async () => await witness.ctx.db.selectFrom('ledger_evidence').selectAll().execute();
    await witnessCheckpoint(witness.ctx, peerOf(before), await asks(before, 0));
    await recover(house, 10);
    expect(await witnessCheckpoint(witness.ctx, peerOf(house), await asks(house, 0))).toHaveProperty('signature');
    expect(await evidence()).toEqual([]);
    const { origin } = await head(house);
    expect(await logs()).toMatchObject([
      { size: 10, next_origin: origin },
      { origin, size: 6, next_origin: null },
    ]);
    // Whoever goes on with the old log is a copy.
    await using copy = await openHouse(engine, { secret });
    await grow(copy, 10);
    await expect(witnessCheckpoint(witness.ctx, peerOf(copy), await asks(copy, 10))).rejects.toMatchObject({
      code: 'CHECKPOINT_REFUSED',
    });
    expect(await evidence()).toMatchObject([{ kind: 'after-recovery' }]);
  });

  it('that leaves out what a witness has seen is evidence', async () => {
    await using witness = await openHouse(engine);
    const { one, copy } = await openPair(engine);
    await using _ = bothOf(one, copy);
    await grow(one, 9);
    await grow(copy, 3);
    await witnessCheckpoint(witness.ctx, peerOf(one), await asks(one, 0));
    await stopAsCopy(copy.ctx);
    await recover(copy, 4);
    expect(await witnessCheckpoint(witness.ctx, peerOf(copy), await asks(copy, 0))).toHaveProperty('signature');
    const evidence = async () => await witness.ctx.db.selectFrom('ledger_evidence').select('kind').execute();
    expect(await evidence()).toEqual([{ kind: 'forgot-entries' }]);
    // The other copy recovers too: two logs in place of one.
    await stopAsCopy(one.ctx);
    await recover(one, 10);
    await expect(witnessCheckpoint(witness.ctx, peerOf(one), await asks(one, 0))).rejects.toMatchObject({
      code: 'CHECKPOINT_REFUSED',
    });
    expect(await evidence()).toContainEqual({ kind: 'recovered-twice' });
  });
});
