import { describe, expect, it } from 'vitest';
import { pool } from '../../../../src/contract/pool.ts';
import { toHex } from '../../../../src/crypto/bytes.ts';
import { generateKeyPair } from '../../../../src/crypto/key-pair.ts';
import { nodeIdOf, uncompressPublicKey } from '../../../../src/crypto/public-key.ts';
import { Problem } from '../../../../src/base/problem.ts';
import { purgeRequests } from '../../../../src/services/pool/joining/queue.ts';
import { openScene, refusals, requestBy, status, stranger, waiting } from '../pool-scene.ts';
import { engines } from '../../../support/stores.ts';

describe.each(engines)('the queue refuses, on %s,', (engine) => {
  it('requests to join that are forged, repeated, borrowed, late, or nonsense', async () => {
    await using scene = openScene(engine);
    const a = await scene.open('a');
    const evil = await stranger(scene);
    const other = generateKeyPair();
    const { poolId } = (await status(a)).pool;
    const now = a.house.clock.now();
    const send = async (question: unknown, by = evil.node) => {
      try {
        return await by.port.request({ address: a.node.address }, 'pool-join', question);
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        return error.code;
      }
    };
    const ask = (signed: object) => ({ ask: 'admission', ...signed });
    const good = requestBy(evil.identity, poolId, now);
    const uncompressed = toHex(uncompressPublicKey(evil.identity.publicKey));
    const wrong: [string, unknown][] = [
      ['another signature', ask({ ...good, signature: requestBy(evil.identity, poolId, now + 1).signature })],
      ['a signature that is none', ask({ ...good, signature: '00'.repeat(64) })],
      ['another message', ask({ ...good, request: good.request.replace('let me in', 'let us in') })],
      ['another node’s request', ask(requestBy(other, poolId, now))],
      ['an id of another key', ask(requestBy(evil.identity, poolId, now, { nodeId: nodeIdOf(other.publicKey) }))],
      ['a key off the curve', ask(requestBy(evil.identity, poolId, now, { publicKey: `02${'ff'.repeat(32)}` }))],
      ['infinity as a key', ask(requestBy(evil.identity, poolId, now, { publicKey: '00'.repeat(33) }))],
      ['an uncompressed key', ask(requestBy(evil.identity, poolId, now, { publicKey: uncompressed }))],
      ['another pool', ask(requestBy(evil.identity, 'ab'.repeat(32), now))],
      ['an old request', ask(requestBy(evil.identity, poolId, now - 10 * 60_000 - 1))],
      ['a request from the future', ask(requestBy(evil.identity, poolId, now + 10 * 60_000 + 1))],
      ['too long a message', ask(requestBy(evil.identity, poolId, now, { message: 'x'.repeat(501) }))],
      [
        'too many addresses',
        ask(
          requestBy(evil.identity, poolId, now, { addresses: Array.from({ length: 17 }, () => '/ip4/1.2.3.4/tcp/1') }),
        ),
      ],
      ['too long an address', ask(requestBy(evil.identity, poolId, now, { addresses: ['x'.repeat(301)] }))],
      ['a mail domain that is none', ask(requestBy(evil.identity, poolId, now, { mailDomain: 'a b' }))],
      ['spaces between', ask({ ...good, request: ` ${good.request}` })],
      ['more than was asked for', ask({ ...good, more: 1 })],
      ['too much', ask({ ...good, request: 'x'.repeat(100_000) })],
      ['another question', { ask: 'everything' }],
      ['nothing', null],
      ['a list', [good]],
    ];
    for (const [what, question] of wrong) expect(await send(question), what).toBe('PEER_REFUSED');
    expect(await waiting(a)).toBe(0);
    expect(refusals(a).length).toBeGreaterThanOrEqual(14);

    expect(await send(ask(good))).toEqual({ status: 'pending' });
    expect(await send(ask(good))).toBe('PEER_REFUSED');
    expect(await send(ask(requestBy(evil.identity, poolId, now - 1)))).toBe('PEER_REFUSED');
    const later = requestBy(evil.identity, poolId, now + 1, { message: 'please' });
    expect(await send(ask(later))).toEqual({ status: 'pending' });
    const queue = (await a.house.perform(pool.pendingNodes, {}, a.boss.token)).body;
    expect(queue).toMatchObject({ count: 1, pendingNodes: [{ message: 'please' }] });
    // Nor does it come back after a decision.
    await a.house.perform(pool.denyNode, { nodeId: evil.nodeId }, a.boss.token);
    expect(await send(ask(later))).toBe('PEER_REFUSED');
    expect(await waiting(a)).toBe(0);
  });

  it('more than a thousand requests, and forgets them after a week', async () => {
    await using scene = openScene(engine);
    const a = await scene.open('a');
    const { poolId } = (await status(a)).pool;
    const now = a.house.clock.now();
    const rows = Array.from({ length: 1_000 }, (_, at) => ({
      node_id: at.toString(16).padStart(40, '0'),
      pool_id: poolId,
      document: '{}',
      signature: '',
      public_key: toHex(a.identity.publicKey),
      message: '',
      mail_domain: null,
      addresses: '[]',
      requested_at: now,
      received_at: now,
      source: '',
      status: at < 500 ? ('pending' as const) : ('withdrawn' as const),
      decided_at: at < 500 ? null : now,
      decided_by: null,
      denial: null,
    }));
    await a.house.ctx.db.insertInto('pool_requests').values(rows).execute();
    const evil = await stranger(scene);
    const ask = async () =>
      await evil.node.port.request({ address: a.node.address }, 'pool-join', {
        ask: 'admission',
        ...requestBy(evil.identity, poolId, a.house.clock.now()),
      });
    await expect(ask()).rejects.toMatchObject({ code: 'PEER_REFUSED', cause: { code: 'POOL_QUEUE_FULL' } });
    scene.advance(7 * 86_400_000);
    const token = await a.house.signIn(a.boss);
    expect((await a.house.perform(pool.pendingNodes, {}, token)).body.count).toBe(0);
    expect(await a.house.perform(pool.approveNode, { nodeId: rows[0]!.node_id }, token)).toMatchObject({ status: 404 });
    scene.advance(600_000);
    expect(await purgeRequests(a.house.ctx)).toBe(1_000);
    expect(await ask()).toEqual({ status: 'pending' });
  });
});
