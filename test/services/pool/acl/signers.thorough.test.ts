import { describe, expect, it } from 'vitest';
import { pool } from '../../../../src/contract/pool.ts';
import { toHex } from '../../../../src/crypto/bytes.ts';
import { generateKeyPair, type KeyPair } from '../../../../src/crypto/key-pair.ts';
import { memberIdOf } from '../../../../src/crypto/public-key.ts';
import { integrateWaiting } from '../../../../src/platform/ledger/sequencer.ts';
import { wireOf, type SignedList } from '../../../../src/crypto/formats/access-list/chain.ts';
import type { AclDocument } from '../../../../src/crypto/formats/access-list/document.ts';
import { receiveBranch, receiveList, receiveSides } from '../../../../src/services/pool/acl/receive.ts';
import { answerSigners } from '../../../../src/services/pool/acl/signer-exchange.ts';
import { engines } from '../../../support/stores.ts';
import { insider, listAfter, listOf, openScene, type PoolHouse, type PoolScene } from '../pool-scene.ts';
import { inStage } from '../../../support/stage.ts';

const idOf = ({ publicKey }: KeyPair): string => memberIdOf(publicKey);
const idsOf = (...keys: KeyPair[]): string[] => keys.map(idOf).toSorted();

/** A next list with the signatures of several. */
const signedBy = (list: SignedList, change: Partial<AclDocument>, ...signers: KeyPair[]): SignedList => {
  const all = signers.map((one) => listAfter(list, change, one));
  return { ...all[0]!, signatures: all.flatMap(({ signatures }) => signatures) };
};

/** Nodes a and b; four people elsewhere and the key of a may sign. Two have to. */
async function two(scene: PoolScene, threshold = 2) {
  const people = Array.from({ length: 4 }, () => generateKeyPair());
  const [a, b] = [await scene.open('a'), await scene.open('b')];
  await scene.admit(a, b);
  const addKeys = people.map(({ publicKey }) => toHex(publicKey));
  await a.house.perform(pool.updateAcl, { addKeys, threshold }, a.boss.token);
  await scene.settled();
  return { a, b, people: people as [KeyPair, KeyPair, KeyPair, KeyPair], list: await listOf(a) };
}

const receive = async ({ house, nodeId }: PoolHouse, after: SignedList, list: SignedList) =>
  await receiveBranch(house.ctx, after, [wireOf(list)], nodeId);

async function rounds(scene: PoolScene, number = 3): Promise<void> {
  await scene.settled();
  for (let time = 0; time < number; time += 1) {
    scene.network.round();
    await scene.settled();
  }
}

async function signersOf({ house }: PoolHouse, { hash }: SignedList): Promise<string[]> {
  for (const table of ['pool_lists', 'pool_evidence'] as const) {
    const row = await house.ctx.db.selectFrom(table).select('signatures').where('hash', '=', hash).executeTakeFirst();
    if (row !== undefined)
      return (JSON.parse(row.signatures) as { memberId: string }[]).map(({ memberId }) => memberId);
  }
  return [];
}

/** What must stay as it is. */
async function standing({ house: { ctx } }: PoolHouse) {
  await integrateWaiting(ctx);
  const entries = await ctx.db.selectFrom('ledger_entries').select('body').execute();
  return {
    state: await ctx.db.selectFrom('pool_state').select(['version', 'hash', 'ledger_entry']).execute(),
    lists: await ctx.db.selectFrom('pool_lists').select(['version', 'hash', 'document']).orderBy('version').execute(),
    evidence: await ctx.db.selectFrom('pool_evidence').select(['hash', 'document']).orderBy('hash').execute(),
    activations: entries.filter(({ body }) => Buffer.from(body).includes('"POOL_ACL"')).length,
  };
}

/** Counts the questions about signatures. */
const counted = ({ house, node }: PoolHouse) => {
  const count = { asked: 0 };
  const honest = answerSigners(house.ctx);
  node.port.respond('pool-signers', {
    ...honest,
    async answer(...question) {
      count.asked += 1;
      return await honest.answer(...question);
    },
  });
  return count;
};

