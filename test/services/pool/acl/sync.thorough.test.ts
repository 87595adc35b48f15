import { describe, expect, it } from 'vitest';
import { pool } from '../../../../src/contract/pool.ts';
import { attemptJoin } from '../../../../src/services/pool/joining/join-attempt.ts';
import { openScene, publicKeyOf, status } from '../pool-scene.ts';
import { engines } from '../../../support/stores.ts';

describe.each(engines)('a pool whose halves could not hear each other on %s', (engine) => {
  it('catches up by itself where one half decided', async () => {
    await using scene = openScene(engine);
    const [a, b, c] = [await scene.open('a'), await scene.open('b'), await scene.open('c')];
    await scene.admit(a, b);
    scene.network.cut('a', 'b');
    await scene.admit(a, c);
    await a.house.perform(pool.updateAcl, { mode: 'closed' }, a.boss.token);
    await scene.settled();
    // Through c nothing came either: b does not know it yet.
    expect((await status(b)).pool.version).toBe(2);
    await scene.network.heal('a', 'b');
    await scene.settled();
    const [ofA, ofB, ofC] = [await status(a), await status(b), await status(c)];
    expect(ofB.pool).toMatchObject({ version: 4, hash: ofA.pool.hash, mode: 'closed' });
    expect(ofC.pool.hash).toBe(ofA.pool.hash);
    expect(ofB.evidence).toBe(0);
  });

  it('agrees on one list where both halves decided, keeps the other as evidence, and asks again about whom it lost', async () => {
    await using scene = openScene(engine);
    const [a, b, c, d] = [await scene.open('a'), await scene.open('b'), await scene.open('c'), await scene.open('d')];
    await scene.admit(a, b);
    await a.house.perform(pool.updateAcl, { addKeys: [await publicKeyOf(b)] }, a.boss.token);
    await scene.settled();
    scene.network.cut('a', 'b');
    scene.network.cut('a', 'd');
    scene.network.cut('b', 'c');
    await c.house.perform(pool.join, { address: a.node.address }, c.boss.token);
    await d.house.perform(pool.join, { address: b.node.address }, d.boss.token);
    scene.network.cut('c', 'd');
    for (const [host, guest] of [
      [a, c],
      [b, d],
    ] as const)
      expect(await host.house.perform(pool.approveNode, { nodeId: guest.nodeId }, host.boss.token)).toMatchObject({
        status: 200,
      });
    await scene.settled();
    const [half, otherHalf] = [await status(a), await status(b)];
    expect([half.pool.version, otherHalf.pool.version]).toEqual([4, 4]);
    expect(half.pool.hash).not.toBe(otherHalf.pool.hash);

    for (const [one, other] of [
      ['a', 'b'],
      ['a', 'd'],
      ['b', 'c'],
      ['c', 'd'],
    ] as const)
      await scene.network.heal(one, other);
    await scene.settled();
    const lower = [half, otherHalf].map(({ pool: of }) => of.hash as string).sort()[0];
    const [winner, lost] = half.pool.hash === lower ? [a, d] : [b, c];
    const loser = winner === a ? b : a;
    for (const one of [a, b])
      expect((await status(one)).pool).toMatchObject({ version: 4, hash: lower, membership: 'member' });
    expect((await status(lost)).pool).toMatchObject({ hash: lower, membership: 'removed' });
    expect((await status(loser)).evidence).toBe(1);
    // The loser's queue has the lost one again, and letting it in makes it whole.
    const queue = (await loser.house.perform(pool.pendingNodes, {}, loser.boss.token)).body;
    expect(queue.pendingNodes).toMatchObject([{ nodeId: lost.nodeId }]);
    await loser.house.perform(pool.approveNode, { nodeId: lost.nodeId }, loser.boss.token);
    await scene.settled();
    for (const one of [a, b, c, d]) {
      expect((await status(one)).pool).toMatchObject({ version: 5, writers: 4, membership: 'member' });
      expect((await one.house.perform(pool.verifyAcl, {}, one.boss.token)).body.valid).toBe(true);
    }
  });

  it('lets nobody back in who was removed meanwhile', async () => {
    await using scene = openScene(engine);
    const [a, b, c] = [await scene.open('a'), await scene.open('b'), await scene.open('c')];
    await scene.admit(a, b);
    await scene.admit(a, c);
    await a.house.perform(pool.updateAcl, { addKeys: [await publicKeyOf(b)] }, a.boss.token);
    await scene.settled();
    scene.network.cut('a', 'b');
    scene.network.cut('b', 'c');
    // b's administrator is out; b's half doesn't know, and lets in whom it likes.
    await a.house.perform(pool.updateAcl, { removeAdmins: [b.boss.memberId] }, a.boss.token);
    for (let time = 0; time < 3; time += 1) {
      b.house.clock.advance(1);
      await b.house.perform(pool.updateAcl, { mode: time % 2 === 0 ? 'open' : 'approval' }, b.boss.token);
    }
    await scene.settled();
    await scene.network.heal('a', 'b');
    await scene.network.heal('b', 'c');
    await scene.settled();
    for (const one of [a, b, c])
      expect((await status(one)).pool).toMatchObject({
        version: 5,
        mode: 'approval',
        hash: (await status(a)).pool.hash,
      });
    expect((await status(b)).evidence).toBeGreaterThan(0);
  });

  it('goes on with a request that was under way when the connection broke', async () => {
    await using scene = openScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    scene.network.cut('a', 'b');
    const asked = await b.house.perform(pool.join, { address: a.node.address }, b.boss.token);
    expect(asked.body.join.status).toBe('asking');
    await scene.network.heal('a', 'b');
    await attemptJoin(b.house.ctx, asked.body.join.id);
    scene.network.cut('a', 'b');
    await a.house.perform(pool.approveNode, { nodeId: b.nodeId }, a.boss.token);
    await attemptJoin(b.house.ctx, asked.body.join.id);
    expect((await status(b)).join).toMatchObject({ status: 'pending', lastError: expect.stringMatching(/./) });
    await scene.network.heal('a', 'b');
    await scene.settled();
    expect((await status(b)).join).toMatchObject({ status: 'approved' });
    expect((await status(b)).join).not.toHaveProperty('lastError');
  });
});
