import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { pool } from '../../../src/contract/pool.ts';
import { toHex } from '../../../src/crypto/bytes.ts';
import { generateKeyPair } from '../../../src/crypto/key-pair.ts';
import { memberIdOf, nodeIdOf, uncompressPublicKey } from '../../../src/crypto/public-key.ts';
import { Problem } from '../../../src/problem.ts';
import { readList, signList, wireOf, type SignedList } from '../../../src/services/pool/acl/chain.ts';
import { poolIdOf } from '../../../src/services/pool/acl/document.ts';
import { isWriter } from '../../../src/services/pool/joining/admission-policy.ts';
import { signDenial } from '../../../src/services/pool/joining/denial.ts';
import { purgeRequests } from '../../../src/services/pool/joining/queue.ts';
import { listAfter, openScene, requestBy, stranger, type PoolHouse, type PoolScene } from './pool-scene.ts';
import { engines } from '../../support/stores.ts';

const status = async ({ house, boss }: PoolHouse) => (await house.perform(pool.status, {}, boss.token)).body;
const waiting = async ({ house, boss }: PoolHouse) =>
  (await house.perform(pool.pendingNodes, {}, boss.token)).body.count;
const listOf = async ({ house, boss }: PoolHouse): Promise<SignedList> => {
  const { document, signatures } = (await house.perform(pool.acl, {}, boss.token)).body;
  return readList({ document, signatures });
};
const refusals = ({ house }: PoolHouse) =>
  house.log.lines.filter(({ level, message }) => level === 'warn' && String(message).includes('refused'));

/** The same, admitted. */
async function insider(scene: PoolScene, host: PoolHouse) {
  const evil = await stranger(scene);
  const { poolId } = (await status(host)).pool;
  const request = requestBy(evil.identity, poolId, host.house.clock.now());
  await evil.node.port.request({ address: host.node.address }, 'pool-join', { ask: 'admission', ...request });
  await host.house.perform(pool.approveNode, { nodeId: evil.nodeId }, host.boss.token);
  await scene.settled();
  return evil;
}

