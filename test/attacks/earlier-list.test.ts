import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pool } from '../../src/contract/pool.ts';
import { utf8 } from '../../src/crypto/bytes.ts';
import { canonicalJson } from '../../src/crypto/canonical-json.ts';
import { leafHash } from '../../src/crypto/merkle.ts';
import { refusePassedOver } from '../../src/services/pool/acl/list-mark.ts';
import { mendPool } from '../../src/services/pool/acl/mend-pool.ts';
import { admissionPolicy, isWriter, membership } from '../../src/services/pool/joining/admission-policy.ts';
import { listOf, openScene, status, type PoolHouse, type PoolScene } from '../services/pool/pool-scene.ts';
import { engines } from '../support/stores.ts';

const markOf = ({ house }: PoolHouse): string => join(house.ctx.config.dataDir, 'pool.mark');
const stateOf = async ({ house }: PoolHouse) =>
  await house.ctx.db.selectFrom('pool_state').selectAll().executeTakeFirstOrThrow();
const errors = ({ house }: PoolHouse): string[] =>
  house.log.lines.filter(({ level }) => level === 'error').map(({ message }) => String(message));

/** a's pool at version 3, which removed b; and what the database said when b was in it. */
async function removedNode(scene: PoolScene) {
  const [a, b] = [await scene.open('a'), await scene.open('b')];
  await scene.admit(a, b);
  const { ledger } = a.house.ctx;
  await ledger.settled();
  const before = await stateOf(a);
  const lists = await a.house.ctx.db.selectFrom('pool_lists').selectAll().execute();
  await a.house.perform(pool.removeNode, { nodeId: b.nodeId, ban: true }, a.boss.token);
  await scene.settled();
  await ledger.settled();
  return { a, b, before, lists };
}

