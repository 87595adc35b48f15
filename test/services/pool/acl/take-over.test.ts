import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { transaction, type Context } from '../../../../src/service/context.ts';
import { pool } from '../../../../src/contract/pool.ts';
import { toHex } from '../../../../src/crypto/bytes.ts';
import { generateKeyPair } from '../../../../src/crypto/key-pair.ts';
import { integrateWaiting } from '../../../../src/platform/ledger/sequencer.ts';
import { keepEvidence } from '../../../../src/services/pool/acl/evidence.ts';
import { resolveFork } from '../../../../src/services/pool/acl/store.ts';
import { takeOver } from '../../../../src/services/pool/acl/take-over.ts';
import { engines } from '../../../support/stores.ts';
import { listAfter, listOf, openScene, type PoolHouse, type PoolScene } from '../pool-scene.ts';

/** What this node keeps of access lists, and has signed. */
async function kept({ house: { ctx } }: PoolHouse) {
  await integrateWaiting(ctx);
  const { db } = ctx;
  return {
    state: await db.selectFrom('pool_state').selectAll().execute(),
    lists: await db.selectFrom('pool_lists').selectAll().orderBy('version').execute(),
    evidence: await db.selectFrom('pool_evidence').selectAll().orderBy('hash').execute(),
    writers: await db.selectFrom('pool_writers').selectAll().orderBy('node_id').execute(),
    decisions: await db.selectFrom('pool_open_decisions').selectAll().execute(),
    proposals: await db.selectFrom('pool_proposals').selectAll().execute(),
    entries: (await db.selectFrom('ledger_entries').select('leaf_index').execute()).length,
  };
}

const open = (poolId: string, kind: 'removal' | 'expiry', subject: string, value = '') => ({
  pool_id: poolId,
  kind,
  subject,
  value,
  decided_by: 'ab'.repeat(12),
  issued_at: '2026-01-15T12:00:00.000Z',
  since: 1,
});

/** The mark is written after the commit, in a queue. */
async function marked({ ledger }: Context): Promise<void> {
  await ledger.settled();
  await ledger.oneByOne(async () => {});
}

/** a, whose key may sign, and b, which another branch removed. */
async function pair(scene: PoolScene) {
  const [a, b] = [await scene.open('a'), await scene.open('b')];
  await scene.admit(a, b);
  const { document } = await listOf(a);
  const decide = async (kind: 'removal' | 'expiry', value?: string) =>
    await a.house.ctx.db
      .insertInto('pool_open_decisions')
      .values(open(document.poolId, kind, b.nodeId, value))
      .execute();
  return { a, b, decide };
}

/** Why the log says that the node made no version. */
const notMade = ({ house }: PoolHouse) =>
  house.log.lines
    .filter(({ level, message }) => level === 'error' && String(message).includes('signs no version'))
    .map((line) => line['reason']);

describe.each(engines)('a version that a node makes by itself, on %s', (engine) => {
  it('is not signed below or beside the list that the node followed last', async () => {
    await using scene = openScene(engine);
    const { a, b, decide } = await pair(scene);
    const { ctx } = a.house;
    await marked(ctx);
    const state = await ctx.db.selectFrom('pool_state').selectAll().executeTakeFirstOrThrow();
    await a.house.perform(pool.updateAcl, { mode: 'closed' }, a.boss.token);
    await marked(ctx);
    const mark = join(ctx.config.dataDir, 'pool.mark');
    const before = await readFile(mark, 'utf8');
    const honest = await ctx.db.selectFrom('pool_state').selectAll().executeTakeFirstOrThrow();
    expect(before.split('\n').slice(4, 6)).toEqual(['3', honest.hash]);
    const [newest] = await ctx.db.selectFrom('pool_lists').selectAll().where('version', '=', 3).execute();

    await ctx.db.updateTable('pool_state').set(state).execute();
    await ctx.db.deleteFrom('pool_lists').where('version', '=', 3).execute();
    await decide('removal');
    const rolledBack = await kept(a);
    await takeOver(ctx);
    await takeOver(ctx);
    await marked(ctx);
    expect(await kept(a)).toEqual(rolledBack);
    expect(await readFile(mark, 'utf8')).toBe(before);
    // Said once, and not in every round.
    expect(notMade(a)).toEqual([
      expect.stringMatching(/than version 3 \([0-9a-f]{12}\), which this node followed last/),
    ]);

    await ctx.db.insertInto('pool_lists').values(newest!).execute();
    await ctx.db.updateTable('pool_state').set(honest).execute();
    await takeOver(ctx);
    const { document } = await listOf(a);
    expect(document).toMatchObject({ version: 4, mode: 'closed' });
    expect(document.writers.map(({ nodeId }) => nodeId)).not.toContain(b.nodeId);
  });

  it.each([1, 2])('leaves nothing where no node would take it from another one, with %s to sign', async (threshold) => {
    await using scene = openScene(engine);
    const { a, decide } = await pair(scene);
    const addKeys = [toHex(generateKeyPair().publicKey)];
    await a.house.perform(pool.updateAcl, { addKeys, threshold }, a.boss.token);
    await scene.settled();
    // Whoever can write to the database may write this.
    await decide('expiry', 'tomorrow');
    const before = await kept(a);
    await takeOver(a.house.ctx);
    await takeOver(a.house.ctx);
    expect(await kept(a)).toEqual(before);
    expect(notMade(a)).toEqual([expect.stringMatching(/its format is not valid at writers\.\d\.expiresAt/)]);
  });

  it('leaves nothing where another list counts than the one it made', async () => {
    await using scene = openScene(engine);
    const { a, decide } = await pair(scene);
    const { ctx } = a.house;
    const current = await listOf(a);
    const other = listAfter(current, { mode: 'open' }, a.identity);
    await transaction(ctx, async (tx) => {
      await keepEvidence(tx, [other], a.nodeId);
      await resolveFork(tx, other, a.boss.memberId);
    });
    await decide('removal');
    const before = await kept(a);
    await takeOver(ctx);
    expect(await kept(a)).toEqual(before);
    expect(notMade(a)).toEqual(['The access list is refused: another one counts.']);
  });
});
