import { describe, expect, it } from 'vitest';
import { pool } from '../../../../src/contract/pool.ts';
import { toHex } from '../../../../src/crypto/bytes.ts';
import { generateKeyPair, type KeyPair } from '../../../../src/crypto/key-pair.ts';
import { memberIdOf } from '../../../../src/crypto/public-key.ts';
import { stopAsCopy } from '../../../support/stopped.ts';
import { wireOf, type SignedList } from '../../../../src/crypto/formats/access-list/chain.ts';
import type { AclDocument } from '../../../../src/crypto/formats/access-list/document.ts';
import { countingPath } from '../../../../src/services/pool/acl/fork.ts';
import { treeOf } from '../../../../src/services/pool/acl/list-tree.ts';
import { receiveBranch } from '../../../../src/services/pool/acl/receive.ts';
import { safeDecisions } from '../../../../src/services/pool/acl/safe-decisions.ts';
import { listAfter, listOf, openScene, type PoolHouse, type PoolScene } from '../pool-scene.ts';
import { engines } from '../../../support/stores.ts';
import { adminOf, after, alice, bob, carol, genesisOf, signed, writerOf } from './signed-lists.ts';

const common = signed(
  genesisOf({
    admins: [adminOf(alice), adminOf(bob), adminOf(carol)],
    writers: [writerOf(alice), writerOf(bob), writerOf(carol)],
  }),
);

describe('an administrator whom a branch removed, which nobody has signed yet', () => {
  const counting = after(common, { writers: [writerOf(alice)] });
  const removing = after(common, { admins: [adminOf(alice), adminOf(bob)] }, bob);
  const back = after(counting, { admins: [adminOf(carol)], mode: 'open' }, carol);
  const further = after(back, { mode: 'closed' }, carol);
  const pathOf = (...lists: SignedList[]) => {
    const orders = [lists, lists.toReversed(), [...lists.slice(1), ...lists.slice(0, 1)]];
    const found = orders.map((order) => countingPath(treeOf(common, order)).slice(1));
    for (const one of found) expect(one).toEqual(found[0]);
    return found[0];
  };

  it('is not followed further, and cannot remove those who removed', () => {
    expect(pathOf(counting, back, further)).toEqual([counting, back, further]);
    const tree = treeOf(common, [counting, back, further, removing]);
    expect(pathOf(counting, back, further, removing)).toEqual([counting]);
    const { open, setAside } = safeDecisions(tree, countingPath(tree));
    const ofAdministrators = (all: typeof open) =>
      all.filter(({ kind }) => kind === 'administrator').map(({ subject }) => subject);
    expect(ofAdministrators(open)).toEqual([memberIdOf(carol.publicKey)]);
    expect(ofAdministrators(setAside).toSorted()).toEqual(
      [alice, bob].map((one) => memberIdOf(one.publicKey)).toSorted(),
    );
  });

  it('is followed as far as another administrator vouches, and where the version that removes them has another past', () => {
    const mine = after(counting, { mode: 'closed' }, carol);
    const vouched = after(mine, { mode: 'approval' });
    const last = after(vouched, { mode: 'open' }, carol);
    expect(pathOf(counting, mine, vouched, last, removing)).toEqual([counting, mine, vouched]);
    const overruled = after(common, { admins: [adminOf(alice), adminOf(carol)], writers: [] });
    const kept = after(overruled, { mode: 'closed' }, carol);
    expect(pathOf(overruled, kept, removing)).toEqual([overruled, kept]);
  });
});

/** A list with the signatures of several. */
const signedBy = (list: SignedList, change: Partial<AclDocument>, ...signers: KeyPair[]): SignedList => {
  const all = signers.map((one) => listAfter(list, change, one));
  return { ...all[0]!, signatures: all.flatMap(({ signatures }) => signatures) };
};

it('a removed administrator lowers the threshold for nobody', () => {
  const people = Array.from({ length: 6 }, () => generateKeyPair());
  const admins = people.map(({ publicKey }) => ({ memberId: memberIdOf(publicKey), publicKey: toHex(publicKey) }));
  const start = signed(genesisOf({ admins, threshold: 2 }));
  const counting = signedBy(start, { admins: admins.slice(0, 4) }, ...people.slice(0, 4));
  const lowering = signedBy(start, { threshold: 1 }, ...people.slice(4));
  for (const [signers, kind] of [
    [people.slice(3, 4), 'setAside'],
    [people.slice(2, 4), 'open'],
  ] as const) {
    const removing = signedBy(lowering, { admins: admins.slice(1) }, ...signers);
    const tree = treeOf(start, [counting, lowering, removing]);
    expect(countingPath(tree)).toEqual([start, counting]);
    const subjects = safeDecisions(tree, [start, counting])[kind].map(({ subject }) => subject);
    expect(subjects).toEqual([admins[0]!.memberId]);
  }
});

const parts = ['c', 'd'].flatMap((one) => ['a', 'b', 'c', 'd'].filter((two) => two !== one).map((two) => [one, two]));

