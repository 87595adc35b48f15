import { describe, expect, it } from 'vitest';
import { pool } from '../../../../src/contract/pool.ts';
import { memberIdOf } from '../../../../src/crypto/public-key.ts';
import { integrateWaiting } from '../../../../src/platform/ledger/sequencer.ts';
import { wireOf } from '../../../../src/crypto/formats/access-list/chain.ts';
import { MAX_EVIDENCE } from '../../../../src/services/pool/acl/evidence.ts';
import { answerLists } from '../../../../src/services/pool/acl/sync.ts';
import type { Peer } from '../../../../src/service/ports/network.ts';
import { receiveBranch, receiveSides } from '../../../../src/services/pool/acl/receive.ts';
import { isWriter } from '../../../../src/services/pool/joining/admission-policy.ts';
import { listAfter, listOf, openScene, publicKeyOf, status, type PoolHouse, type PoolScene } from '../pool-scene.ts';
import { inStage } from '../../../support/stage.ts';
import { engines } from '../../../support/stores.ts';

/** Nodes a to d in one pool; the administrators of a and b may sign, and the key of a, unless it is taken out. */
async function four(scene: PoolScene, { nodeKey = true } = {}) {
  const [a, b, c, d] = [await scene.open('a'), await scene.open('b'), await scene.open('c'), await scene.open('d')];
  for (const guest of [b, c, d]) await scene.admit(a, guest);
  const removeAdmins = nodeKey ? [] : [memberIdOf(a.identity.publicKey)];
  await a.house.perform(pool.updateAcl, { addKeys: [await publicKeyOf(b)], removeAdmins }, a.boss.token);
  await scene.settled();
  return { a, b, c, d };
}

const parts = [
  ['a', 'b'],
  ['a', 'd'],
  ['c', 'b'],
  ['c', 'd'],
] as const;
/** a and c on one side, b and d on the other */
const part = (scene: PoolScene) => parts.forEach(([one, other]) => scene.network.cut(one, other));
async function heal(scene: PoolScene, order: readonly (readonly [string, string])[] = parts): Promise<void> {
  for (const [one, other] of order) {
    await scene.network.heal(one, other);
    await scene.settled();
  }
  for (let round = 0; round < 3; round += 1) {
    scene.network.round();
    await scene.settled();
  }
}

const heads = async (...houses: PoolHouse[]) =>
  new Set(await Promise.all(houses.map(async (one) => (await listOf(one)).hash)));
const forks = async ({ house }: PoolHouse) => {
  await integrateWaiting(house.ctx);
  const rows = await house.ctx.db.selectFrom('ledger_entries').select('body').orderBy('leaf_index').execute();
  return rows
    .map(({ body }) => JSON.parse(Buffer.from(body).toString()) as { type: string; data?: unknown })
    .filter(({ type }) => type === 'POOL_FORK');
};

