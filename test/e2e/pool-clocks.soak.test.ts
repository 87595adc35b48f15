import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { screensAreTrue } from './pool-screens.ts';
import { openWorld, patience, type World } from './pool-world.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;

// Where there are no namespaces, who connects is read from /proc; see links.ts.
describe.runIf(process.platform === 'linux')(
  'nodes with wrong clocks',
  { tags: ['needs-system', 'needs-node-options'] },
  () => {
    let world: World;

    beforeAll(async () => {
      world = await openWorld('a', 'b', 'c', 'd');
    }, 600_000);

    afterAll(async () => await world[Symbol.asyncDispose](), 120_000);

    it('are named by the others and by themselves, and hear of every removal', async () => {
      await world.admit('a', 'b', 'c', 'd');
      for (const [name, offset] of [
        ['b', 3 * HOUR],
        ['c', -3 * HOUR],
      ] as const) {
        await world.node(name).stop();
        world.node(name).shiftClock(offset);
        await world.node(name).start();
      }
      await world.connected(3, 'a', 'b', 'c', 'd');
      await expect.poll(async () => await skews('a'), patience).toEqual({ b: 180, c: -180 });
      await expect.poll(async () => await skews('b'), patience).toEqual({ a: -180, c: -360, d: -180 });
      await expect.poll(async () => await skews('c'), patience).toEqual({ a: 180, b: 360, d: 180 });
      await screensAreTrue(world, 'a', 'b');
      const told = (await world.node('a').log())
        .split('\n')
        .filter((line) => line.includes('the clock of a node differs'));
      expect(told).toHaveLength(2);

      await world.must('a', 'admin', 'nodes', 'remove', world.id('d'), '--ban', '--yes');
      await world.agree('a', 'b', 'c');
      for (const name of ['b', 'c']) expect(await world.listed(name)).toEqual(['a', 'b', 'c']);
      await world.connected(2, 'a', 'b', 'c');
      for (const name of ['b', 'c']) {
        await world.must('a', 'admin', 'nodes', 'remove', world.id(name), '--yes');
        await expect.poll(async () => (await world.status(name)).pool.membership, patience).toBe('removed');
      }
    }, 900_000);

    /** by name: how many minutes the clock of another node is ahead */
    async function skews(name: string): Promise<Record<string, number>> {
      const { wrongClocks } = await world.status(name);
      const nameOf = (nodeId: string) => ['a', 'b', 'c', 'd'].find((one) => world.id(one) === nodeId) ?? nodeId;
      return Object.fromEntries(
        wrongClocks
          .map(({ nodeId, aheadMs }) => [nameOf(nodeId), Math.round(aheadMs / MINUTE)] as const)
          .toSorted(([one], [other]) => one.localeCompare(other)),
      );
    }
  },
);
