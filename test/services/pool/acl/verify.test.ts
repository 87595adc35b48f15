import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { pool } from '../../../../src/contract/pool.ts';
import { toHex } from '../../../../src/crypto/bytes.ts';
import { generateKeyPair } from '../../../../src/crypto/key-pair.ts';
import { openScene, status } from '../pool-scene.ts';
import { engines } from '../../../support/stores.ts';

describe.each(engines)('the access lists of a store on %s', (engine) => {
  it('are no longer valid once somebody changed them', async () => {
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
      checks: [
        { name: 'versions', ok: false, detail: 'version 1 was changed' },
        { ok: true },
        { ok: true },
        { ok: true },
      ],
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
