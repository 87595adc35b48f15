import { describe, expect, it } from 'vitest';
import { pool } from '../../../../src/contract/pool.ts';
import { isWriter } from '../../../../src/services/pool/joining/admission-policy.ts';
import { currentList } from '../../../../src/services/pool/acl/store.ts';
import { openScene, type PoolHouse, type PoolScene } from '../pool-scene.ts';
import { addStrangers } from '../signed-writers.ts';
import { engines } from '../../../support/stores.ts';

const DAY = 86_400_000;
const YEAR = 365 * DAY;

/** Sessions end when a clock jumps, so everything is done in a new one. */
async function decide(one: PoolHouse, operation: Parameters<PoolHouse['house']['perform']>[0], input: object) {
  const answer = await one.house.perform(operation, input, await one.house.signIn(one.boss));
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
}
const status = async (one: PoolHouse) => await decide(one, pool.status, {});
const listOf = async ({ house }: PoolHouse) => (await currentList(house.ctx.db))!;

/** Nodes a to d, of which the admissions of b and c end in 90 days. */
async function four(scene: PoolScene) {
  const [a, b, c, d] = [await scene.open('a'), await scene.open('b'), await scene.open('c'), await scene.open('d')];
  for (const guest of [b, c, d]) await scene.admit(a, guest);
  const expiresAt = new Date(a.house.clock.now() + 90 * DAY).toISOString();
  for (const { nodeId } of [b, c]) await decide(a, pool.updateNode, { nodeId, expiresAt });
  await scene.settled();
  return { a, b, c, d };
}

async function shift(scene: PoolScene, { house }: PoolHouse, milliseconds: number): Promise<void> {
  house.clock.advance(milliseconds);
  scene.network.wake();
  await scene.settled();
}

async function rounds(scene: PoolScene, times = 2): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    scene.network.round();
    await scene.settled();
  }
}

const admits = async ({ house }: PoolHouse, { nodeId }: PoolHouse) => await isWriter(house.ctx, nodeId);
const hashes = async (...houses: PoolHouse[]) =>
  new Set(await Promise.all(houses.map(async (one) => (await listOf(one)).hash)));

