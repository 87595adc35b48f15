import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { describe, expect, it, vi } from 'vitest';
import { pool } from '../../../../src/contract/pool.ts';
import { toHex } from '../../../../src/crypto/bytes.ts';
import { generateKeyPair, type KeyPair } from '../../../../src/crypto/key-pair.ts';
import { wireOf, type SignedList } from '../../../../src/crypto/formats/access-list/chain.ts';
import { MAX_EVIDENCE } from '../../../../src/services/pool/acl/evidence.ts';
import { receiveBranch, receiveList } from '../../../../src/services/pool/acl/receive.ts';
import { listAfter, listOf, openScene, status, type PoolHouse, type PoolScene } from '../pool-scene.ts';
import { ownStatements } from '../../../support/own-statements.ts';
import type { EngineName } from '../../../../src/platform/store/database.ts';
import { memberIdOf } from '../../../../src/crypto/public-key.ts';
import { engines } from '../../../support/stores.ts';
import { inStage } from '../../../support/stage.ts';

/** Every list has another time, so that no two are the same. */
let second = 0;
const issuedAt = (): string => new Date(Date.UTC(2026, 0, 15, 11) + (second += 1) * 1_000).toISOString();

function chainAfter(start: SignedList, count: number, signer: KeyPair): SignedList[] {
  const lists: SignedList[] = [];
  for (let last = start; lists.length < count; lists.push(last))
    last = listAfter(last, { issuedAt: issuedAt() }, signer);
  return lists;
}

async function take({ house, nodeId }: PoolHouse, common: SignedList, lists: readonly SignedList[]): Promise<void> {
  await receiveBranch(house.ctx, common, lists.map(wireOf), nodeId);
}

interface Cost {
  readonly verifications: number;
  readonly statements: number;
  readonly requests: number;
  readonly bytes: number;
}

/** What both nodes verify, ask their stores and send. */
async function costOf(scene: PoolScene, work: () => Promise<void>): Promise<Cost> {
  await scene.settled();
  const verify = vi.spyOn(crypto, 'verify');
  syncBuiltinESMExports();
  const before = scene.traffic();
  try {
    const { statements } = await ownStatements(async () => {
      await work();
      await scene.settled();
    });
    const { requests, bytes } = scene.traffic();
    return {
      verifications: verify.mock.calls.length,
      // The ledger gives entries their places in the background.
      statements: statements.filter((sql) => sql.includes('pool_')).length,
      requests: requests - before.requests,
      bytes: bytes - before.bytes,
    };
  } finally {
    verify.mockRestore();
    syncBuiltinESMExports();
  }
}

/** The versions after it are to have as many digits, few or many, because bytes are counted. */
const BEFORE = inStage(9, 9, 99);

/**
 * Nodes a and b whose administrators chose different branches, and an administrator elsewhere who continued the branch of b by some
 * versions. The branch of a made the pool stricter, which b can't take over: no node may sign.
 * @param absent nodes of the pool that heard of nothing since
 */
