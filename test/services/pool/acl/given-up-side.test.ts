import { describe, expect, it } from 'vitest';
import { pool } from '../../../../src/contract/pool.ts';
import { toHex } from '../../../../src/crypto/bytes.ts';
import { memberIdOf } from '../../../../src/crypto/public-key.ts';
import { signList, wireOf, type SignedList } from '../../../../src/crypto/formats/access-list/chain.ts';
import { MAX_EVIDENCE } from '../../../../src/services/pool/acl/evidence.ts';
import { receiveSides } from '../../../../src/services/pool/acl/receive.ts';
import { engines } from '../../../support/stores.ts';
import { listAfter, openScene, status, stranger, type PoolScene } from '../pool-scene.ts';
import { genesisOf } from './signed-lists.ts';

/** A node outside of the program, which tells the lists of a pool as it likes. */
async function hostOf(scene: PoolScene) {
  const { identity, nodeId, node } = await stranger(scene);
  const publicKey = toHex(identity.publicKey);
  const memberId = memberIdOf(identity.publicKey);
  const at = '2026-01-15T12:00:00.000Z';
  const writer = (one: string, key: string) => ({
    nodeId: one,
    publicKey: key,
    addedAt: at,
    addedBy: memberId,
    expiresAt: null,
  });
  const document = genesisOf({ writers: [writer(nodeId, publicKey)], admins: [{ memberId, publicKey }] });
  const genesis = signList(document, memberId, identity.privateKey);
  const { poolId } = document;
  const told: { lists: readonly SignedList[] } = { lists: [] };
  node.port.respond('pool-join', {
    strangers: true,
    answer: (asked) =>
      Promise.resolve(
        (asked as { ask: string }).ask === 'pool' ? { poolId, publicKey, mode: 'approval' } : { status: 'approved' },
      ),
  });
  node.port.respond('pool-acl', {
    strangers: true,
    answer(asked) {
      const last = told.lists.at(-1) ?? genesis;
      const lists = told.lists.slice(((asked as { from?: number }).from ?? 1) - 1).map(wireOf);
      return Promise.resolve({ poolId, version: last.document.version, hash: last.hash, lists });
    },
  });
  return { genesis, identity, writer, poolId, told, address: node.address };
}

describe.each(engines)('the side of a pool that a node gave up, on %s', (engine) => {
  it('is kept as evidence up to a number, and without what the node follows now', async () => {
    await using scene = openScene(engine);
    const b = await scene.open('b');
    const { genesis, identity, writer, poolId, told, address } = await hostOf(scene);
    const writers = [...genesis.document.writers, writer(b.nodeId, toHex(b.identity.publicKey))];
    const lists = [genesis, listAfter(genesis, { writers }, identity)];
    while (lists.length < MAX_EVIDENCE + 5) lists.push(listAfter(lists.at(-1) ?? genesis, {}, identity));
    lists.push(listAfter(lists.at(-1) ?? genesis, { mode: 'closed' }, identity));
    const side = listAfter(genesis, { writers, mode: 'open' }, identity);
    told.lists = lists;
    await b.house.perform(pool.join, { address }, b.boss.token);
    await receiveSides(b.house.ctx, poolId, [wireOf(side)], b.nodeId);
    expect(await status(b)).toMatchObject({ evidence: 1, pool: { poolId, version: lists.length } });

    await b.house.perform(pool.leave, { poolId }, b.boss.token);
    told.lists = [genesis, side];
    await b.house.perform(pool.join, { address }, b.boss.token);
    expect(await status(b)).toMatchObject({
      pool: { poolId, version: 2, hash: side.hash },
      evidence: MAX_EVIDENCE,
      // The list that decided this is one of those that were not kept.
      unsigned: [{ kind: 'mode', value: 'closed' }],
      evidenceNotKept: { lists: 5, fromVersion: MAX_EVIDENCE + 2, toVersion: MAX_EVIDENCE + 6 },
    });
    expect((await b.house.perform(pool.verifyAcl, {}, b.boss.token)).body).toMatchObject({ valid: true });
    const kept = await b.house.ctx.db.selectFrom('pool_evidence').select('hash').execute();
    expect(kept.map(({ hash }) => hash)).not.toContain(side.hash);
  });
});