/** Nodes a to d. Two forks of one list, signed by people elsewhere, remove c and d. The keys of a and b may sign. */
async function forked(scene: PoolScene, threshold: number) {
  const people = Array.from({ length: 4 }, () => generateKeyPair());
  const [a, b, c, d] = [await scene.open('a'), await scene.open('b'), await scene.open('c'), await scene.open('d')];
  for (const guest of [b, c, d]) await scene.admit(a, guest);
  const addKeys = [b.identity, ...people].map(({ publicKey }) => toHex(publicKey));
  expect(await a.house.perform(pool.updateAcl, { addKeys, threshold }, a.boss.token)).toMatchObject({ status: 200 });
  await scene.settled();
  const list = await listOf(a);
  const without = ({ nodeId }: PoolHouse) => list.document.writers.filter((writer) => writer.nodeId !== nodeId);
  const one = signedBy(list, { writers: without(c) }, ...people.slice(0, threshold));
  const two = signedBy(list, { writers: without(d) }, ...people.slice(threshold, 2 * threshold));
  for (const [from, to] of parts) scene.network.cut(from!, to!);
  const meet = async () => {
    await receiveBranch(a.house.ctx, list, [wireOf(one)], a.nodeId);
    await receiveBranch(b.house.ctx, list, [wireOf(two)], b.nodeId);
    await rounds(scene);
  };
  return { a, b, c, d, meet };
}

async function rounds(scene: PoolScene): Promise<void> {
  for (let time = 0; time < 3; time += 1) {
    await scene.settled();
    scene.network.round();
  }
  await scene.settled();
}

const nodesOf = async (one: PoolHouse) => (await listOf(one)).document.writers.map(({ nodeId }) => nodeId).toSorted();

describe.each(engines)('a version that takes over what the other side removed, on %s', (engine) => {
  it('is signed by the keys of several nodes without anybody asking, where several have to sign', async () => {
    await using scene = openScene(engine);
    const { a, b, meet } = await forked(scene, 2);
    await meet();
    expect((await listOf(a)).hash).toBe((await listOf(b)).hash);
    expect(await nodesOf(a)).toEqual([a.nodeId, b.nodeId].toSorted());
    expect((await listOf(a)).signatures.map(({ memberId }) => memberId).toSorted()).toEqual(
      [a, b].map(({ identity }) => memberIdOf(identity.publicKey)).toSorted(),
    );
    expect(await a.house.ctx.db.selectFrom('pool_open_decisions').selectAll().execute()).toEqual([]);
  });

  it('is not signed by a node that stopped signing, which says so, until it is recovered', async () => {
    await using scene = openScene(engine);
    const { a, b, meet } = await forked(scene, 1);
    for (const { house } of [a, b]) await stopAsCopy(house.ctx);
    await meet();
    expect(await nodesOf(a)).toHaveLength(3);
    expect(await a.house.ctx.db.selectFrom('pool_open_decisions').select('kind').execute()).toHaveLength(1);
    const said = a.house.log.lines.filter(({ message }) => String(message).includes('another node has to sign'));
    // It is said when it happens, and not in every round.
    expect(said).toHaveLength(1);
    await a.house.ctx.db.updateTable('ledger_stops').set({ recovered_at: 1 }).execute();
    await rounds(scene);
    expect(await nodesOf(b)).toEqual([a.nodeId, b.nodeId].toSorted());
  });
});

describe.each(engines)('a change that an administrator signs whose removal nobody has signed here, on %s', (engine) => {
  it('is not in force until somebody else signs it', async () => {
    await using scene = openScene(engine);
    const people = Array.from({ length: 4 }, () => generateKeyPair());
    const [removed, standing, ...elsewhere] = people as [KeyPair, KeyPair, KeyPair, KeyPair];
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    await scene.admit(a, b);
    const addKeys = people.map(({ publicKey }) => toHex(publicKey));
    const removeAdmins = [memberIdOf(a.identity.publicKey)];
    const changed = await a.house.perform(pool.updateAcl, { addKeys, removeAdmins, threshold: 2 }, a.boss.token);
    expect(changed).toMatchObject({ status: 200 });
    await scene.settled();
    const list = await listOf(a);
    const { poolId, admins } = list.document;
    // Two branches of one list: the one that refuses two nodes counts, and the other one removes an administrator.
    const tombstones = ['ab', 'cd'].map((digits) => ({
      nodeId: digits.repeat(20),
      kind: 'banned' as const,
      at: '2026-01-15T12:00:00.000Z',
      by: memberIdOf(standing.publicKey),
    }));
    const counting = signedBy(list, { tombstones }, standing, elsewhere[0]);
    const others = admins.filter(({ memberId }) => memberId !== memberIdOf(removed.publicKey));
    const beside = signedBy(list, { admins: others }, ...elsewhere);
    for (const one of [beside, counting]) await receiveBranch(a.house.ctx, list, [wireOf(one)], a.nodeId);
    await rounds(scene);
    const now = await listOf(a);
    expect(now.hash).toBe(counting.hash);
    const propose = async (...signers: KeyPair[]) => {
      const proposal = signedBy(now, { mode: 'approval', issuedAt: '2026-01-15T13:00:00.000Z' }, ...signers);
      await b.node.port.announce('pool_acl_proposed', { poolId, hash: proposal.hash, list: wireOf(proposal) });
      await scene.settled();
      return proposal.hash;
    };
    await propose(standing, removed);
    expect((await listOf(a)).hash).toBe(counting.hash);
    const { proposals } = (await a.house.perform(pool.aclProposals, {}, a.boss.token)).body;
    expect(proposals).toMatchObject([{ signers: [memberIdOf(standing.publicKey)] }]);
    const active = await propose(standing, removed, elsewhere[1]);
    expect((await listOf(a)).hash).toBe(active);
  });
});
