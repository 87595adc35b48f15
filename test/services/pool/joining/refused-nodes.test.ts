import { describe, expect, it } from 'vitest';
import { pool } from '../../../../src/contract/pool.ts';
import { MAX_TOMBSTONES } from '../../../../src/crypto/formats/access-list/document.ts';
import { admit } from '../../../../src/services/pool/joining/decisions.ts';
import { theNode } from '../../../../src/services/pool/acl/signer.ts';
import { listAfter, listOf, openScene, requestBy, status, stranger, waiting, type PoolHouse } from '../pool-scene.ts';
import { receiveList } from '../../../../src/services/pool/acl/receive.ts';
import { wireOf } from '../../../../src/crypto/formats/access-list/chain.ts';
import { engines } from '../../../support/stores.ts';

const asks = async (guest: PoolHouse, host: PoolHouse) =>
  (await guest.house.perform(pool.join, { address: host.node.address }, guest.boss.token)).body.join;
const shown = async ({ house, boss }: PoolHouse, nodeId: string) =>
  (await house.perform(pool.showNode, { nodeId: nodeId.slice(0, 12) }, boss.token)).body.node;
const tombstones = async (one: PoolHouse) => (await listOf(one)).document.tombstones ?? [];

describe.each(engines)('a node that was refused, on %s', (engine) => {
  it('is not admitted on its own in an open pool, and approval lifts what was remembered', async () => {
    await using scene = openScene(engine);
    const [a, b, c] = [await scene.open('a'), await scene.open('b'), await scene.open('c')];
    await c.house.perform(pool.join, { address: a.node.address }, c.boss.token);
    await a.house.perform(pool.denyNode, { nodeId: c.nodeId, reason: 'not now' }, a.boss.token);
    await scene.settled();
    await a.house.perform(pool.updateAcl, { mode: 'open' }, a.boss.token);
    expect(await asks(b, a)).toMatchObject({ status: 'approved' });
    await scene.settled();
    await a.house.perform(pool.removeNode, { nodeId: b.nodeId }, a.boss.token);
    await scene.settled();
    expect(await tombstones(a)).toMatchObject([
      { nodeId: c.nodeId, kind: 'denied', by: a.boss.memberId },
      { nodeId: b.nodeId, kind: 'removed', by: a.boss.memberId },
    ]);
    const { nodes, refused } = (await a.house.perform(pool.nodes, {}, a.boss.token)).body;
    expect(nodes).toHaveLength(1);
    expect(refused).toMatchObject(
      [
        { nodeId: b.nodeId, kind: 'removed' },
        { nodeId: c.nodeId, kind: 'denied' },
      ].toSorted((one, other) => (one.nodeId < other.nodeId ? -1 : 1)),
    );
    scene.advance(1_000);
    for (const guest of [b, c]) {
      expect(await asks(guest, a)).toMatchObject({ status: 'pending' });
      expect(await shown(a, guest.nodeId)).toMatchObject({ status: 'pending', refusal: { nodeId: guest.nodeId } });
      // Also if the list changes between the request and the admission.
      await expect(admit(a.house.ctx, theNode, { nodeId: guest.nodeId })).rejects.toMatchObject({
        code: 'NODE_REFUSED',
      });
      await a.house.perform(pool.approveNode, { nodeId: guest.nodeId }, a.boss.token);
      await scene.settled();
      expect((await status(guest)).pool.membership).toBe('member');
    }
    expect(await tombstones(a)).toEqual([]);
    expect((await listOf(a)).text).not.toContain('tombstones');
  });

  it('is refused at once while it is banned, on every node of the pool, until the ban is lifted', async () => {
    await using scene = openScene(engine);
    const [a, b, c] = [await scene.open('a'), await scene.open('b'), await scene.open('c')];
    await scene.admit(a, b);
    await scene.admit(a, c);
    const banned = await a.house.perform(pool.removeNode, { nodeId: c.nodeId, ban: true }, a.boss.token);
    expect(banned).toMatchObject({ status: 200, body: { aclVersion: 4 } });
    await scene.settled();
    expect((await status(c)).pool.membership).toBe('removed');
    for (const host of [a, b]) {
      scene.advance(1_000);
      expect(await asks(c, host)).toMatchObject({
        status: 'refused',
        reason: 'This node is banned from the pool. An administrator of the pool can lift the ban.',
      });
      expect(await waiting(host)).toBe(0);
      expect(await shown(host, c.nodeId)).toMatchObject({ status: 'banned', refusal: { kind: 'banned' } });
    }
    const lifted = await a.house.perform(pool.unbanNode, { nodeId: c.nodeId }, a.boss.token);
    expect(lifted).toMatchObject({ status: 200, body: { message: 'Ban lifted', nodeId: c.nodeId, aclVersion: 5 } });
    const again = await a.house.perform(pool.unbanNode, { nodeId: c.nodeId }, a.boss.token);
    expect(again).toMatchObject({ status: 404, body: { error: 'NODE_NOT_BANNED' } });
    await scene.settled();
    scene.advance(1_000);
    expect(await asks(c, b)).toMatchObject({ status: 'pending' });
  });

  it('is banned with its request, everywhere, whatever comes first', async () => {
    await using scene = openScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    await scene.admit(a, b);
    const guest = await stranger(scene);
    const { poolId } = (await status(a)).pool;
    const ask = async () =>
      await guest.node.port.request({ address: b.node.address }, 'pool-join', {
        ask: 'admission',
        ...requestBy(guest.identity, poolId, b.house.clock.now()),
      });
    await ask();
    await scene.settled();
    expect([await waiting(a), await waiting(b)]).toEqual([1, 1]);
    // The list alone closes the request on the node where it waits.
    scene.network.cut('a', 'b');
    const denied = await a.house.perform(
      pool.denyNode,
      { nodeId: guest.nodeId, reason: 'a spammer', ban: true },
      a.boss.token,
    );
    expect(denied).toMatchObject({ status: 200, body: { nodeId: guest.nodeId, aclVersion: 3 } });
    expect(await receiveList(b.house.ctx, wireOf(await listOf(a)), a.nodeId)).toBe('adopted');
    expect(await waiting(b)).toBe(0);
    expect(await b.house.perform(pool.approveNode, { nodeId: guest.nodeId }, b.boss.token)).toMatchObject({
      status: 403,
    });
    await scene.network.heal('a', 'b');
    await scene.settled();
    expect(await shown(b, guest.nodeId)).toMatchObject({ status: 'banned', reason: 'a spammer' });
    scene.advance(1_000);
    await expect(ask()).rejects.toMatchObject({ cause: { code: 'NODE_BANNED' } });
    // Not by another way either: the request that an administrator saw before the ban.
    await a.house.ctx.db
      .updateTable('pool_requests')
      .set({ status: 'pending' })
      .where('node_id', '=', guest.nodeId)
      .execute();
    const approved = await a.house.perform(pool.approveNode, { nodeId: guest.nodeId }, a.boss.token);
    expect(approved).toMatchObject({ status: 403, body: { error: 'NODE_BANNED' } });
    expect(approved.body.message).toContain(`conclave admin nodes unban ${guest.nodeId}`);
  });

  it('can be banned later, by its id alone', async () => {
    await using scene = openScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    await scene.admit(a, b);
    await a.house.perform(pool.removeNode, { nodeId: b.nodeId }, a.boss.token);
    const { token } = a.boss;
    const ban = async () => await a.house.perform(pool.removeNode, { nodeId: b.nodeId, ban: true }, token);
    expect(await a.house.perform(pool.removeNode, { nodeId: b.nodeId }, token)).toMatchObject({ status: 404 });
    expect(await ban()).toMatchObject({ status: 200 });
    const again = await ban();
    expect(again).toMatchObject({ status: 404, body: { error: 'NODE_NOT_FOUND' } });
    expect(again.body.message).toContain('is banned already');
    const left = await b.house.perform(pool.leave, { poolId: (await status(b)).pool.poolId }, b.boss.token);
    expect(left).toMatchObject({ status: 409, body: { error: 'POOL_ALONE' } });
    expect(left.body.message).toContain('does not admit this node any more');
    expect(await tombstones(a)).toMatchObject([{ nodeId: b.nodeId, kind: 'banned' }]);
    // What the node was is forgotten, and it is shown nevertheless.
    await a.house.ctx.db.deleteFrom('pool_writers').where('node_id', '=', b.nodeId).execute();
    await a.house.ctx.db.deleteFrom('pool_requests').execute();
    expect(await shown(a, b.nodeId)).toEqual({
      nodeId: b.nodeId,
      status: 'banned',
      self: false,
      connected: false,
      addresses: [],
      refusal: expect.objectContaining({ kind: 'banned' }),
    });
  });

  it('is forgotten at the limit of the list, and the log says so', async () => {
    await using scene = openScene(engine);
    const a = await scene.open('a');
    const full = Array.from({ length: MAX_TOMBSTONES }, (_, number) => ({
      nodeId: number.toString(16).padStart(40, '0'),
      kind: 'denied' as const,
      at: new Date(Date.UTC(2026, 0, 1) + number).toISOString(),
      by: a.boss.memberId,
    }));
    await receiveList(a.house.ctx, wireOf(listAfter(await listOf(a), { tombstones: full }, a.identity)), a.nodeId);
    const guest = await stranger(scene);
    const asked = requestBy(guest.identity, (await status(a)).pool.poolId, a.house.clock.now());
    await guest.node.port.request({ address: a.node.address }, 'pool-join', { ask: 'admission', ...asked });
    await a.house.perform(pool.denyNode, { nodeId: guest.nodeId }, a.boss.token);
    const left = await tombstones(a);
    expect(left).toHaveLength(MAX_TOMBSTONES);
    expect([left[0]?.nodeId, left.at(-1)?.nodeId]).toEqual([full[1]?.nodeId, guest.nodeId]);
    expect(a.house.log.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', nodeIds: [full[0]?.nodeId], limit: MAX_TOMBSTONES }),
    );
  });
});