describe.each(engines)('a removal and a wrong clock on %s', (engine) => {
  it.each([
    ['b', 'believes that its own admission has ended'],
    ['d', 'believes that the admissions of others have ended'],
  ] as const)('reaches %s, whose clock is a year ahead: it %s', { tags: 'soak' }, async (name, _why) => {
    await using scene = openScene(engine);
    const nodes = await four(scene);
    const { a, c } = nodes;
    const late = nodes[name];
    await shift(scene, late, YEAR);
    expect(await admits(late, c)).toBe(false);
    expect(late.node.port.peers().some(({ admitted, nodeId }) => admitted && nodeId === c.nodeId)).toBe(false);
    // By its own list c is still a node of the pool: when the clock is set right, it would be admitted again.
    await decide(a, pool.removeNode, { nodeId: c.nodeId, ban: true });
    await scene.settled();
    await rounds(scene);
    expect(await hashes(a, late)).toEqual(await hashes(a));
    late.house.clock.advance(-YEAR);
    expect(await admits(late, c)).toBe(false);
    expect((await listOf(late)).document.tombstones).toMatchObject([{ nodeId: c.nodeId, kind: 'banned' }]);
  });

  it('comes from a node that believes that all others have expired, to the others', async () => {
    await using scene = openScene(engine);
    const { a, b, c, d } = await four(scene);
    await shift(scene, a, YEAR);
    for (const other of [b, c]) expect(await admits(a, other)).toBe(false);
    scene.network.cut('a', 'd');
    await decide(a, pool.removeNode, { nodeId: d.nodeId });
    await scene.settled();
    await rounds(scene);
    expect((await hashes(a, b, c)).size).toBe(1);
    for (const other of [b, c]) expect(await admits(other, d)).toBe(false);
  });

  it('passes from one such node to another, in whose view everybody has expired', async () => {
    await using scene = openScene(engine);
    const { a, b, c, d } = await four(scene);
    for (const one of [b, c]) await shift(scene, one, YEAR);
    for (const name of ['b', 'd']) scene.network.cut('a', name);
    scene.network.cut('b', 'd');
    // Only c hears a, and only b and d hear c.
    await decide(a, pool.removeNode, { nodeId: d.nodeId });
    await scene.settled();
    await rounds(scene, 3);
    expect((await hashes(a, b, c)).size).toBe(1);
  });

  it.each([-YEAR, YEAR])(
    'takes effect where the clock is %d ms off, and in lists of such nodes',
    { tags: 'soak' },
    async (off) => {
      await using scene = openScene(engine);
      const [a, b, c, d] = [await scene.open('a'), await scene.open('b'), await scene.open('c'), await scene.open('d')];
      for (const guest of [b, c, d]) await scene.admit(a, guest);
      await shift(scene, b, off);
      await decide(a, pool.removeNode, { nodeId: d.nodeId });
      await scene.settled();
      await rounds(scene);
      expect(await admits(b, d)).toBe(false);
      // Now the node that decides has the wrong clock, and its list says that it is from another year.
      await shift(scene, a, -2 * off);
      await decide(a, pool.removeNode, { nodeId: c.nodeId });
      await scene.settled();
      await rounds(scene);
      expect(Math.abs(Date.parse((await listOf(b)).document.issuedAt) - b.house.clock.now())).toBeGreaterThan(2 * YEAR);
      expect(await admits(b, c)).toBe(false);
      expect((await hashes(a, b)).size).toBe(1);
    },
  );

  it('is not held back by what an expired node answers, and such a node gets lists alone', async () => {
    await using scene = openScene(engine);
    const { a, b, c } = await four(scene);
    const heard: string[] = [];
    b.node.port.subscribe('test', async ({ payload }) => void heard.push(String(payload)));
    scene.advance(91 * DAY);
    scene.network.wake();
    await scene.settled();
    await a.node.port.announce('test', 'for members');
    // It is over for everybody, itself included.
    await decide(a, pool.updateAcl, { mode: 'closed' });
    await scene.settled();
    await rounds(scene);
    expect(heard).toEqual([]);
    expect((await status(b)).pool).toMatchObject({ membership: 'expired', mode: 'closed' });
    expect(await admits(a, b)).toBe(false);
    b.node.port.respond('pool-acl', { strangers: true, answer: () => Promise.resolve({ poolId: 'nonsense' }) });
    await decide(a, pool.updateAcl, { mode: 'approval' });
    await rounds(scene);
    expect((await listOf(c)).document.mode).toBe('approval');
    expect(a.house.log.lines).toContainEqual(
      expect.objectContaining({
        message: 'comparing access lists failed',
        nodeId: b.nodeId,
        code: 'ACCESS_LIST_REFUSED',
      }),
    );
  });

  it('asks a few of many expired nodes in a round, and the others in the next ones', async () => {
    await using scene = openScene(engine);
    const a = await scene.open('a');
    const { version } = (await status(a)).pool;
    const added = await addStrangers(a, 20, new Date(a.house.clock.now() + DAY).toISOString());
    expect((await listOf(a)).document.version).toBe(version + 1);
    scene.advance(2 * DAY);
    const before = a.house.log.lines.length;
    const asked = () =>
      a.house.log.lines
        .slice(before)
        .filter(({ message }) => message === 'comparing access lists failed')
        .map((line) => line['nodeId'] as string);
    await rounds(scene, 1);
    expect(asked()).toHaveLength(8);
    await rounds(scene, 2);
    expect(new Set(asked())).toEqual(new Set(added));
  });

  it('does not hide whose clock it is', async () => {
    await using scene = openScene(engine);
    const [a, d] = [await scene.open('a'), await scene.open('d')];
    await scene.admit(a, d);
    await shift(scene, d, YEAR);
    expect((await status(a)).wrongClocks).toEqual([{ nodeId: d.nodeId, aheadMs: YEAR }]);
    expect((await status(d)).wrongClocks).toEqual([{ nodeId: a.nodeId, aheadMs: -YEAR }]);
  });
});
