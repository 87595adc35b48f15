import { describe, expect, it } from 'vitest';
import { transaction } from '../../../src/service/context.ts';
import { ledger } from '../../../src/contract/ledger.ts';
import { pool } from '../../../src/contract/pool.ts';
import { stopAsCopy } from '../../support/stopped.ts';
import { engines } from '../../support/stores.ts';
import { listOf, openScene, type PoolHouse, type PoolScene } from './pool-scene.ts';

const refused = { status: 409, body: { error: 'NODE_STOPPED' } };

const stop = async ({ house }: PoolHouse) => await stopAsCopy(house.ctx);

async function recover({ house }: PoolHouse): Promise<void> {
  const operator = [await house.operatorToken(), { trusted: true }] as const;
  const { recovers } = (await house.perform(ledger.recovery, {}, ...operator)).body;
  expect(await house.perform(ledger.recover, { size: recovers.size }, ...operator)).toMatchObject({ status: 200 });
}

async function pair(scene: PoolScene) {
  const [a, b] = [await scene.open('a'), await scene.open('b')];
  await scene.admit(a, b);
  return { a, b };
}

describe.each(engines)('a node that signs nothing, on %s', (engine) => {
  it('founds no pool, and leaves none', async () => {
    await using scene = openScene(engine);
    const alone = await scene.open('alone');
    await stop(alone);
    expect(await alone.house.perform(pool.status, {}, alone.boss.token)).toMatchObject(refused);
    expect(await alone.house.ctx.db.selectFrom('pool_lists').selectAll().execute()).toEqual([]);
    await recover(alone);
    expect((await alone.house.perform(pool.status, {}, alone.boss.token)).status).toBe(200);

    const { b } = await pair(scene);
    const { poolId } = (await listOf(b)).document;
    await stop(b);
    expect(await b.house.perform(pool.leave, { poolId }, b.boss.token)).toMatchObject(refused);
    expect((await listOf(b)).document.poolId).toBe(poolId);
  });

  it('shows its pool, and changes nothing in it', async () => {
    await using scene = openScene(engine);
    const { a, b } = await pair(scene);
    const c = await scene.open('c');
    await c.house.perform(pool.join, { address: a.node.address }, c.boss.token);
    await stop(a);
    const before = await listOf(a);
    const perform: typeof a.house.perform = async (op, input) => await a.house.perform(op, input, a.boss.token);
    expect((await perform(pool.status, {})).body.stopped).toMatchObject([{ kind: 'cloned' }]);
    expect((await perform(pool.pendingNodes, {})).body.pendingNodes).toHaveLength(1);
    expect(await perform(pool.approveNode, { nodeId: c.nodeId })).toMatchObject(refused);
    expect(await perform(pool.denyNode, { nodeId: c.nodeId })).toMatchObject(refused);
    expect(await perform(pool.removeNode, { nodeId: b.nodeId })).toMatchObject(refused);
    expect(await perform(pool.updateAcl, { mode: 'open' })).toMatchObject(refused);
    const expiresAt = new Date(a.house.clock.now() + 3_600_000).toISOString();
    expect(await perform(pool.createToken, { expiresAt })).toMatchObject(refused);
    expect(await listOf(a)).toEqual(before);
    expect((await perform(pool.listTokens, {})).body.joinTokens).toEqual([]);
    await recover(a);
    expect((await perform(pool.approveNode, { nodeId: c.nodeId })).status).toBe(200);
  });

  it('takes nothing over from another branch until it is recovered', async () => {
    await using scene = openScene(engine);
    const { a, b } = await pair(scene);
    const [c, d] = [await scene.open('c'), await scene.open('d')];
    for (const guest of [c, d]) await scene.admit(a, guest);
    const { public_key: key } = await b.house.ctx.db
      .selectFrom('members')
      .select('public_key')
      .where('id', '=', b.boss.memberId)
      .executeTakeFirstOrThrow();
    await a.house.perform(pool.updateAcl, { addKeys: [key] }, a.boss.token);
    await scene.settled();
    for (const [one, other] of [
      ['a', 'b'],
      ['a', 'd'],
      ['c', 'b'],
      ['c', 'd'],
    ] as const)
      scene.network.cut(one, other);
    await a.house.perform(pool.removeNode, { nodeId: d.nodeId }, a.boss.token);
    await b.house.perform(pool.removeNode, { nodeId: c.nodeId }, b.boss.token);
    await scene.settled();
    await stop(a);
    const rounds = async (): Promise<void> => {
      for (let round = 0; round < 3; round += 1) {
        scene.network.round();
        await scene.settled();
      }
    };
    await scene.network.heal('a', 'b');
    await scene.settled();
    await rounds();
    const versions = [(await listOf(a)).document.version, (await listOf(b)).document.version];
    expect(new Set(versions)).toEqual(new Set([6]));
    await recover(a);
    await rounds();
    const { document } = await listOf(a);
    expect(document.version).toBe(7);
    expect(document.writers.map(({ nodeId }) => nodeId).toSorted()).toEqual([a.nodeId, b.nodeId].toSorted());
  });

  it('acknowledges no message, and gets all when it is recovered', async () => {
    await using scene = openScene(engine);
    const { a, b } = await pair(scene);
    const heard: unknown[] = [];
    const results: unknown[] = [];
    b.node.port.receive('test', async (_, { body }) => void heard.push(body));
    a.node.port.onOutcome('test', async (_, { result }) => void results.push(result.outcome));
    await stop(b);
    const { network } = a.house.ctx.config;
    const ctx = { ...a.house.ctx, config: { ...a.house.ctx.config, network: { ...network, enabled: true } } };
    const expiresAt = a.house.clock.now() + 86_400_000;
    await transaction(ctx, async (tx) => {
      await a.node.port.send(tx, b.nodeId, 'test', { id: 'm1', body: 'hello', expiresAt });
    });
    await scene.settled();
    expect([heard, results]).toEqual([[], []]);
    const waiting = (await a.house.perform(pool.outbox, {}, a.boss.token)).body;
    expect(waiting).toMatchObject({ count: 1, messages: [{ id: 'm1', failure: 'NODE_STOPPED' }] });
    await recover(b);
    scene.advance(60_000);
    b.node.stop();
    await b.restart();
    await scene.settled();
    expect([heard, results]).toEqual([['hello'], ['acknowledged']]);
  });
});
