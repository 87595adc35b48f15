import { describe, expect, it } from 'vitest';
import { pool } from '../../../src/contract/pool.ts';
import type { Context } from '../../../src/service/context.ts';
import { generateKeyPair } from '../../../src/crypto/key-pair.ts';
import { nodeIdOf } from '../../../src/crypto/public-key.ts';
import { ensureList } from '../../../src/services/pool/acl/commit.ts';
import { takeRequest } from '../../../src/services/pool/joining/queue.ts';
import { openHouse, type House } from '../../support/house.ts';
import { withTwoProcesses } from '../../support/two-processes.ts';
import { requestBy } from './pool-scene.ts';
import { bothEngines } from '../../support/stores.ts';

async function asked(ctx: Context): Promise<string> {
  const identity = generateKeyPair();
  const nodeId = nodeIdOf(identity.publicKey);
  const list = await ensureList(ctx);
  await takeRequest(ctx, list, requestBy(identity, list.document.poolId, ctx.clock.now()), nodeId);
  return nodeId;
}

const verified = async (house: House, token: string) => (await house.perform(pool.verifyAcl, {}, token)).body;

describe.runIf(bothEngines.includes('postgres'))('two processes on one database of postgres', () => {
  it('found one pool, and decide in one order', async () => {
    await withTwoProcesses(async (one, other) => {
      const boss = await one.administrator();

      const founded = await Promise.all([one, other, one, other].map(async ({ ctx }) => (await ensureList(ctx)).hash));
      expect(new Set(founded).size).toBe(1);
      expect(await one.ctx.db.selectFrom('pool_lists').select('version').execute()).toEqual([{ version: 1 }]);

      const ids: string[] = [];
      for (let left = 6; left > 0; left -= 1) ids.push(await asked(one.ctx));
      const decided = await Promise.all(
        ids.flatMap((nodeId) =>
          [one, other].map(async (house) => await house.perform(pool.approveNode, { nodeId }, boss.token)),
        ),
      );
      expect(decided.map(({ status }) => status).sort()).toEqual([...ids.map(() => 200), ...ids.map(() => 404)]);
      expect(decided.flatMap(({ body }) => body.aclVersion ?? []).sort()).toEqual([2, 3, 4, 5, 6, 7]);
      for (const house of [one, other])
        expect(await verified(house, boss.token)).toMatchObject({ valid: true, versions: 7 });
    });
  });
});

describe.each(bothEngines)('a decision that cannot be recorded on %s', (engine) => {
  it('has not happened', async () => {
    await using house = await openHouse(engine);
    const boss = await house.administrator();
    const nodeId = await asked(house.ctx);
    const { db, ledger } = house.ctx;
    await ledger.settled();
    const head = await db.selectFrom('ledger_head').selectAll().executeTakeFirstOrThrow();
    await db
      .updateTable('ledger_head')
      .set({ seal: new Uint8Array(32) })
      .execute();
    // A process of PostgreSQL looks at the head when it begins, and whenever it gives entries their places.
    ledger.sound = false;
    for (const operation of [pool.approveNode, pool.denyNode])
      expect(await house.perform(operation, { nodeId }, boss.token)).toMatchObject({ status: 500 });
    await db.updateTable('ledger_head').set({ seal: head.seal }).execute();
    expect((await house.perform(pool.pendingNodes, {}, boss.token)).body).toMatchObject({ count: 1 });
    expect(await verified(house, boss.token)).toMatchObject({ valid: true, versions: 1 });
    expect((await house.perform(pool.approveNode, { nodeId }, boss.token)).body).toMatchObject({ aclVersion: 2 });
  });
});
