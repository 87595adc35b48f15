import { describe, expect, it } from 'vitest';
import { members } from '../../../src/contract/accounts/members.ts';
import { pool } from '../../../src/contract/pool.ts';
import { isWriter } from '../../../src/services/pool/joining/admission-policy.ts';
import type { ApiAnswer } from '../../support/house.ts';
import { openScene, requestBy, stranger } from './pool-scene.ts';
import { bothEngines } from '../../support/stores.ts';
import { allRows } from '../passvault/store-contents.ts';

describe.each(bothEngines)('what changes between the preparation and the transaction of a pool on %s', (engine) => {
  it('obeys no administrator who is none any more', { tags: 'thorough' }, async () => {
    await using scene = openScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    await scene.admit(a, b);
    const { house, boss } = a;
    const guest = await stranger(scene);
    const { poolId } = (await house.perform(pool.status, {}, boss.token)).body.pool;
    const asked = requestBy(guest.identity, poolId, house.clock.now());
    await guest.node.port.request({ address: a.node.address }, 'pool-join', { ask: 'admission', ...asked });
    const other = await house.administrator('other');
    const { memberId } = boss;
    const nodeId = guest.nodeId;
    const token = boss.token;
    const requests: [string, () => Promise<ApiAnswer>][] = [
      ['approve', () => house.perform(pool.approveNode, { nodeId }, token)],
      ['deny', () => house.perform(pool.denyNode, { nodeId }, token)],
      ['remove', () => house.perform(pool.removeNode, { nodeId: b.nodeId }, token)],
      ['change the list', () => house.perform(pool.updateAcl, { mode: 'open' }, token)],
      ['leave', () => house.perform(pool.leave, { poolId }, token)],
    ];
    const stateOf = async () =>
      [...(await allRows(house.ctx))].map(([name, rows]) => [name, rows.map((row) => JSON.stringify(row)).toSorted()]);
    for (const [what, request] of requests) {
      let after: unknown;
      const came = house.meanwhile(async () => {
        expect((await house.perform(members.demote, { memberId }, other.token)).status).toBe(200);
        after = await stateOf();
      });
      const { status, body } = await request();
      expect([what, came(), status, body.error?.code ?? body.error]).toEqual([what, true, 403, 'FORBIDDEN']);
      expect(await stateOf()).toEqual(after);
      await house.perform(members.promote, { memberId }, other.token);
    }
    expect((await house.perform(pool.approveNode, { nodeId }, token)).status).toBe(200);
  });

  it('sends and takes back no request to join for them', async () => {
    await using scene = openScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    const { house, boss } = b;
    const other = await house.administrator('other');
    const ask = () => house.perform(pool.join, { address: a.node.address }, boss.token);
    const withdraw = () => house.perform(pool.withdraw, {}, boss.token);
    const pending = async () =>
      (await house.ctx.db.selectFrom('pool_joins').select('status').execute()).map((row) => row.status);
    for (const [request, before, after] of [
      [ask, [], ['pending']],
      [withdraw, ['pending'], ['withdrawn']],
    ] as const) {
      const came = house.meanwhile(
        async () => await house.perform(members.demote, { memberId: boss.memberId }, other.token),
      );
      const { status, body } = await request();
      expect([came(), status, body.error?.code ?? body.error]).toEqual([true, 403, 'FORBIDDEN']);
      expect(await pending()).toEqual(before);
      await house.perform(members.promote, { memberId: boss.memberId }, other.token);
      expect((await request()).status).toBeLessThan(300);
      await scene.settled();
      expect(await pending()).toEqual(after);
    }
  });

  it('decides nothing about what was asked anew, taken back or decided meanwhile', async () => {
    await using scene = openScene(engine);
    const a = await scene.open('a');
    const { house, boss } = a;
    const guest = await stranger(scene);
    const { nodeId } = guest;
    const { poolId } = (await house.perform(pool.status, {}, boss.token)).body.pool;
    const send = async (question: object) =>
      await guest.node.port.request({ address: a.node.address }, 'pool-join', question);
    const ask = async () => {
      scene.advance(1_000);
      await send({ ask: 'admission', ...requestBy(guest.identity, poolId, house.clock.now()) });
    };
    const approve = () => house.perform(pool.approveNode, { nodeId }, boss.token);
    const deny = () => house.perform(pool.denyNode, { nodeId }, boss.token);
    const withdraw = async () => await send({ ask: 'withdraw', poolId });
    const versions = async () => (await house.ctx.db.selectFrom('pool_lists').select('version').execute()).length;
    const before = await versions();
    for (const [decide, change] of [
      [approve, ask],
      [approve, withdraw],
      [approve, deny],
      [deny, ask],
      [deny, withdraw],
    ] as const) {
      await ask();
      const came = house.meanwhile(change);
      const { status, body } = await decide();
      expect([came(), status, body.error?.code ?? body.error]).toEqual([true, 404, 'NODE_NOT_PENDING']);
    }
    // The denial between an approval and its transaction is one, and the only one that counted.
    expect(await versions()).toBe(before + 1);
    expect(await isWriter(house.ctx, nodeId)).toBe(false);
  });
});
