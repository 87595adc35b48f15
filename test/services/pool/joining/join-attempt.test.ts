import { describe, expect, it } from 'vitest';
import { pool } from '../../../../src/contract/pool.ts';
import { toHex } from '../../../../src/crypto/bytes.ts';
import { generateKeyPair } from '../../../../src/crypto/key-pair.ts';
import { memberIdOf } from '../../../../src/crypto/public-key.ts';
import { signList, wireOf, type SignedList } from '../../../../src/crypto/formats/access-list/chain.ts';
import { joinJobHandler } from '../../../../src/services/pool/joining/join-job.ts';
import { joinJob } from '../../../../src/services/pool/joining/joining.ts';
import { poolIdOf, type AclDocument } from '../../../../src/crypto/formats/access-list/document.ts';
import { listAfter, openScene, stranger, type PoolHouse } from '../pool-scene.ts';
import { engines } from '../../../support/stores.ts';

const status = async ({ house, boss }: PoolHouse) => (await house.perform(pool.status, {}, boss.token)).body;

describe.each(engines)('a newcomer refuses, on %s,', (engine) => {
  it('a pool that is not the one it was told of, or whose lists do not hold', async () => {
    await using scene = openScene(engine);
    const b = await scene.open('b');
    const evil = await stranger(scene);
    const publicKey = toHex(evil.identity.publicKey);
    const memberId = memberIdOf(evil.identity.publicKey);
    const writer = {
      nodeId: evil.nodeId,
      publicKey,
      addedAt: '2026-01-15T12:00:00.000Z',
      addedBy: memberId,
      expiresAt: null,
    };
    const guest = { ...writer, nodeId: b.nodeId, publicKey: toHex(b.identity.publicKey) };
    const draft: AclDocument = {
      t: 'pool-acl',
      v: 1,
      poolId: '',
      version: 1,
      prev: null,
      mode: 'approval',
      scope: { database: 'conclave' },
      writers: [writer],
      admins: [{ memberId, publicKey }],
      threshold: 1,
      issuedAt: '2026-01-15T12:00:00.000Z',
    };
    const genesis = signList({ ...draft, poolId: poolIdOf(draft) }, memberId, evil.identity.privateKey);
    const { poolId } = genesis.document;
    const other = signList(
      { ...draft, mode: 'open', poolId: poolIdOf({ ...draft, mode: 'open' }) },
      memberId,
      evil.identity.privateKey,
    );
    const names = listAfter(genesis, { writers: [writer, guest] }, evil.identity);
    const expired = listAfter(
      genesis,
      { writers: [writer, { ...guest, expiresAt: '2026-01-15T11:00:00.000Z' }] },
      evil.identity,
    );
    const elsewhere = listAfter(other, { writers: [writer, guest] }, evil.identity);
    const forged = listAfter(genesis, { writers: [writer, guest] }, generateKeyPair());
    let lists: SignedList[] = [];
    let told = poolId;
    evil.node.port.respond('pool-join', {
      strangers: true,
      answer: (asked) =>
        Promise.resolve(
          (asked as { ask: string }).ask === 'pool'
            ? { poolId: told, publicKey, mode: 'approval' }
            : { status: 'approved' },
        ),
    });
    evil.node.port.respond('pool-acl', {
      strangers: true,
      answer: (asked) => {
        const from = (asked as { from: number }).from;
        const last = lists.at(-1);
        return Promise.resolve({
          poolId,
          version: last?.document.version ?? 1,
          hash: last?.hash ?? poolId,
          lists: lists.slice(from - 1).map(wireOf),
        });
      },
    });
    const before = (await status(b)).pool;
    const attempts: [string, SignedList[]][] = [
      ['nothing', []],
      ['without this node', [genesis]],
      ['another pool', [other, elsewhere]],
      ['forged', [genesis, forged]],
      ['a missing version', [names]],
      ['an expired admission', [genesis, expired]],
    ];
    for (const [what, offered] of attempts) {
      lists = offered;
      const asked = await b.house.perform(pool.join, { address: evil.node.address }, b.boss.token);
      expect(asked.body.join, what).toMatchObject({
        status: 'pending',
        lastError: expect.stringContaining('access list is refused'),
      });
      await b.house.perform(pool.withdraw, {}, b.boss.token);
    }
    const third = listAfter(names, { mode: 'open' }, evil.identity);
    lists = [genesis, names, third];
    const named = await b.house.perform(
      pool.join,
      { address: evil.node.address, poolId: 'cd'.repeat(32) },
      b.boss.token,
    );
    expect(named.body.join).toMatchObject({ status: 'refused' });
    told = 'nonsense';
    const nonsense = await b.house.perform(pool.join, { address: evil.node.address }, b.boss.token);
    expect(nonsense.body.join).toMatchObject({
      status: 'asking',
      lastError: expect.stringMatching(/answer of the other node/),
    });
    await b.house.perform(pool.withdraw, {}, b.boss.token);
    const own = await b.house.perform(pool.join, { address: b.node.address }, b.boss.token);
    expect(own.body.join).toMatchObject({ status: 'refused' });
    expect((await status(b)).pool).toEqual(before);
    told = poolId;
    const last = await b.house.perform(pool.join, { address: evil.node.address, poolId }, b.boss.token);
    expect(last.body.join).toMatchObject({ status: 'approved' });
    expect((await status(b)).pool).toMatchObject({ poolId, version: 3, membership: 'member' });
    // The same pool, rolled back, is none to come back to.
    await b.house.perform(pool.leave, { poolId }, b.boss.token);
    lists = [genesis, names];
    const back = await b.house.perform(pool.join, { address: evil.node.address }, b.boss.token);
    expect(back.body.join).toMatchObject({
      status: 'pending',
      lastError: expect.stringContaining('older than what this node knows'),
    });
    await b.house.perform(pool.withdraw, {}, b.boss.token);
    // Another side of it is: that was asked for. What this node knew stays as evidence.
    const side = listAfter(genesis, { writers: [writer, guest], mode: 'open' }, evil.identity);
    lists = [genesis, side];
    const there = await b.house.perform(pool.join, { address: evil.node.address }, b.boss.token);
    expect(there.body.join).toMatchObject({ status: 'approved' });
    const now = await status(b);
    expect(now.pool).toMatchObject({ poolId, version: 2, hash: side.hash, membership: 'member' });
    expect(now.forks).toMatchObject([
      { version: 2, counting: side.hash, other: names.hash, signedBy: 'one', decidedBy: 'administrator', lists: 2 },
    ]);
  });

  it('to be forgotten: a job goes on asking, less and less often, until it is decided', async () => {
    await using scene = openScene(engine);
    const [a, b] = [await scene.open('a', { started: false }), await scene.open('b')];
    const asked = await b.house.perform(pool.join, { address: a.node.address }, b.boss.token);
    const joinId = asked.body.join.id as string;
    const { db } = b.house.ctx;
    const waiting = async () =>
      await db.selectFrom('jobs').select(['id', 'run_at']).where('kind', '=', joinJob).execute();
    const run = async (id: string) =>
      await joinJobHandler(b.house.ctx)(
        { joinId },
        {
          id,
          attempt: 1,
          signal: new AbortController().signal,
          finish: async (tx) => void (await tx.deleteFrom('jobs').where('id', '=', id).execute()),
        },
      );
    const pauses: number[] = [];
    for (let step = 0; step < 10; step += 1) {
      const [job, ...others] = await waiting();
      expect(others).toEqual([]);
      expect(job!.id).toBe(`${joinJob}:${joinId}:${step}`);
      pauses.push((job!.run_at - b.house.clock.now()) / 1_000);
      if (step < 9) await run(job!.id);
    }
    expect(pauses[1]).toBeGreaterThanOrEqual(5);
    expect(pauses[3]).toBeGreaterThanOrEqual(20);
    expect(pauses.every((pause) => pause <= 360)).toBe(true);
    await a.restart();
    await run(`${joinJob}:${joinId}:9`);
    expect((await status(b)).join).toMatchObject({ status: 'pending' });
    await a.house.perform(pool.approveNode, { nodeId: b.nodeId }, a.boss.token);
    await scene.settled();
    await run(`${joinJob}:${joinId}:10`);
    expect((await status(b)).join).toMatchObject({ status: 'approved' });
    expect((await waiting()).map(({ id }) => id)).not.toContain(`${joinJob}:${joinId}:11`);
  });
});
