import { describe, expect, it } from 'vitest';
import { transaction } from '../../../src/service/context.ts';
import { pool } from '../../../src/contract/pool.ts';
import type { MessageOutcome } from '../../../src/service/ports/outbox.ts';
import { engines } from '../../support/stores.ts';
import { openScene, type PoolHouse, type PoolScene } from './pool-scene.ts';

const HOUR = 3_600_000;

async function twoNodes(scene: PoolScene) {
  const [a, b] = [await scene.open('a'), await scene.open('b')];
  await scene.admit(a, b);
  const results: (MessageOutcome & { version?: number })[] = [];
  a.node.port.onOutcome('test', async (_, { result, receipt }) => {
    const { version } = JSON.parse(receipt ?? '{}') as { version?: number };
    results.push({ ...result, ...(version !== undefined && { version }) });
  });
  return { a, b, results };
}

async function send({ house, node }: PoolHouse, to: PoolHouse, ids: readonly string[]): Promise<void> {
  const { network } = house.ctx.config;
  const ctx = { ...house.ctx, config: { ...house.ctx.config, network: { ...network, enabled: true } } };
  const expiresAt = house.clock.now() + 24 * HOUR;
  await transaction(ctx, async (tx) => {
    for (const id of ids) await node.port.send(tx, to.nodeId, 'test', { id, body: id, expiresAt });
  });
}

const outboxOf = async ({ house, boss }: PoolHouse, page: { limit?: number; cursor?: string } = {}) =>
  (await house.perform(pool.outbox, page, boss.token)).body;

describe.each(engines)('the outbox of a pool on %s', (engine) => {
  it('hands messages to the node that the access list names, and counts what it signs', async () => {
    await using scene = openScene(engine);
    const { a, b, results } = await twoNodes(scene);
    const heard: unknown[] = [];
    b.node.port.receive('test', async (_, { nodeId, body }) => void heard.push([nodeId, body]));
    await send(a, b, ['m1', 'm2']);
    await scene.settled();
    expect(heard).toEqual([
      [a.nodeId, 'm1'],
      [a.nodeId, 'm2'],
    ]);
    expect(results).toEqual([
      { outcome: 'acknowledged', version: 2 },
      { outcome: 'acknowledged', version: 2 },
    ]);
    expect(await outboxOf(a)).toMatchObject({ messages: [], count: 0, bytes: 0, hasMore: false });
  });

  it('shows administrators page by page what waits and why', async () => {
    await using scene = openScene(engine);
    const { a, b } = await twoNodes(scene);
    scene.network.cut('a', 'b');
    await send(a, b, ['m1', 'm2', 'm3']);
    await scene.settled();
    const first = await outboxOf(a, { limit: 2 });
    const at = new Date(a.house.clock.now());
    expect(first).toMatchObject({ count: 3, bytes: 12, hasMore: true });
    expect(first.messages.map(({ id }: { id: string }) => id)).toEqual(['m1', 'm2']);
    expect(first.messages[0]).toMatchObject({
      nodeId: b.nodeId,
      channel: 'test',
      size: 4,
      createdAt: at.toISOString(),
      connected: false,
      attempts: 1,
      failure: 'PEER_UNREACHABLE',
      reason: 'The node cannot be reached.',
    });
    expect(Date.parse(first.messages[0].nextAttemptAt)).toBeGreaterThan(at.getTime());
    const rest = await outboxOf(a, { limit: 2, cursor: first.cursor });
    expect(rest.messages.map(({ id }: { id: string }) => id)).toEqual(['m3']);
    const member = await a.house.register();
    const refused = await a.house.perform(pool.outbox, {}, member.token);
    expect([refused.status, refused.body.code ?? refused.body.error]).toEqual([403, 'FORBIDDEN']);
  });

  it('ends what waits for a node that is removed', async () => {
    await using scene = openScene(engine);
    const { a, b, results } = await twoNodes(scene);
    scene.network.cut('a', 'b');
    await send(a, b, ['m1']);
    await scene.settled();
    await a.house.perform(pool.removeNode, { nodeId: b.nodeId }, a.boss.token);
    await scene.settled();
    expect(results).toMatchObject([{ outcome: 'refused', code: 'NOT_IN_POOL' }]);
    await send(a, b, ['m2']);
    await scene.settled();
    expect(results).toHaveLength(2);
  });

  it('keeps back what waits for a node whose admission has expired', async () => {
    await using scene = openScene(engine);
    const { a, b, results } = await twoNodes(scene);
    const expiresAt = new Date(a.house.clock.now() + HOUR).toISOString();
    await a.house.perform(pool.updateNode, { nodeId: b.nodeId, expiresAt }, a.boss.token);
    await scene.settled();
    scene.advance(HOUR);
    await send(a, b, ['m1']);
    await scene.settled();
    expect((await outboxOf(a)).messages).toMatchObject([{ id: 'm1', failure: 'ADMISSION_EXPIRED' }]);
    expect(results).toEqual([]);
  });

  it('believes a receipt of an earlier version that names the node, and none of a version to come', async () => {
    await using scene = openScene(engine);
    const { a, b } = await twoNodes(scene);
    const { directory } = b.admission;
    const key = b.identity.publicKey;
    const keyAt = async (version: number) => await directory?.keyAt(b.house.ctx.db, b.nodeId, version);
    await a.house.perform(pool.removeNode, { nodeId: b.nodeId }, a.boss.token);
    await scene.settled();
    expect(await keyAt(1)).toBeUndefined();
    expect(await keyAt(2)).toBe(Buffer.from(key).toString('hex'));
    expect(await keyAt(3)).toBeUndefined();
    expect(await keyAt(4)).toBeUndefined();
  });
});
