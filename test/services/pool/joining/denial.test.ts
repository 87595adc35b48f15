import { describe, expect, it } from 'vitest';
import { pool } from '../../../../src/contract/pool.ts';
import { memberIdOf } from '../../../../src/crypto/public-key.ts';
import { signDenial } from '../../../../src/services/pool/joining/denial.ts';
import { insider, openScene, refusals, status, waiting } from '../pool-scene.ts';
import { engines } from '../../../support/stores.ts';

describe.each(engines)('denials are refused, on %s,', (engine) => {
  it('by those who may not, and of requests that were made again', async () => {
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
});
