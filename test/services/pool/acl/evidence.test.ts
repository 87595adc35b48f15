import { describe, expect, it } from 'vitest';
import { pool } from '../../../../src/contract/pool.ts';
import { transaction } from '../../../../src/service/context.ts';
import { verifyLedger } from '../../../../src/platform/ledger/verify-ledger.ts';
import { compactEvidence, keepEvidence, MAX_EVIDENCE } from '../../../../src/services/pool/acl/evidence.ts';
import type { SignedList } from '../../../../src/crypto/formats/access-list/chain.ts';
import { listAfter, listOf, openScene, type PoolHouse } from '../pool-scene.ts';
import { engines } from '../../../support/stores.ts';

/** Another list in place of one of this node, signed by who may. */
function contradiction(one: PoolHouse, start: SignedList, second: number) {
  const issuedAt = new Date(Date.UTC(2026, 0, 15, 11, 0, 0) + second * 1_000).toISOString();
  return listAfter(start, { mode: 'open', issuedAt }, one.identity);
}

describe.each(engines)('evidence on %s', (engine) => {
  it('is on the ledger, so nobody can delete or change it unnoticed', async () => {
    await using scene = openScene(engine);
    const a = await scene.open('a');
    const { house, boss } = a;
    const { ctx } = house;
    const start = await listOf(a);
    const lists = [contradiction(a, start, 1), contradiction(a, start, 2)];
    await house.perform(pool.updateAcl, { mode: 'closed' }, boss.token);
    await transaction(ctx, async (tx) => await keepEvidence(tx, lists, a.nodeId));
    // What is kept already is neither kept nor recorded again.
    await transaction(ctx, async (tx) => await keepEvidence(tx, lists, a.nodeId));

    const checked = async () => {
      const { body } = await house.perform(pool.verifyAcl, {}, boss.token);
      const { ok, faults, checks } = await verifyLedger(ctx, { full: true });
      const own = checks.find(({ name }) => name === 'evidence');
      return { acl: body.checks.find(({ name }: { name: string }) => name === 'evidence'), ok, faults, own };
    };
    const detail = '2 access lists kept as evidence';
    const whole = { acl: { ok: true, detail }, ok: true, faults: [], own: { ok: true, detail } };
    expect(await checked()).toMatchObject(whole);

    const [first] = lists;
    const row = await ctx.db
      .selectFrom('pool_evidence')
      .selectAll()
      .where('hash', '=', first!.hash)
      .executeTakeFirstOrThrow();
    const said = (how: string) => {
      const what = `the access list ${row.hash} of version ${row.version}, which was kept as evidence, ${how}`;
      return { acl: { ok: false, detail: what }, ok: false, faults: [{ index: expect.any(Number), what }] };
    };
    await ctx.db.deleteFrom('pool_evidence').where('hash', '=', row.hash).execute();
    expect(await checked()).toMatchObject(said('is missing'));
    await ctx.db.insertInto('pool_evidence').values(row).execute();
    expect(await checked()).toMatchObject(whole);
    for (const change of [{ document: row.document.replace('open', 'closed') }, { signatures: '[]' }]) {
      await ctx.db.updateTable('pool_evidence').set(change).where('hash', '=', row.hash).execute();
      expect(await checked()).toMatchObject(said('was changed'));
      await ctx.db.updateTable('pool_evidence').set(row).where('hash', '=', row.hash).execute();
    }
    await ctx.db.deleteFrom('pool_evidence').execute();
    expect((await checked()).acl.detail).toContain(', and 1 more');
    expect((await checked()).faults).toHaveLength(2);
  });

  it('that was dropped because there was too much of it is not missed', async () => {
    await using scene = openScene(engine);
    const a = await scene.open('a');
    const { ctx } = a.house;
    const start = await listOf(a);
    const lists = Array.from({ length: MAX_EVIDENCE + 3 }, (_, at) => contradiction(a, start, at));
    const { poolId } = lists[0]!.document;
    await transaction(ctx, async (tx) => {
      await keepEvidence(tx, lists, a.nodeId);
      await compactEvidence(tx, poolId);
    });
    const { ok, checks, faults } = await verifyLedger(ctx, { full: true });
    expect({ ok, faults }).toEqual({ ok: true, faults: [] });
    expect(checks.find(({ name }) => name === 'evidence')?.detail).toBe(
      `${MAX_EVIDENCE} access lists kept as evidence`,
    );
  });
});
