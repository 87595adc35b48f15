import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { pool } from '../../src/contract/pool.ts';
import { toHex } from '../../src/crypto/bytes.ts';
import { memberIdOf } from '../../src/crypto/public-key.ts';
import { mendWriters } from '../../src/services/pool/acl/proven-writers.ts';
import { admissionPolicy, isWriter, nodeOfMailDomain } from '../../src/services/pool/joining/admission-policy.ts';
import { listAfter, listOf, openScene, status, stranger } from '../services/pool/pool-scene.ts';
import { bothEngines } from '../support/stores.ts';

// Somebody who can write into the database, and has no administrator's key.
describe.each(bothEngines)('rows that somebody wrote into the tables of a pool on %s', (engine) => {
  it('of nodes: admit nobody, and are written anew at the next start', async () => {
    await using scene = openScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    await scene.admit(a, b);
    const evil = await stranger(scene);
    const { ctx } = a.house;
    const { poolId } = (await status(a)).pool;
    const row = await ctx.db
      .selectFrom('pool_writers')
      .selectAll()
      .where('node_id', '=', b.nodeId)
      .executeTakeFirstOrThrow();
    const added = {
      ...row,
      node_id: evil.nodeId,
      public_key: toHex(evil.identity.publicKey),
      mail_domain: 'evil.example',
    };
    const policies = [admissionPolicy(ctx)];
    expect(await policies[0]?.isAdmitted(b.nodeId)).toBe(true);
    await ctx.db.insertInto('pool_writers').values(added).execute();
    await ctx.db.updateTable('pool_writers').set({ expires_at: 1 }).where('node_id', '=', b.nodeId).execute();
    policies.push(admissionPolicy(ctx));
    for (const policy of policies) {
      expect(await policy.isAdmitted(evil.nodeId)).toBe(false);
      expect(await policy.isAdmitted(b.nodeId)).toBe(true);
      expect((await policy.members()).map(({ nodeId }) => nodeId)).toEqual([b.nodeId]);
    }
    expect(await isWriter(ctx, evil.nodeId)).toBe(false);
    expect(await nodeOfMailDomain(ctx, 'evil.example')).toBeUndefined();
    await evil.node.port.announce('test', 'let me in');
    const asked = evil.node.port.request({ address: a.node.address }, 'pool-join', {
      ask: 'outcome',
      poolId,
      requestedAt: new Date(ctx.clock.now()).toISOString(),
    });
    expect(await asked).toEqual({ status: 'unknown' });

    await mendWriters(ctx);
    expect(a.house.log.lines).toContainEqual(
      expect.objectContaining({
        level: 'error',
        message: expect.stringContaining('written anew'),
        nodeIds: expect.arrayContaining([evil.nodeId, b.nodeId]),
      }),
    );
    const nodes = (await a.house.perform(pool.nodes, {}, a.boss.token)).body.nodes as { nodeId: string }[];
    expect(nodes.map(({ nodeId }) => nodeId)).toEqual([a.nodeId, b.nodeId].toSorted());
    expect((await a.house.perform(pool.verifyAcl, {}, a.boss.token)).body.valid).toBe(true);
    const lines = a.house.log.lines.length;
    await mendWriters(ctx);
    expect(a.house.log.lines).toHaveLength(lines);
  });

  it('of lists: admit nobody at all', async () => {
    await using scene = openScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    await scene.admit(a, b);
    const { ctx } = a.house;
    const evil = await stranger(scene);
    const list = await listOf(a);
    const writer = { ...list.document.writers[1]!, nodeId: evil.nodeId, publicKey: toHex(evil.identity.publicKey) };
    const forged = listAfter(list, { writers: [...list.document.writers, writer] }, evil.identity);
    const claimed = [
      forged.signatures,
      // In the name of an administrator, and with nothing at all.
      [{ memberId: memberIdOf(a.identity.publicKey), signature: toHex(randomBytes(64)) }],
      [],
    ];
    const complaints = () =>
      a.house.log.lines.filter(({ level, code }) => level === 'error' && code === 'ACCESS_LIST_REFUSED').length;
    const honest = await ctx.db.selectFrom('pool_state').selectAll().executeTakeFirstOrThrow();
    for (const signatures of claimed) {
      const policy = admissionPolicy(ctx);
      const before = complaints();
      await ctx.db
        .insertInto('pool_lists')
        .values({
          pool_id: list.document.poolId,
          version: forged.document.version,
          hash: forged.hash,
          document: forged.text,
          signatures: JSON.stringify(signatures),
          signers: '',
          accepted_at: 1,
          source: a.nodeId,
        })
        .execute();
      await ctx.db.updateTable('pool_state').set({ version: forged.document.version, hash: forged.hash }).execute();
      for (const nodeId of [evil.nodeId, b.nodeId]) expect(await policy.isAdmitted(nodeId)).toBe(false);
      expect(await policy.members()).toEqual([]);
      expect(complaints() - before).toBe(1);
      await ctx.db.deleteFrom('pool_lists').where('version', '=', forged.document.version).execute();
      await ctx.db.updateTable('pool_state').set(honest).execute();
      expect(await policy.isAdmitted(b.nodeId)).toBe(true);
    }
  });
});