describe.each(engines)('a pool that was parted on %s', (engine) => {
  const orders = [
    ['forwards', parts],
    ['backwards', parts.toReversed()],
  ] as const;
  it.each(orders.slice(0, inStage(1, 1, 2)))(
    'takes over at once what the other side removed, healed %s',
    async (_, order) => {
      await using scene = openScene(engine);
      const { a, b, c, d } = await four(scene);
      const before = (await listOf(a)).document.version;
      part(scene);
      await a.house.perform(pool.removeNode, { nodeId: d.nodeId }, a.boss.token);
      await b.house.perform(pool.removeNode, { nodeId: c.nodeId }, b.boss.token);
      await b.house.perform(pool.updateAcl, { mode: 'closed' }, b.boss.token);
      await scene.settled();
      await heal(scene, order);
      expect((await heads(a, b)).size).toBe(1);
      for (const one of [a, b]) {
        const { document } = await listOf(one);
        expect(document).toMatchObject({ mode: 'closed', version: expect.any(Number) });
        expect(document.version).toBeLessThanOrEqual(before + 3);
        expect(document.writers.map(({ nodeId }) => nodeId).toSorted()).toEqual([a.nodeId, b.nodeId].toSorted());
        expect(document.tombstones?.map(({ nodeId, kind }) => [nodeId, kind]).toSorted()).toEqual(
          [c, d].map(({ nodeId }) => [nodeId, 'removed']).toSorted(),
        );
        expect((await one.house.perform(pool.verifyAcl, {}, one.boss.token)).body.valid).toBe(true);
        expect((await forks(one)).length).toBeGreaterThanOrEqual(1);
        expect(
          one.house.log.lines.some(({ message }) =>
            String(message).includes('two administrators signed one list each'),
          ),
        ).toBe(true);
      }
      for (const gone of [c, d]) expect((await status(gone)).pool.membership).toBe('removed');
      // They were admitted on the side that lost, and removed by the other one: they didn't ask again.
      for (const one of [a, b])
        expect((await one.house.perform(pool.pendingNodes, {}, one.boss.token)).body.count).toBe(0);
    },
  );

  it(
    'acts on what the other side removed where nobody may sign, until an administrator does',
    { tags: 'soak' },
    async () => {
      await using scene = openScene(engine);
      const { a, b, c, d } = await four(scene, { nodeKey: false });
      part(scene);
      await a.house.perform(pool.removeNode, { nodeId: d.nodeId }, a.boss.token);
      await b.house.perform(pool.removeNode, { nodeId: c.nodeId }, b.boss.token);
      await heal(scene);
      expect((await heads(a, b)).size).toBe(1);
      const { version, writers } = (await listOf(a)).document;
      expect(writers.length).toBe(3);
      for (const one of [a, b])
        for (const gone of [c, d])
          expect([gone.name, await isWriter(one.house.ctx, gone.nodeId)]).toEqual([gone.name, false]);
      const { unsigned } = await status(a);
      expect(unsigned.map(({ kind, subject }: { kind: string; subject: string }) => [kind, subject])).toEqual(
        expect.arrayContaining([['removal', expect.stringMatching(`${c.nodeId}|${d.nodeId}`)]]),
      );
      await b.house.perform(pool.updateAcl, { mode: 'closed' }, b.boss.token);
      await scene.settled();
      await heal(scene, []);
      expect((await heads(a, b)).size).toBe(1);
      const { document } = await listOf(a);
      // What was open is a version of its own, before the change.
      expect(document).toMatchObject({ version: version + 2, mode: 'closed' });
      expect(document.writers.map(({ nodeId }) => nodeId).toSorted()).toEqual([a.nodeId, b.nodeId].toSorted());
      expect(await a.house.ctx.db.selectFrom('pool_open_decisions').selectAll().execute()).toEqual([]);
    },
  );

  it('is one pool again after administrators removed each other', async () => {
    await using scene = openScene(engine);
    const { a, b, c, d } = await four(scene);
    part(scene);
    await a.house.perform(pool.updateAcl, { removeAdmins: [b.boss.memberId] }, a.boss.token);
    const own = memberIdOf(a.identity.publicKey);
    await b.house.perform(pool.updateAcl, { removeAdmins: [a.boss.memberId, own] }, b.boss.token);
    await b.house.perform(pool.removeNode, { nodeId: c.nodeId }, b.boss.token);
    await heal(scene);
    expect((await heads(a, b, d)).size).toBe(1);
    const { document } = await listOf(b);
    expect(document.admins.map(({ memberId }) => memberId).toSorted()).toEqual([a.boss.memberId, own].toSorted());
    // A node is removed all the same: whoever may can approve it again.
    expect(document.writers.some(({ nodeId }) => nodeId === c.nodeId)).toBe(false);
    await expect(b.house.perform(pool.updateAcl, { mode: 'open' }, b.boss.token)).resolves.toMatchObject({
      status: 403,
      body: { error: 'POOL_NOT_ADMINISTRATOR' },
    });
  });

  it('says that one administrator signed both lists where that is so', async () => {
    await using scene = openScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    await scene.admit(a, b);
    // The key of a's administrator, used on another node: a restored copy does that.
    const list = await listOf(a);
    scene.network.cut('a', 'b');
    await a.house.perform(pool.updateAcl, { mode: 'closed' }, a.boss.token);
    const copy = await b.house.perform(pool.acl, {}, b.boss.token);
    expect(copy.body.hash).toBe(list.hash);
    const other = [listAfter(list, { mode: 'open' }, a.identity), listAfter(list, { mode: 'closed' }, a.identity)];
    for (const one of other) await receiveBranch(b.house.ctx, list, [wireOf(one)], b.nodeId);
    expect(await forks(b)).toMatchObject([{ data: { version: list.document.version + 1, signedBy: 'one' } }]);
    expect(
      b.house.log.lines.some(({ message }) => String(message).includes('one administrator signed two lists')),
    ).toBe(true);
  });
});