describe.each(engines)('what a pool refuses on %s', (engine) => {
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

  it('lists from nodes that were never of the pool', async () => {
    await using scene = openScene(engine);
    const a = await scene.open('a');
    const evil = await stranger(scene);
    const { poolId } = (await status(a)).pool;
    await expect(
      evil.node.port.request({ address: a.node.address }, 'pool-acl', { poolId, from: 1 }),
    ).rejects.toMatchObject({
      code: 'PEER_REFUSED',
    });
    await evil.node.port.request({ address: a.node.address }, 'pool-join', { ask: 'look', poolId });
    expect(await isWriter(a.house.ctx, evil.nodeId)).toBe(false);
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

  it('lists by those who may not, of other pools, of the past, and two of one version', async () => {
    await using scene = openScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    const evil = await insider(scene, a);
    await scene.admit(a, b);
    const start = await listOf(a);
    // The key of the node is an administrator of its own pool, and then isn't any more.
    const nodeAdmin = memberIdOf(a.identity.publicKey);
    await a.house.perform(pool.updateAcl, { removeAdmins: [nodeAdmin] }, a.boss.token);
    await scene.settled();
    const current = await listOf(a);
    expect(current.document.version).toBe(start.document.version + 1);

    const draft = { ...current.document, version: 1, prev: null, poolId: '' };
    const otherPool = signList({ ...draft, poolId: poolIdOf(draft) }, nodeAdmin, a.identity.privateKey);
    const forged = listAfter(current, { mode: 'open' }, evil.identity);
    const signedByFormer = listAfter(current, { mode: 'open' }, a.identity);
    const claimsBoss = {
      ...forged,
      signatures: [{ memberId: a.boss.memberId, signature: forged.signatures[0]!.signature }],
    };
    const skipping = listAfter(
      { ...current, document: { ...current.document, version: current.document.version + 5 } },
      {},
      a.identity,
    );
    const rewritten = listAfter(start, { mode: 'open', issuedAt: '2026-01-15T11:00:00.000Z' }, a.identity);
    const forgedPast = listAfter(start, { mode: 'open', issuedAt: '2026-01-15T11:00:01.000Z' }, evil.identity);
    const [{ signature }] = forgedPast.signatures as [(typeof forgedPast.signatures)[number]];
    const lies: [string, unknown][] = [
      ['forged, of a version that is decided', wireOf(forgedPast)],
      [
        'in the name of an administrator, of a version that is decided',
        wireOf({ ...forgedPast, signatures: [{ memberId: nodeAdmin, signature }] }),
      ],
      ['forged', wireOf(forged)],
      ['by a former administrator', wireOf(signedByFormer)],
      ['by a former administrator, of a version that is decided', wireOf(rewritten)],
      ['in the name of an administrator', wireOf(claimsBoss)],
      ['of another pool', wireOf(otherPool)],
      ['of a version far ahead', wireOf(skipping)],
      ['of the past', wireOf(start)],
      ['nonsense', { document: '{}', signatures: [] }],
      ['too large', { document: 'x'.repeat(20_000), signatures: [] }],
      ['not a list', 7],
    ];
    for (const [, list] of lies) {
      for (const type of ['pool_join_approved', 'pool_acl_updated'])
        await evil.node.port.announce(type, {
          poolId: current.document.poolId,
          version: 9,
          hash: 'ab'.repeat(32),
          list,
        });
    }
    await scene.settled();
    for (const one of [a, b]) {
      expect((await listOf(one)).hash).toBe(current.hash);
      expect(refusals(one).length).toBeGreaterThanOrEqual(10);
      // Validly signed at its time, and yet no past of ours: kept for people to see.
      const { evidence } = (await one.house.perform(pool.aclEvidence, {}, one.boss.token)).body;
      expect(evidence).toMatchObject([
        {
          version: current.document.version,
          hash: rewritten.hash,
          countingHash: current.hash,
          signers: [nodeAdmin],
          source: evil.nodeId,
        },
      ]);
      expect((await status(one)).evidence).toBe(1);
      expect(
        one.house.log.lines.some(
          ({ level, message }) => level === 'error' && String(message).includes('two access lists'),
        ),
      ).toBe(true);
    }
  });

  it('denials by those who may not, and of requests that were made again', async () => {
    await using scene = openScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    const evil = await insider(scene, a);
    await b.house.perform(pool.join, { address: a.node.address }, b.boss.token);
    const { poolId } = (await status(a)).pool;
    const denial = {
      poolId,
      nodeId: b.nodeId,
      requestedAt: new Date(b.house.clock.now()).toISOString(),
      reason: '',
      deniedAt: new Date(b.house.clock.now()).toISOString(),
      deniedBy: a.boss.memberId,
    };
    const byEvil = signDenial(denial, { memberId: a.boss.memberId, privateKey: evil.identity.privateKey });
    await evil.node.port.announce('pool_join_denied', byEvil);
    await evil.node.port.announce('pool_join_denied', { denial: 'x' });
    await scene.settled();
    expect(await waiting(a)).toBe(1);
    expect(refusals(a).length).toBeGreaterThanOrEqual(2);
    const nodeAdmin = memberIdOf(a.identity.publicKey);
    const early = { ...denial, deniedBy: nodeAdmin, requestedAt: '2026-01-15T11:00:00.000Z' };
    await evil.node.port.announce(
      'pool_join_denied',
      signDenial(early, { memberId: nodeAdmin, privateKey: a.identity.privateKey }),
    );
    await scene.settled();
    expect(await waiting(a)).toBe(1);
    const valid = { ...denial, deniedBy: nodeAdmin };
    await evil.node.port.announce(
      'pool_join_denied',
      signDenial(valid, { memberId: nodeAdmin, privateKey: a.identity.privateKey }),
    );
    await scene.settled();
    expect(await waiting(a)).toBe(0);
  });

  it('a store that was changed', async () => {
    await using scene = openScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    await scene.admit(a, b);
    const { db } = a.house.ctx;
    const checked = async () => (await a.house.perform(pool.verifyAcl, {}, a.boss.token)).body;
    const failing = async () =>
      (await checked()).checks.filter(({ ok }: { ok: boolean }) => !ok).map(({ name }: { name: string }) => name);
    expect(await failing()).toEqual([]);

    // What a writer is admitted with, column by column, in rows whose number and ids stay as they are.
    const writer = () => db.selectFrom('pool_writers').selectAll().where('node_id', '=', b.nodeId);
    const honest = await writer().executeTakeFirstOrThrow();
    const swaps = [
      { public_key: toHex(generateKeyPair().publicKey) },
      { mail_domain: 'elsewhere.example' },
      { expires_at: a.house.clock.now() + 1 },
      { node_id: toHex(randomBytes(20)) },
    ];
    for (const swap of swaps) {
      await db.updateTable('pool_writers').set(swap).where('node_id', '=', b.nodeId).execute();
      expect(await failing(), JSON.stringify(swap)).toEqual(['nodes']);
      const now = swap.node_id ?? b.nodeId;
      await db.updateTable('pool_writers').set(honest).where('node_id', '=', now).execute();
      expect(await failing()).toEqual([]);
    }

    // A list of the past beside another hash than its own, which nothing of today refers to.
    const past = db.updateTable('pool_lists').where('version', '=', 1);
    const { hash } = await db
      .selectFrom('pool_lists')
      .select('hash')
      .where('version', '=', 1)
      .executeTakeFirstOrThrow();
    await past.set({ hash: 'ab'.repeat(32) }).execute();
    expect(await checked()).toMatchObject({
      valid: false,
      checks: [{ name: 'versions', ok: false, detail: 'version 1 was changed' }, { ok: true }, { ok: true }],
    });
    await past.set({ hash }).execute();
    expect(await failing()).toEqual([]);
    const evil = toHex(randomBytes(20));
    await db
      .insertInto('pool_writers')
      .values({
        pool_id: (await status(a)).pool.poolId,
        node_id: evil,
        public_key: '',
        mail_domain: null,
        added_at: 0,
        added_by: '',
        expires_at: null,
        removed_version: null,
      })
      .execute();
    expect(await failing()).toEqual(['nodes']);
    await db.deleteFrom('pool_writers').where('node_id', '=', evil).execute();
    const old = await db.selectFrom('pool_lists').selectAll().where('version', '=', 1).executeTakeFirstOrThrow();
    await db.updateTable('pool_state').set({ version: 1, hash: old.hash }).execute();
    expect(await failing()).toEqual(['nodes', 'ledger']);
    await db
      .updateTable('pool_lists')
      .set({ document: old.document.replace('approval', 'open') })
      .where('version', '=', 1)
      .execute();
    const broken = await a.house.perform(pool.acl, {}, a.boss.token);
    expect(broken).toMatchObject({ status: 500 });
  });
});
