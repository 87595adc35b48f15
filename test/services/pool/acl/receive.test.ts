import { describe, expect, it } from 'vitest';
import { pool } from '../../../../src/contract/pool.ts';
import { memberIdOf } from '../../../../src/crypto/public-key.ts';
import { signList, wireOf } from '../../../../src/crypto/formats/access-list/chain.ts';
import { poolIdOf } from '../../../../src/crypto/formats/access-list/document.ts';
import { receiveSides } from '../../../../src/services/pool/acl/receive.ts';
import { isWriter } from '../../../../src/services/pool/joining/admission-policy.ts';
import { insider, listAfter, listOf, openScene, refusals, status, stranger } from '../pool-scene.ts';
import { engines } from '../../../support/stores.ts';

describe.each(engines)('access lists on %s', (engine) => {
  it('are told to no node that was never of the pool', async () => {
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

  it('are refused by those who may not, of other pools, of the past, and two of one version', async () => {
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
          ({ level, message }) => level === 'error' && String(message).includes('access list conflict'),
        ),
      ).toBe(true);
    }
  });

  it('beside the active ones are refused too unless who may sign signed them', async () => {
    await using scene = openScene(engine);
    const a = await scene.open('a');
    const evil = await stranger(scene);
    const start = await listOf(a);
    await a.house.perform(pool.updateAcl, { mode: 'closed' }, a.boss.token);
    const { poolId } = start.document;
    const forged = listAfter(start, { mode: 'open' }, evil.identity);
    const inAnothersName = {
      ...forged,
      signatures: [{ memberId: memberIdOf(a.identity.publicKey), signature: forged.signatures[0]!.signature }],
    };
    for (const list of [forged, inAnothersName])
      await expect(receiveSides(a.house.ctx, poolId, [wireOf(list)], evil.nodeId)).rejects.toMatchObject({
        code: 'ACCESS_LIST_REFUSED',
        message: expect.stringContaining('0 of the 1 signatures'),
      });
    expect((await status(a)).evidence).toBe(0);
    const signed = listAfter(start, { mode: 'open' }, a.identity);
    await receiveSides(a.house.ctx, poolId, [wireOf(signed)], evil.nodeId);
    expect((await status(a)).evidence).toBe(1);
  });
});