describe.each(engines)('a fork that people decide on %s', (engine) => {
  it('is followed by the nodes whose administrators adopt the other branch, after they saw what it drops', async () => {
    await using scene = openScene(engine);
    const { a, b, c } = await four(scene);
    part(scene);
    await a.house.perform(pool.updateAcl, { removeAdmins: [b.boss.memberId] }, a.boss.token);
    const own = memberIdOf(a.identity.publicKey);
    await b.house.perform(pool.updateAcl, { removeAdmins: [a.boss.memberId, own] }, b.boss.token);
    const wanted = await listOf(b);
    await heal(scene);
    const shown = await status(b);
    expect(shown.forks).toMatchObject([
      {
        other: wanted.hash,
        otherSigners: [b.boss.memberId],
        countingSigners: [a.boss.memberId],
        signedBy: 'two',
        lists: 1,
      },
    ]);
    expect(shown.setAside).toMatchObject([
      { kind: 'administrator', subject: expect.any(String) },
      { kind: 'administrator', subject: expect.any(String) },
    ]);
    const preview = (await b.house.perform(pool.previewBranch, { hash: wanted.hash }, b.boss.token)).body;
    expect(preview).toMatchObject({
      branch: { hash: wanted.hash, signers: [b.boss.memberId] },
      drops: { versions: 1, nodes: [], administrators: [own, a.boss.memberId] },
      brings: { versions: 1, nodes: [], administrators: [b.boss.memberId] },
    });
    const stale = await b.house.perform(pool.adoptBranch, { hash: wanted.hash, instead: wanted.hash }, b.boss.token);
    expect(stale).toMatchObject({ status: 409, body: { error: 'POOL_LIST_CHANGED' } });
    const unknown = await b.house.perform(pool.previewBranch, { hash: 'ab'.repeat(32) }, b.boss.token);
    expect(unknown).toMatchObject({ status: 404, body: { error: 'POOL_BRANCH_NOT_FOUND' } });
    const guest = await b.house.register({ username: 'nobody' });
    const adopting = { hash: wanted.hash, instead: preview.active.hash };
    expect(await b.house.perform(pool.adoptBranch, adopting, guest.token)).toMatchObject({ status: 403 });
    for (const one of [a, b, c])
      expect(await one.house.perform(pool.adoptBranch, adopting, one.boss.token)).toMatchObject({
        status: 200,
        body: { hash: wanted.hash },
      });
    await heal(scene, []);
    expect(await heads(a, b, c)).toEqual(new Set([wanted.hash]));
    expect((await status(b)).forks).toMatchObject([{ counting: wanted.hash, decidedBy: 'administrator' }]);
    expect((await forks(b)).at(-1)).toMatchObject({ data: { counting: wanted.hash, by: 'administrator' } });
    expect(b.house.log.lines.some((line) => line['action'] === 'pool.adopt-branch')).toBe(true);
    expect((await b.house.perform(pool.verifyAcl, {}, b.boss.token)).body.valid).toBe(true);
    // The other nodes go on with it.
    await b.house.perform(pool.updateAcl, { mode: 'closed' }, b.boss.token);
    await heal(scene, []);
    expect((await heads(a, b, c)).size).toBe(1);
    expect((await listOf(c)).document.mode).toBe('closed');
  });
});