// Every list that was ever active is validly signed, so somebody who can write to the database needs no key to name one of them.
describe.each(engines)('an earlier access list that somebody made active in the database on %s', (engine) => {
  it('admits nobody, is signed on by nobody, and the later one is active again at the next start', async () => {
    await using scene = openScene(engine);
    const { a, b, before } = await removedNode(scene);
    const { ctx } = a.house;
    const honest = await stateOf(a);
    const policy = admissionPolicy(ctx);
    expect(await policy.isAdmitted(a.nodeId)).toBe(true);
    expect(await policy.isAdmitted(b.nodeId)).toBe(false);

    const edit = async (change: Partial<typeof before>) =>
      await ctx.db
        .updateTable('pool_state')
        .set({ ...before, ...change })
        .execute();
    // With the entry that recorded it, with the newest one, and with one of its own making.
    for (const entry of [before.ledger_entry, honest.ledger_entry, 'ff'.repeat(16)]) {
      await edit({ ledger_entry: entry });
      await ctx.db.updateTable('pool_writers').set({ removed_version: null }).where('node_id', '=', b.nodeId).execute();
      for (const one of [policy, admissionPolicy(ctx)]) {
        expect(await one.isAdmitted(b.nodeId)).toBe(false);
        expect(await one.isAdmitted(a.nodeId)).toBe(false);
        expect(await one.members()).toEqual([]);
      }
      expect(await isWriter(ctx, b.nodeId)).toBe(false);
      expect(await membership(ctx)).toBe('removed');
    }
    expect(a.house.log.lines).toContainEqual(
      expect.objectContaining({
        level: 'error',
        message: 'no node is admitted: the access list in the store cannot be trusted',
        code: 'STORE_DAMAGED',
        reason: expect.stringMatching(/than version 3 \([0-9a-f]{12}\), .* Restore the newest backup of the store\.$/),
      }),
    );
    const refused = { status: 500 };
    expect(await a.house.perform(pool.updateAcl, { mode: 'open' }, a.boss.token)).toMatchObject(refused);
    expect(await a.house.perform(pool.status, {}, a.boss.token)).toMatchObject(refused);
    await expect(refusePassedOver(ctx)).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    const checked = (await a.house.perform(pool.verifyAcl, {}, a.boss.token)).body;
    expect(checked).toMatchObject({ valid: false });

    await mendPool(ctx);
    expect(errors(a)).toContainEqual(expect.stringMatching(/than version 3 .* That version is active again\.$/));
    expect(await stateOf(a)).toMatchObject({ version: 3, hash: honest.hash, ledger_entry: honest.ledger_entry });
    expect([await policy.isAdmitted(a.nodeId), await policy.isAdmitted(b.nodeId)]).toEqual([true, false]);
    expect((await a.house.perform(pool.verifyAcl, {}, a.boss.token)).body.valid).toBe(true);
    expect(await a.house.perform(pool.updateAcl, { mode: 'open' }, a.boss.token)).toMatchObject({ status: 200 });
    expect((await status(a)).pool).toMatchObject({ version: 4, mode: 'open' });
  });

  it('admits nobody also with the entries of the ledger that somebody wrote for it, until the store is restored', async () => {
    await using scene = openScene(engine);
    const { a, b, before } = await removedNode(scene);
    const { ctx } = a.house;
    await a.house.perform(pool.updateAcl, { mode: 'open' }, a.boss.token);
    await ctx.ledger.settled();
    const rows = await ctx.db.selectFrom('ledger_entries').selectAll().orderBy('leaf_index').execute();
    const [newest] = rows.toReversed();
    const body = utf8(
      canonicalJson({
        v: 1,
        type: 'POOL_ACL',
        index: newest!.leaf_index,
        time: new Date(ctx.clock.now()).toISOString(),
        data: { poolId: before.pool_id, version: before.version, hash: before.hash },
      }),
    );
    const entry = 'ee'.repeat(16);
    await ctx.db.deleteFrom('pool_lists').where('version', '>', before.version).execute();
    await ctx.db
      .updateTable('pool_state')
      .set({ ...before, ledger_entry: entry })
      .execute();
    const forged = { leaf_hash: leafHash(body), body, entry_id: entry };
    const policy = admissionPolicy(ctx);
    const isRefused = async () => {
      expect(await policy.isAdmitted(b.nodeId)).toBe(false);
      await expect(refusePassedOver(ctx)).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    };
    // Behind the end, before it, and as one that still waits for its place.
    await ctx.db
      .insertInto('ledger_entries')
      .values({ leaf_index: newest!.leaf_index + 1, ...forged })
      .execute();
    await isRefused();
    await ctx.db.deleteFrom('ledger_entries').where('entry_id', '=', entry).execute();
    // A later entry than the mark's, so that the order alone does not refuse it.
    const mark = await readFile(markOf(a), 'utf8');
    const earlier = mark.split('\n');
    earlier[2] = String(newest!.leaf_index - 1);
    await writeFile(markOf(a), earlier.join('\n'));
    await ctx.db.updateTable('ledger_entries').set(forged).where('leaf_index', '=', newest!.leaf_index).execute();
    await isRefused();
    await ctx.db.updateTable('ledger_entries').set(newest!).where('leaf_index', '=', newest!.leaf_index).execute();
    await ctx.db
      .insertInto('ledger_waiting')
      .values({
        position: 1,
        id: entry,
        content: utf8(`{"entry":${canonicalJson({ v: 1, type: 'POOL_ACL' })}}`),
        seal: body,
      })
      .execute();
    await isRefused();
    // Nor without any state.
    await ctx.db.deleteFrom('pool_state').execute();
    await isRefused();
    await writeFile(markOf(a), mark);
    // The later lists are gone, so nothing can be mended.
    await ctx.db.insertInto('pool_state').values(before).execute();
    await mendPool(ctx);
    expect(errors(a)).toContainEqual(
      expect.stringMatching(/No node is admitted\. Restore the newest backup of the store\.$/),
    );
    expect(await readFile(markOf(a), 'utf8')).toBe(mark);
    await isRefused();
  });

  it(
    'is followed by the later one of the other nodes, if the store has that no more',
    { tags: 'thorough' },
    async () => {
      await using scene = openScene(engine);
      const [a, b, c] = [await scene.open('a'), await scene.open('b'), await scene.open('c')];
      await scene.admit(a, c);
      await scene.admit(a, b);
      await a.house.ctx.ledger.settled();
      const before = await stateOf(a);
      await a.house.perform(pool.removeNode, { nodeId: b.nodeId, ban: true }, a.boss.token);
      await scene.settled();
      const { ctx } = a.house;
      const policy = admissionPolicy(ctx);
      await ctx.db.updateTable('pool_state').set(before).execute();
      await ctx.db.deleteFrom('pool_lists').where('version', '>', before.version).execute();
      await mendPool(ctx);
      for (const nodeId of [a.nodeId, b.nodeId, c.nodeId]) expect(await policy.isAdmitted(nodeId)).toBe(false);
      scene.network.round();
      await scene.settled();
      expect((await status(a)).pool).toMatchObject({ version: 4, membership: 'member' });
      expect([await policy.isAdmitted(b.nodeId), await policy.isAdmitted(c.nodeId)]).toEqual([false, true]);
      expect((await a.house.perform(pool.verifyAcl, {}, a.boss.token)).body.valid).toBe(true);
    },
  );

  it('is another matter than a list that is active by right', async () => {
    await using scene = openScene(engine);
    const { a, b } = await removedNode(scene);
    const { ctx } = a.house;
    const version = async () => (await readFile(markOf(a), 'utf8')).split('\n')[4];
    expect(await version()).toBe('3');
    // Another process of this node made it; or this one ended before it wrote the mark.
    const old = await readFile(markOf(a), 'utf8');
    await a.house.perform(pool.updateAcl, { mode: 'open' }, a.boss.token);
    expect(await version()).toBe('4');
    await writeFile(markOf(a), old);
    expect(await admissionPolicy(ctx).isAdmitted(a.nodeId)).toBe(true);
    await mendPool(ctx);
    expect(await version()).toBe('4');
    // It has left, and has a list of version 1.
    await a.house.perform(pool.unbanNode, { nodeId: b.nodeId }, a.boss.token);
    scene.advance(1_000);
    await b.house.perform(pool.join, { address: a.node.address }, b.boss.token);
    await scene.settled();
    const { poolId } = (await status(b)).pool;
    await b.house.perform(pool.leave, { poolId }, b.boss.token);
    expect((await listOf(b)).document.version).toBe(1);
    expect(await admissionPolicy(b.house.ctx).isAdmitted(b.nodeId)).toBe(true);
    expect((await readFile(markOf(b), 'utf8')).split('\n')[4]).toBe('1');
    // No mark, one that is damaged, and one of another log.
    const now = await readFile(markOf(a), 'utf8');
    for (const text of [undefined, '', 'x', now.replace(/conclave\/[0-9a-f]{40}/, `conclave/${'0'.repeat(40)}`)]) {
      await (text === undefined ? rm(markOf(a)) : writeFile(markOf(a), text));
      expect(await admissionPolicy(ctx).isAdmitted(a.nodeId)).toBe(true);
      await mendPool(ctx);
      expect(await readFile(markOf(a), 'utf8')).toBe(now);
    }
    expect(errors(a).filter((message) => message.includes('access list'))).toEqual([]);
  });
});