const isValid = async ({ house, boss }: PoolHouse) =>
  (await house.perform(pool.verifyAcl, {}, boss.token)).body.valid as boolean;

describe.each(engines)('a list that others signed on each node, on %s', (engine) => {
  it('has all signatures on both after a round, and costs nothing from then on', async () => {
    await using scene = openScene(engine);
    const { a, b, people, list } = await two(scene);
    const [one, other, third, fourth] = people;
    scene.network.cut('a', 'b');
    // Two versions that are active on both: one is history, and the second adds to it.
    const first = (...signers: KeyPair[]) => signedBy(list, { mode: 'closed' }, ...signers);
    const second = (...signers: KeyPair[]) => signedBy(first(one, other), { mode: 'open' }, ...signers);
    await receive(a, list, first(one, other));
    await receive(b, list, first(third, one));
    await receive(a, first(one, other), second(other, one, third));
    await receive(b, first(one, other), second(fourth, other));
    const before = [await standing(a), await standing(b)];
    const counts = [counted(a), counted(b)];
    await scene.network.heal('a', 'b');
    await rounds(scene);
    for (const node of [a, b]) {
      expect(await signersOf(node, first(one))).toEqual(idsOf(one, other, third));
      expect(await signersOf(node, second(one))).toEqual(idsOf(one, other, third, fourth));
      expect(await isValid(node)).toBe(true);
    }
    expect([await standing(a), await standing(b)]).toEqual(before);
    expect(counts.every(({ asked }) => asked > 0)).toBe(true);
    const asked = JSON.stringify(counts);
    await rounds(scene, 4);
    expect(JSON.stringify(counts)).toBe(asked);
  });

  it('has them also where it is not active, and the ledger names the new ones', async () => {
    await using scene = openScene(engine);
    const { a, b, people, list } = await two(scene);
    const [one, other, third] = people;
    scene.network.cut('a', 'b');
    const counting = signedBy(list, { mode: 'closed' }, one, other);
    const beside = (...signers: KeyPair[]) => signedBy(list, { mode: 'open' }, ...signers);
    for (const [node, lost] of [
      [a, beside(one, third)],
      [b, beside(other, one)],
    ] as const) {
      await receive(node, list, counting);
      await receive(node, list, lost);
    }
    const before = [await standing(a), await standing(b)];
    expect(before[0]?.evidence).toHaveLength(1);
    await scene.network.heal('a', 'b');
    await rounds(scene);
    for (const node of [a, b]) {
      expect(await signersOf(node, beside(one))).toEqual(idsOf(one, other, third));
      expect(await isValid(node)).toBe(true);
    }
    expect([await standing(a), await standing(b)]).toEqual(before);
  });

  it('has them also from a store of an earlier version, which made no digests', async () => {
    await using scene = openScene(engine);
    const { a, b, people, list } = await two(scene);
    const [one, other, third] = people;
    scene.network.cut('a', 'b');
    const next = (...signers: KeyPair[]) => signedBy(list, { mode: 'closed' }, ...signers);
    await receive(a, list, next(one, other));
    await receive(b, list, next(third, one));
    const later = signedBy(next(one, other), { mode: 'open' }, one, other);
    for (const { house } of [a, b]) await house.ctx.db.updateTable('pool_lists').set({ signers: '' }).execute();
    for (const node of [a, b]) await receive(node, next(one), later);
    await scene.network.heal('a', 'b');
    await rounds(scene);
    for (const node of [a, b]) expect(await signersOf(node, next(one))).toEqual(idsOf(one, other, third));
    expect(await a.house.ctx.db.selectFrom('pool_lists').select('version').where('signers', '=', '').execute()).toEqual(
      [],
    );
  });

  it('has them wherever in a long history they differ', { tags: 'thorough' }, async () => {
    await using scene = openScene(engine);
    const { a, b, people, list } = await two(scene);
    const [one, other, third, fourth] = people;
    scene.network.cut('a', 'b');
    const lists: SignedList[] = [];
    for (let after = list; lists.length < inStage(106, 106, 150); after = lists.at(-1) ?? list)
      lists.push(signedBy(after, { mode: lists.length % 2 === 0 ? 'closed' : 'open' }, one, other));
    const differing = new Set([lists[3]!, lists[101]!, lists[102]!]);
    const alsoBy = (signer: KeyPair) =>
      lists.map((next) => {
        if (!differing.has(next)) return wireOf(next);
        const before = lists[lists.indexOf(next) - 1]!;
        const { mode } = next.document;
        return wireOf({ ...next, signatures: [...next.signatures, ...signedBy(before, { mode }, signer).signatures] });
      });
    await receiveBranch(a.house.ctx, list, alsoBy(third), a.nodeId);
    await receiveBranch(b.house.ctx, list, alsoBy(fourth), b.nodeId);
    const counts = [counted(a), counted(b)];
    await scene.network.heal('a', 'b');
    await rounds(scene, 1);
    for (const node of [a, b])
      for (const next of lists) expect(await signersOf(node, next)).toHaveLength(differing.has(next) ? 4 : 2);
    expect(counts.map(({ asked }) => asked)).toEqual([3, 3]);
    await rounds(scene, 2);
    expect(counts.map(({ asked }) => asked)).toEqual([3, 3]);
    const digests = async ({ house }: PoolHouse) =>
      await house.ctx.db.selectFrom('pool_lists').select(['version', 'signers']).orderBy('version').execute();
    expect(await digests(a)).toEqual(await digests(b));
  });

  it('takes no signature that would not have counted when the list came', async () => {
    await using scene = openScene(engine);
    const { a, people, list } = await two(scene);
    const [one, other, third] = people;
    const stranger = generateKeyPair();
    const admins = [...list.document.admins, { memberId: idOf(stranger), publicKey: toHex(stranger.publicKey) }];
    const next = signedBy(list, { admins }, one, other);
    await receive(a, list, next);
    const before = await standing(a);
    const by = (signer: KeyPair) => signedBy(list, { admins }, signer).signatures[0]!;
    const forged = { memberId: idOf(third), signature: by(stranger).signature };
    const offered = [
      // Only the list itself names whoever signed; the signature is of somebody else; and of another list.
      [by(stranger)],
      [forged],
      [{ memberId: idOf(third), signature: signedBy(list, {}, third).signatures[0]!.signature }],
      [...next.signatures, by(one), by(other)],
    ];
    const wires = offered.map((signatures) => wireOf({ ...next, signatures }));
    for (const wire of wires) {
      expect(await receiveList(a.house.ctx, wire, a.nodeId)).toBe('known');
      await receiveBranch(a.house.ctx, list, [wire], a.nodeId);
      await receiveSides(a.house.ctx, list.document.poolId, [wire], a.nodeId);
      expect(await signersOf(a, next)).toEqual([idOf(one), idOf(other)]);
    }
    const refused = a.house.log.lines.filter(({ message }) => message === 'signatures of an access list refused');
    expect(refused).toHaveLength(6);
    expect(refused[0]).toMatchObject({ level: 'warn', nodeId: a.nodeId, hash: next.hash, version: 4 });
    // Each once, in the order of their ids, and a wrong one doesn't keep a right one of the same administrator away.
    await receiveList(a.house.ctx, wireOf({ ...next, signatures: [forged, by(third), by(third), by(stranger)] }), 'x');
    expect(await signersOf(a, next)).toEqual(idsOf(one, other, third));
    expect(await standing(a)).toEqual(before);
    expect(await isValid(a)).toBe(true);
  });

  it('follows the list that counts with all signatures, in whatever order they came', async () => {
    await using scene = openScene(engine);
    const { a, b, people, list } = await two(scene, 1);
    scene.network.cut('a', 'b');
    const [one, other, third] = people;
    const without = (gone: KeyPair) => ({
      admins: list.document.admins.filter(({ memberId }) => memberId !== idOf(gone)),
    });
    // Each side removed who signed the other one, so the one whose signer is further up counts, until somebody else signs the other one.
    const [first, second] = [one, other].toSorted((x, y) => rankOf(list, x) - rankOf(list, y)) as [KeyPair, KeyPair];
    const higher = (...signers: KeyPair[]) => signedBy(list, without(second), ...signers);
    const lower = (...signers: KeyPair[]) => signedBy(list, without(first), ...signers);
    const active = async (each: PoolHouse) => (await listOf(each)).hash;
    for (const side of [higher(first), lower(second)]) await receive(a, list, side);
    expect(await active(a)).toBe(higher(first).hash);
    for (const side of [lower(third, second), higher(first)]) await receive(b, list, side);
    expect(await active(b)).toBe(lower(second).hash);
    await receive(a, list, lower(third));
    expect(await active(a)).toBe(lower(second).hash);
    // Then the third one signs the first side too. What that side decided is taken over by a node whose key may sign.
    await receive(a, list, higher(third));
    await receive(b, list, higher(first, third));
    await scene.network.heal('a', 'b');
    await rounds(scene);
    expect(await active(a)).toBe(await active(b));
    for (const each of [a, b]) {
      expect((await signersOf(each, higher(first))).toSorted()).toEqual(idsOf(first, third));
      expect((await signersOf(each, lower(second))).toSorted()).toEqual(idsOf(second, third));
      expect(await isValid(each)).toBe(true);
    }
  });
});