describe.each(engines)('rounds on %s', (engine) => {
  /** counts the questions for access lists that a node is asked */
  const counting = ({ house, node }: PoolHouse) => {
    const count = { asked: 0 };
    const answer = async (asked: unknown, peer: Peer) => {
      count.asked += 1;
      return await answerLists(house.ctx, asked, peer);
    };
    node.port.respond('pool-acl', { strangers: true, answer });
    return count;
  };

  it('bring a removal that no announcement brought, whatever the clocks say', { tags: 'soak' }, async () => {
    await using scene = openScene(engine);
    const { a, b, c, d } = await four(scene);
    b.house.clock.advance(3 * 86_400_000);
    const next = listAfter(
      await listOf(a),
      {
        writers: (await listOf(a)).document.writers.filter(({ nodeId }) => nodeId !== d.nodeId),
        issuedAt: '2031-01-01T00:00:00.000Z',
      },
      a.identity,
    );
    await receiveBranch(a.house.ctx, await listOf(a), [wireOf(next)], a.nodeId);
    // It may come before the round: nodes also tell each other what they share when an admission changes.
    scene.network.round();
    await scene.settled();
    for (const one of [b, c]) expect(await isWriter(one.house.ctx, d.nodeId)).toBe(false);
  });

  it('cost nothing where two nodes follow different lists that both know', { tags: 'soak' }, async () => {
    await using scene = openScene(engine);
    const { a, b } = await four(scene);
    part(scene);
    await a.house.perform(pool.updateAcl, { removeAdmins: [b.boss.memberId] }, a.boss.token);
    await b.house.perform(
      pool.updateAcl,
      { removeAdmins: [a.boss.memberId, memberIdOf(a.identity.publicKey)] },
      b.boss.token,
    );
    const { hash } = await listOf(b);
    await heal(scene);
    const instead = (await listOf(b)).hash;
    await b.house.perform(pool.adoptBranch, { hash, instead }, b.boss.token);
    await heal(scene, []);
    expect((await heads(a, b)).size).toBe(2);
    const counts = [counting(a), counting(b)];
    for (let round = 0; round < 5; round += 1) {
      scene.network.round();
      await scene.settled();
    }
    expect(counts.map(({ asked }) => asked)).toEqual([0, 0]);
  });
});

describe.each(engines)('evidence on %s', (engine) => {
  it('is kept up to a number, and what is not kept is counted', { tags: 'soak' }, async () => {
    await using scene = openScene(engine);
    const a = await scene.open('a');
    const first = await listOf(a);
    await a.house.perform(pool.updateAcl, { mode: 'closed' }, a.boss.token);
    const lists = [...Array(MAX_EVIDENCE + 5).keys()].map((second) =>
      listAfter(first, { issuedAt: new Date(Date.parse(first.document.issuedAt) + second).toISOString() }, a.identity),
    );
    await receiveSides(a.house.ctx, first.document.poolId, lists.map(wireOf), a.nodeId);
    const now = await status(a);
    expect(now).toMatchObject({
      evidence: MAX_EVIDENCE,
      evidenceNotKept: { lists: 5, fromVersion: 2, toVersion: 2 },
      pool: { mode: 'closed', version: 2 },
    });
    expect(now.forks).toHaveLength(20);
    expect(a.house.log.lines.some(({ message }) => String(message).includes('were not kept'))).toBe(true);
    const kept = await a.house.ctx.db.selectFrom('pool_evidence').select('hash').orderBy('hash').execute();
    expect(kept.map(({ hash }) => hash)).toEqual(
      lists
        .map(({ hash }) => hash)
        .toSorted()
        .slice(0, MAX_EVIDENCE),
    );
  });
});
