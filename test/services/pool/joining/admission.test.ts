import { describe, expect, it } from 'vitest';
import { pool } from '../../../../src/contract/pool.ts';
import { admissionPolicy, nodeOfMailDomain } from '../../../../src/services/pool/joining/admission-policy.ts';
import { attemptJoin } from '../../../../src/services/pool/joining/join-attempt.ts';
import { openScene, type PoolHouse } from '../pool-scene.ts';
import { engines } from '../../../support/stores.ts';

const status = async ({ house, boss }: PoolHouse) => (await house.perform(pool.status, {}, boss.token)).body;
const list = async ({ house, boss }: PoolHouse) => (await house.perform(pool.acl, {}, boss.token)).body;
const pending = async ({ house, boss }: PoolHouse) => (await house.perform(pool.pendingNodes, {}, boss.token)).body;
const ledgerOf = async ({ house }: PoolHouse) => {
  await house.ctx.ledger.settled();
  const rows = await house.ctx.db.selectFrom('ledger_entries').select('body').orderBy('leaf_index').execute();
  return rows
    .map(({ body }) => JSON.parse(Buffer.from(body).toString()))
    .filter(({ type }) => type.startsWith('POOL'))
    .map(({ type, data }) => [type, data.version ?? 'denied']);
};

describe.each(engines)('admission to the pool on %s', (engine) => {
  it('a node asks, an administrator approves, and both hold the same signed list', async () => {
    await using scene = openScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    const input = { address: a.node.address, message: 'the node in the\u2028cellar', mailDomain: 'b.example' };
    const asked = await b.house.perform(pool.join, input, b.boss.token);
    expect(asked).toMatchObject({
      status: 200,
      body: { message: 'Asked to join', node: { nodeId: b.nodeId }, join: { status: 'pending', hostNodeId: a.nodeId } },
    });
    const poolId = (await status(a)).pool.poolId;
    expect(asked.body.join).toMatchObject({
      poolId,
      poolFingerprint: { words: (await status(a)).pool.fingerprint.words },
    });

    const waiting = await pending(a);
    expect(waiting).toMatchObject({
      message: 'OK',
      count: 1,
      pendingNodes: [
        {
          nodeId: b.nodeId,
          message: 'the node in the cellar',
          mailDomain: 'b.example',
          receivedAt: '2026-01-15T12:00:00.000Z',
        },
      ],
    });
    expect(waiting.pendingNodes[0].fingerprint).toEqual(asked.body.node.fingerprint);
    expect(waiting.pendingNodes[0].fingerprint.hex.startsWith(b.nodeId)).toBe(true);
    expect(waiting.pendingNodes[0].fingerprint.words).toHaveLength(10);

    const approved = await a.house.perform(pool.approveNode, { nodeId: b.nodeId }, a.boss.token);
    expect(approved).toMatchObject({
      status: 200,
      body: { message: 'Node approved', nodeId: b.nodeId, aclVersion: 2 },
    });
    await scene.settled();
    expect((await status(b)).join).toMatchObject({ status: 'approved' });
    const [mine, theirs] = [await list(a), await list(b)];
    expect(theirs).toMatchObject({
      poolId,
      version: 2,
      hash: mine.hash,
      document: mine.document,
      signatures: mine.signatures,
    });
    expect(mine.signatures).toMatchObject([{ memberId: a.boss.memberId }]);
    expect(mine.acl.writers.map((writer: { nodeId: string }) => writer.nodeId)).toEqual([a.nodeId, b.nodeId]);
    expect(await pending(a)).toMatchObject({ count: 0 });
    expect([await status(a), await status(b)]).toMatchObject([
      { connected: 1, pool: { membership: 'member' } },
      { connected: 1, pool: { membership: 'member' } },
    ]);
    expect(await ledgerOf(a)).toEqual([
      ['POOL_ACL', 1],
      ['POOL_ACL', 2],
    ]);
    expect((await ledgerOf(b)).at(-1)).toEqual(['POOL_ACL', 2]);
    for (const one of [a, b])
      expect((await one.house.perform(pool.verifyAcl, {}, one.boss.token)).body).toMatchObject({
        valid: true,
        versions: 2,
      });
  });

  it('is denied with a signed reason, which the node learns, also when it was away', async () => {
    await using scene = openScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    await b.house.perform(pool.join, { address: a.node.address }, b.boss.token);
    b.node.stop();
    const denied = await a.house.perform(
      pool.denyNode,
      { nodeId: b.nodeId, reason: 'nobody \u202eknows you' },
      a.boss.token,
    );
    expect(denied).toMatchObject({ status: 200, body: { message: 'Node denied', nodeId: b.nodeId } });
    expect(await pending(a)).toMatchObject({ count: 0 });
    expect((await status(b)).join).toMatchObject({ status: 'pending' });
    await b.restart();
    await b.house.ctx.gossip.request({ address: a.node.address }, 'pool-join', { ask: 'pool' });
    await attemptJoin(b.house.ctx, (await status(b)).join.id);
    expect((await status(b)).join).toMatchObject({ status: 'denied', reason: 'nobody knows you' });
    expect((await status(b)).pool.poolId).not.toBe((await status(a)).pool.poolId);
    expect((await ledgerOf(a)).at(-1)).toEqual(['POOL_DENIAL', 'denied']);
    expect((await a.house.perform(pool.showNode, { nodeId: b.nodeId }, a.boss.token)).body.node).toMatchObject({
      status: 'denied',
      reason: 'nobody knows you',
    });
    // It may ask again, and be let in.
    a.house.clock.advance(1_000);
    b.house.clock.advance(1_000);
    await scene.admit(a, b);
    expect((await status(b)).pool).toMatchObject({ membership: 'member', version: 3 });
  });

  it('answers 404 that names the node where nothing is pending, and 403 to others than administrators', async () => {
    await using scene = openScene(engine);
    const a = await scene.open('a');
    for (const operation of [pool.approveNode, pool.denyNode]) {
      const nothing = await a.house.perform(operation, { nodeId: 'ab'.repeat(20) }, a.boss.token);
      expect(nothing).toMatchObject({ status: 404, body: { error: 'NODE_NOT_PENDING' } });
      expect(nothing.body.message).toContain('ab'.repeat(20));
      const member = await a.house.register();
      expect(await a.house.perform(operation, { nodeId: 'ab'.repeat(20) }, member.token)).toMatchObject({
        status: 403,
      });
      expect(await a.house.perform(operation, { nodeId: 'ab'.repeat(20) })).toMatchObject({ status: 401 });
    }
  });

  it('survives restarts on both sides, and decisions while the other is away', async () => {
    await using scene = openScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    await b.house.perform(pool.join, { address: a.node.address }, b.boss.token);
    await a.restart();
    expect(await pending(a)).toMatchObject({ count: 1 });
    b.node.stop();
    await a.house.perform(pool.approveNode, { nodeId: b.nodeId }, a.boss.token);
    await scene.settled();
    expect((await status(b)).pool.version).toBe(1);
    // Its host connects to it as soon as it is there, and tells it to look.
    await b.restart();
    await scene.settled();
    expect((await status(b)).pool).toMatchObject({ version: 2, membership: 'member' });
  });

  it(
    'tells every node of the pool of a request, and any administrator of the list decides where they are',
    { tags: 'thorough' },
    async () => {
      await using scene = openScene(engine);
      const [a, b, c, d] = [await scene.open('a'), await scene.open('b'), await scene.open('c'), await scene.open('d')];
      await scene.admit(a, b);
      for (const guest of [c, d]) await guest.house.perform(pool.join, { address: a.node.address }, guest.boss.token);
      await scene.settled();
      expect((await pending(b)).pendingNodes.map((node: { nodeId: string }) => node.nodeId).sort()).toEqual(
        [c.nodeId, d.nodeId].sort(),
      );
      expect((await pending(b)).pendingNodes[0]).toMatchObject({ source: a.nodeId });
      // The administrator of b's own is none of the pool yet.
      const stranger = await b.house.perform(pool.approveNode, { nodeId: c.nodeId }, b.boss.token);
      expect(stranger).toMatchObject({ status: 403, body: { error: 'POOL_NOT_ADMINISTRATOR' } });
      const operator = await b.house.perform(pool.approveNode, { nodeId: c.nodeId }, await b.house.operatorToken(), {
        trusted: true,
      });
      expect(operator).toMatchObject({ status: 403, body: { error: 'POOL_NOT_ADMINISTRATOR' } });
      const { publicKey } = await b.house.ctx.db
        .selectFrom('members')
        .select('public_key as publicKey')
        .where('id', '=', b.boss.memberId)
        .executeTakeFirstOrThrow();
      await a.house.perform(pool.updateAcl, { addKeys: [publicKey] }, a.boss.token);
      await scene.settled();
      expect(await b.house.perform(pool.approveNode, { nodeId: c.nodeId }, b.boss.token)).toMatchObject({
        status: 200,
      });
      await b.house.perform(pool.denyNode, { nodeId: d.nodeId, reason: 'full' }, b.boss.token);
      await scene.settled();
      expect((await status(c)).pool).toMatchObject({ version: 5, membership: 'member' });
      expect((await status(a)).pool).toMatchObject({ version: 5, writers: 3 });
      expect(await pending(a)).toMatchObject({ count: 0 });
      expect((await status(d)).join).toMatchObject({ status: 'denied', reason: 'full' });
    },
  );

  it('is signed with the node’s key by the operator, and not at all by a session without a key', async () => {
    await using scene = openScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    await b.house.perform(pool.join, { address: a.node.address }, b.boss.token);
    await a.house.ctx.db.updateTable('sessions').set({ sealed_key: null }).execute();
    const locked = await a.house.perform(pool.approveNode, { nodeId: b.nodeId }, a.boss.token);
    expect(locked).toMatchObject({ status: 403, body: { error: 'KEY_LOCKED' } });
    expect(await pending(a)).toMatchObject({ count: 1 });
    const operator = await a.house.perform(pool.approveNode, { nodeId: b.nodeId }, await a.house.operatorToken(), {
      trusted: true,
    });
    expect(operator).toMatchObject({ status: 200, body: { aclVersion: 2 } });
    await scene.settled();
    expect((await list(b)).signatures).toMatchObject([{ memberId: (await list(a)).acl.admins[0].memberId }]);
  });

  it('takes everybody where it is open, and nobody where it is closed', async () => {
    await using scene = openScene(engine);
    const [a, b, c] = [await scene.open('a'), await scene.open('b'), await scene.open('c')];
    expect((await a.house.perform(pool.updateAcl, { mode: 'open' }, a.boss.token)).body).toMatchObject({
      aclVersion: 2,
    });
    expect((await a.house.perform(pool.updateAcl, { mode: 'open' }, a.boss.token)).body).toMatchObject({
      aclVersion: 2,
    });
    const open = await b.house.perform(pool.join, { address: a.node.address }, b.boss.token);
    expect(open.body.join).toMatchObject({ status: 'approved' });
    await scene.settled();
    expect((await list(b)).acl).toMatchObject({ mode: 'open', version: 3 });
    await a.house.perform(pool.updateAcl, { mode: 'closed' }, a.boss.token);
    const closed = await c.house.perform(pool.join, { address: a.node.address }, c.boss.token);
    expect(closed.body.join).toMatchObject({ status: 'refused', reason: 'The pool does not accept join requests.' });
    expect(await pending(a)).toMatchObject({ count: 0 });
  });

  it('ends by removal, by the clock, and by leaving', async () => {
    await using scene = openScene(engine);
    const [a, b, c] = [await scene.open('a'), await scene.open('b'), await scene.open('c')];
    await scene.admit(a, b);
    const expiresAt = new Date(a.house.clock.now() + 60_000).toISOString();
    await c.house.perform(pool.join, { address: a.node.address }, c.boss.token);
    await a.house.perform(pool.approveNode, { nodeId: c.nodeId, expiresAt }, a.boss.token);
    await scene.settled();
    expect((await status(c)).pool.membership).toBe('member');
    scene.advance(60_000);
    expect((await status(c)).pool.membership).toBe('expired');
    expect((await a.house.perform(pool.showNode, { nodeId: c.nodeId }, a.boss.token)).body.node).toMatchObject({
      status: 'expired',
      expiresAt,
    });
    expect(await admissionPolicy(a.house.ctx).isAdmitted(c.nodeId)).toBe(false);
    expect(await admissionPolicy(c.house.ctx).isAdmitted(a.nodeId)).toBe(false);
    await a.house.perform(pool.updateNode, { nodeId: c.nodeId, expiresAt: null }, a.boss.token);
    await scene.settled();
    expect((await status(c)).pool).toMatchObject({ membership: 'member', version: 4 });

    const removed = await a.house.perform(pool.removeNode, { nodeId: b.nodeId }, a.boss.token);
    expect(removed).toMatchObject({ status: 200, body: { message: 'Node removed', aclVersion: 5 } });
    await scene.settled();
    expect((await status(b)).pool).toMatchObject({ membership: 'removed', version: 5 });
    expect((await status(c)).pool).toMatchObject({ membership: 'member', version: 5 });
    expect(await admissionPolicy(c.house.ctx).isAdmitted(b.nodeId)).toBe(false);
    expect(await admissionPolicy(b.house.ctx).members()).toEqual([]);
    // What comes later is not for it to know.
    await a.house.perform(pool.updateAcl, { mode: 'closed' }, a.boss.token);
    await b.restart();
    await scene.settled();
    expect((await status(b)).pool.version).toBe(5);
    expect(await a.house.perform(pool.removeNode, { nodeId: b.nodeId }, a.boss.token)).toMatchObject({ status: 404 });
    expect(await a.house.perform(pool.removeNode, { nodeId: a.nodeId }, a.boss.token)).toMatchObject({ status: 409 });

    for (const wrong of [{}, { expiresAt: '2020-01-01T00:00:00.000Z' }, { mailDomain: 'not a domain' }])
      expect(await a.house.perform(pool.updateNode, { nodeId: c.nodeId, ...wrong }, a.boss.token)).toMatchObject({
        status: 400,
      });
    const { poolId } = (await status(c)).pool;
    expect(await c.house.perform(pool.leave, { poolId: 'ab'.repeat(32) }, c.boss.token)).toMatchObject({ status: 409 });
    const left = await c.house.perform(pool.leave, { poolId }, c.boss.token);
    expect(left.body).toMatchObject({ left: poolId });
    expect((await status(c)).pool).toMatchObject({ poolId: left.body.poolId, version: 1, writers: 1 });
    expect(await c.house.perform(pool.leave, { poolId: left.body.poolId }, c.boss.token)).toMatchObject({
      status: 409,
    });
  });

  it('names one node a mail domain', async () => {
    await using scene = openScene(engine);
    const [a, b, c] = [await scene.open('a'), await scene.open('b'), await scene.open('c')];
    for (const guest of [b, c])
      await guest.house.perform(pool.join, { address: a.node.address, mailDomain: 'Mail.Example' }, guest.boss.token);
    await a.house.perform(pool.approveNode, { nodeId: b.nodeId }, a.boss.token);
    const taken = await a.house.perform(pool.approveNode, { nodeId: c.nodeId }, a.boss.token);
    expect(taken).toMatchObject({ status: 409, body: { error: 'POOL_MAIL_DOMAIN_TAKEN' } });
    expect(await nodeOfMailDomain(a.house.ctx, 'MAIL.example')).toMatchObject({ nodeId: b.nodeId });
    await a.house.perform(pool.updateNode, { nodeId: b.nodeId, mailDomain: null }, a.boss.token);
    expect(await nodeOfMailDomain(a.house.ctx, 'mail.example')).toBeUndefined();
    expect(await a.house.perform(pool.approveNode, { nodeId: c.nodeId }, a.boss.token)).toMatchObject({ status: 200 });
  });

  it(
    'two administrators who decide at once leave one chain, and each decision once',
    { tags: 'thorough' },
    async () => {
      await using scene = openScene(engine);
      const a = await scene.open('a');
      const other = await a.house.administrator('second');
      const guests = await Promise.all(['b', 'c', 'd', 'e'].map(async (name) => await scene.open(name)));
      for (const guest of guests) await guest.house.perform(pool.join, { address: a.node.address }, guest.boss.token);
      const decided = await Promise.all(
        guests.flatMap(({ nodeId }) =>
          [a.boss, other].map(async ({ token }) => await a.house.perform(pool.approveNode, { nodeId }, token)),
        ),
      );
      expect(decided.map((one) => one.status).sort()).toEqual([200, 200, 200, 200, 404, 404, 404, 404]);
      expect(decided.flatMap((one) => one.body.aclVersion ?? []).sort()).toEqual([2, 3, 4, 5]);
      await scene.settled();
      for (const one of [a, ...guests]) {
        expect((await list(one)).hash).toBe((await list(a)).hash);
        expect((await one.house.perform(pool.verifyAcl, {}, one.boss.token)).body).toMatchObject({
          valid: true,
          versions: 5,
        });
      }
    },
  );

  it('goes on asking until somebody answers, for a week', async () => {
    await using scene = openScene(engine);
    const [a, b] = [await scene.open('a', { started: false }), await scene.open('b')];
    const asked = await b.house.perform(pool.join, { address: a.node.address }, b.boss.token);
    expect(asked.body.join).toMatchObject({ status: 'asking', lastError: expect.stringMatching(/./) });
    expect(await b.house.perform(pool.join, { address: a.node.address }, b.boss.token)).toMatchObject({ status: 409 });
    scene.advance(7 * 86_400_000);
    await attemptJoin(b.house.ctx, asked.body.join.id);
    const [bossOfA, bossOfB] = [await a.house.signIn(a.boss), await b.house.signIn(b.boss)];
    const waiting = async () => (await a.house.perform(pool.pendingNodes, {}, bossOfA)).body.count;
    expect((await b.house.perform(pool.status, {}, bossOfB)).body.join).toMatchObject({ status: 'expired' });
    const again = await b.house.perform(pool.join, { address: a.node.address }, bossOfB);
    expect(again.body.join.status).toBe('asking');
    await a.restart();
    await attemptJoin(b.house.ctx, again.body.join.id);
    expect(await waiting()).toBe(1);
    expect((await b.house.perform(pool.withdraw, {}, bossOfB)).body.join).toMatchObject({ status: 'withdrawn' });
    expect(await waiting()).toBe(0);
    expect(await b.house.perform(pool.withdraw, {}, bossOfB)).toMatchObject({ status: 404 });
  });
});
