import { describe, expect, it } from 'vitest';
import { pool } from '../../../src/contract/pool.ts';
import type { JsonOperation, RawInputOf } from '../../../src/contract/operation.ts';
import { bothEngines } from '../../support/stores.ts';
import { openScene, type PoolHouse } from './pool-scene.ts';

/** What an operation answers the administrator of a node, with its status. */
async function by<O extends JsonOperation>({ house, boss }: PoolHouse, operation: O, input: RawInputOf<O>) {
  const { status, body } = await house.perform(operation, input, boss.token);
  return { status, ...body };
}

describe.each(bothEngines)('the life of a pool on %s', (engine) => {
  it('goes from requests over a decision on each to nodes that are taken off and that leave', async () => {
    await using scene = openScene(engine);
    const [a, b, c, d] = [await scene.open('a'), await scene.open('b'), await scene.open('c'), await scene.open('d')];
    for (const guest of [b, c, d]) {
      const asked = await by(guest, pool.join, { address: a.node.address, message: `${guest.name} asks` });
      expect(asked).toMatchObject({ status: 200, join: { status: 'pending', hostNodeId: a.nodeId } });
    }
    const { pendingNodes } = await by(a, pool.pendingNodes, {});
    expect(pendingNodes.map(({ nodeId, message }: { nodeId: string; message: string }) => [nodeId, message])).toEqual(
      expect.arrayContaining([b, c, d].map(({ name, nodeId }) => [nodeId, `${name} asks`])),
    );

    expect(await by(a, pool.approveNode, { nodeId: b.nodeId })).toMatchObject({ status: 200, aclVersion: 2 });
    expect(await by(a, pool.approveNode, { nodeId: c.nodeId })).toMatchObject({ status: 200, aclVersion: 3 });
    expect(await by(a, pool.denyNode, { nodeId: d.nodeId, reason: 'full' })).toMatchObject({ status: 200 });
    await scene.settled();
    expect(await by(a, pool.pendingNodes, {})).toMatchObject({ count: 0 });
    expect((await by(d, pool.status, {})).join).toMatchObject({ status: 'denied', reason: 'full' });

    const writersOf = async (one: PoolHouse) =>
      (await by(one, pool.acl, {})).acl.writers.map(({ nodeId }: { nodeId: string }) => nodeId);
    for (const one of [a, b, c]) expect(await writersOf(one)).toEqual([a.nodeId, b.nodeId, c.nodeId]);
    const listed = (await by(b, pool.nodes, {})).nodes.map(({ nodeId }: { nodeId: string }) => nodeId);
    expect(listed).toEqual(expect.arrayContaining([a.nodeId, b.nodeId, c.nodeId]));

    expect(await by(a, pool.updateNode, { nodeId: c.nodeId, mailDomain: 'c.example' })).toMatchObject({ status: 200 });
    expect(await by(a, pool.removeNode, { nodeId: b.nodeId })).toMatchObject({ status: 200, aclVersion: 6 });
    await scene.settled();
    expect((await by(b, pool.status, {})).pool).toMatchObject({ membership: 'removed' });
    expect((await by(c, pool.showNode, { nodeId: c.nodeId })).node).toMatchObject({ mailDomain: 'c.example' });
    expect(await writersOf(c)).toEqual([a.nodeId, c.nodeId]);

    const { poolId } = (await by(c, pool.status, {})).pool;
    expect(await by(c, pool.leave, { poolId })).toMatchObject({ status: 200, left: poolId });
    expect((await by(c, pool.status, {})).pool).toMatchObject({ version: 1, writers: 1 });
    expect((await by(a, pool.aclHistory, {})).versions).toHaveLength(6);
    expect(await by(a, pool.verifyAcl, {})).toMatchObject({ valid: true, versions: 6 });
  });
});
