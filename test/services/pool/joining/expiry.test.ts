import { describe, expect, it } from 'vitest';
import { pool } from '../../../../src/contract/pool.ts';
import { openScene, status, type PoolHouse } from '../pool-scene.ts';
import { engines } from '../../../support/stores.ts';

const HOUR = 3_600_000;
const admittedPeers = ({ node }: PoolHouse) =>
  node.port
    .peers()
    .filter(({ admitted }) => admitted)
    .map(({ nodeId }) => nodeId)
    .toSorted();
const ids = (...houses: PoolHouse[]) => houses.map(({ nodeId }) => nodeId).toSorted();

describe.each(engines)('an admission with an end, on %s', (engine) => {
  it('ends on every node when it ends, also for a node whose clock is wrong', async () => {
    await using scene = openScene(engine);
    const [a, b, c] = [await scene.open('a'), await scene.open('b'), await scene.open('c')];
    const heard: string[] = [];
    for (const { node, name } of [a, b])
      node.port.subscribe('test', async ({ payload }) => void heard.push(`${name} heard ${String(payload)}`));
    await scene.admit(a, b);
    await scene.admit(a, c);
    const expiresAt = new Date(a.house.clock.now() + HOUR).toISOString();
    await a.house.perform(pool.updateNode, { nodeId: c.nodeId, expiresAt }, a.boss.token);
    await scene.settled();
    const look = async () => {
      scene.network.wake();
      await scene.settled();
    };
    await look();
    expect([a, b, c].map(admittedPeers)).toEqual([ids(b, c), ids(a, c), ids(a, b)]);
    await c.node.port.announce('test', 'in time');
    await scene.settled();
    expect(heard.toSorted()).toEqual(['a heard in time', 'b heard in time']);

    // Time passes for the others alone: the clock of c has stopped.
    for (const { house } of [a, b]) house.clock.advance(HOUR);
    await look();
    expect([a, b].map(admittedPeers)).toEqual([ids(b), ids(a)]);
    expect((await status(c)).pool.membership).toBe('member');
    await c.node.port.announce('test', 'too late');
    await scene.settled();
    expect(heard).toHaveLength(2);
    // It asks as every node that is no member, and nobody takes its word for the time.
    for (const host of [a, b])
      expect((await host.house.perform(pool.showNode, { nodeId: c.nodeId }, host.boss.token)).body.node).toMatchObject({
        status: 'expired',
        connected: true,
      });

    // One that believes to be over itself talks to nobody.
    c.house.clock.advance(HOUR);
    await look();
    expect(admittedPeers(c)).toEqual([]);
    expect((await status(c)).pool.membership).toBe('expired');
  });

  it('is not renewed by asking again in an open pool', async () => {
    await using scene = openScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    await scene.admit(a, b);
    await a.house.perform(pool.updateAcl, { mode: 'open' }, a.boss.token);
    const expiresAt = new Date(a.house.clock.now() + 60_000).toISOString();
    await a.house.perform(pool.updateNode, { nodeId: b.nodeId, expiresAt }, a.boss.token);
    await scene.settled();
    scene.advance(60_000);
    const { join } = (await b.house.perform(pool.join, { address: a.node.address }, b.boss.token)).body;
    expect(join).toMatchObject({ status: 'pending' });
    expect(a.house.log.lines).toContainEqual(
      expect.objectContaining({ message: 'automatic admission of a node failed', code: 'NODE_REFUSED' }),
    );
    await a.house.perform(pool.approveNode, { nodeId: b.nodeId }, a.boss.token);
    await scene.settled();
    expect((await status(b)).pool.membership).toBe('member');
  });
});