async function parted(scene: PoolScene, versions: number, ...absent: string[]) {
  const [a, b] = [await scene.open('a'), await scene.open('b')];
  await scene.admit(a, b);
  const away: PoolHouse[] = [];
  for (const name of absent) {
    const one = await scene.open(name);
    await scene.admit(a, one);
    for (const other of ['a', 'b']) scene.network.cut(name, other);
    away.push(one);
  }
  const people = [generateKeyPair(), generateKeyPair()] as const;
  const addKeys = people.map(({ publicKey }) => toHex(publicKey));
  const removeAdmins = [memberIdOf(a.identity.publicKey)];
  await a.house.perform(pool.updateAcl, { addKeys, removeAdmins }, a.boss.token);
  await scene.settled();
  const start = await listOf(a);
  const past = chainAfter(start, BEFORE - start.document.version, people[0]);
  await take(a, start, past);
  await take(b, start, past);
  const common = past.at(-1)!;

  scene.network.cut('a', 'b');
  await take(a, common, [listAfter(common, { mode: 'closed' }, people[0])]);
  let [end] = chainAfter(common, 1, people[1]) as [SignedList];
  await take(b, common, [end]);
  await scene.network.heal('a', 'b');
  await scene.settled();
  const [now, other] = [await listOf(b), end.hash];
  expect(now.hash).toBe((await listOf(a)).hash);
  expect(now.hash).not.toBe(other);
  expect(await b.house.perform(pool.adoptBranch, { hash: other, instead: now.hash }, b.boss.token)).toMatchObject({
    status: 200,
  });

  const next = () => {
    const before = end;
    end = listAfter(before, { issuedAt: issuedAt() }, people[1]);
    return { common: before, list: end };
  };
  scene.network.cut('a', 'b');
  const more = Array.from({ length: versions - 1 }, next);
  await take(
    b,
    more[0]!.common,
    more.map(({ list }) => list),
  );
  await scene.network.heal('a', 'b');
  await scene.settled();
  const round = async () => {
    scene.network.round();
    await scene.settled();
  };
  await round();
  return { a, b, away, next, round };
}

/** What rounds cost, then a version that the other side made, then one that is announced. */
async function costsOf(engine: EngineName, versions: number) {
  await using scene = openScene(engine);
  const { a, b, next, round } = await parted(scene, versions);
  const quiet = [await costOf(scene, round), await costOf(scene, round)];
  const made = next();
  const heard = await costOf(scene, async () => {
    await take(b, made.common, [made.list]);
    await scene.settled();
    await round();
  });
  const after = await costOf(scene, round);
  const { common, list } = next();
  const announced = await costOf(scene, async () => void (await receiveList(a.house.ctx, wireOf(list), b.nodeId)));
  await take(b, common, [list]);
  await scene.settled();
  await round();
  const last = await costOf(scene, round);
  expect((await listOf(b)).hash).toBe(list.hash);
  expect(await status(a)).toMatchObject({ pool: { version: BEFORE + 1 }, evidence: versions + 2 });
  return { quiet, heard, after, announced, last };
}

const refused = ({ house }: PoolHouse) =>
  house.log.lines.filter(({ message }) => String(message).includes('comparing access lists failed'));

describe.each(engines)('a fork that nobody decides, on %s', (engine) => {
  it('costs the same in each round and for each new version, however long the other side is', async () => {
    const few = await costsOf(engine, inStage(12, 12, 30));
    const many = await costsOf(engine, inStage(40, 40, 150));
    expect(many).toEqual(few);
    const [first, again] = few.quiet;
    expect(again).toEqual(first);
    expect(first).toMatchObject({ verifications: 0, requests: 0 });
    expect([few.after, few.last]).toEqual([first, first]);
  });

  it(
    'costs the same in each round where the other side is longer than what is kept of it',
    { tags: 'soak' },
    async () => {
      const quietOf = async (versions: number) => {
        await using scene = openScene(engine);
        const { a, round } = await parted(scene, versions);
        expect((await status(a)).evidence).toBe(MAX_EVIDENCE);
        return await costOf(scene, round);
      };
      const quiet = await quietOf(300);
      expect(quiet).toEqual(await quietOf(220));
      expect(quiet).toMatchObject({ verifications: 0, requests: 0 });
    },
  );

  it('reaches a node that has all of it from another one, in one round', async () => {
    await using scene = openScene(engine);
    const versions = inStage(10, 10, 30);
    const { a, away, round } = await parted(scene, versions, 'c');
    const [c] = away as [PoolHouse];
    await scene.network.heal('a', 'c');
    await scene.settled();
    await round();
    expect((await status(a)).evidence).toBe(versions);
    expect(await status(c)).toMatchObject({ evidence: versions, pool: { hash: (await listOf(a)).hash } });
    expect(refused(c)).toEqual([]);
  });
});