const rankOf = ({ document }: SignedList, key: KeyPair): number =>
  document.admins.findIndex(({ memberId }) => memberId === idOf(key));

describe.each(engines)('a node that never comes to the same signatures, on %s', (engine) => {
  it('is asked once in a round at most, and without a digest not at all', async () => {
    await using scene = openScene(engine);
    const a = await scene.open('a');
    const evil = await insider(scene, a);
    const { document, hash } = await listOf(a);
    const { poolId, version } = document;
    const questions: Record<string, unknown>[] = [];
    let answer: unknown;
    evil.node.port.respond('pool-signers', {
      strangers: true,
      answer(asked) {
        questions.push(asked as Record<string, unknown>);
        return Promise.resolve('at' in (asked as object) ? { signers: [] } : answer);
      },
    });
    let turn = 0;
    let heard: { beside?: string; signers?: string } = {};
    const say = (more: () => object) =>
      evil.node.port.share('pool', {
        tell: () => Promise.resolve({ poolId, version, hash, beside: heard.beside, ...more() }),
        async hear(told) {
          heard = await Promise.resolve(told as typeof heard);
        },
      });
    say(() => ({}));
    await rounds(scene, 3);
    expect(heard.signers).toMatch(/^[0-9a-f]{32}$/);
    expect(questions).toEqual([]);
    const same = () => ({ signers: 'ab'.repeat(16), signersBeside: 'cd'.repeat(16) });
    const other = () => ({ signers: (turn += 1).toString(16).padStart(32, '0'), signersBeside: 'cd'.repeat(16) });
    const before = await standing(a);
    for (const garbage of [7, { lists: [{ document: '{}', signatures: [] }] }, { lists: [] }]) {
      answer = garbage;
      for (const [tell, times] of [
        [same, 1],
        [other, 4],
      ] as const) {
        say(tell);
        questions.length = 0;
        await rounds(scene, 4);
        expect(questions.filter((question) => 'beside' in question)).toHaveLength(times);
        // It is two lists, so one question finds where they begin to differ.
        expect(questions).toHaveLength(2 * times);
      }
    }
    expect(await standing(a)).toEqual(before);
    expect(
      a.house.log.lines.filter(({ message }) => message === 'comparing signatures of access lists failed').length,
    ).toBeGreaterThanOrEqual(2);
  });
});
