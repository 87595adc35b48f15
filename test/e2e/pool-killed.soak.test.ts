import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testRandom } from '../support/seeded.ts';
import { openWorld, patience, type World } from './pool-world.ts';
import { someMoment } from '../support/real-time.ts';

// Where there are no namespaces, who connects is read from /proc; see links.ts.
describe.runIf(process.platform === 'linux')(
  'a node that is killed while it approves another one',
  { tags: 'needs-system' },
  () => {
    let world: World;

    beforeAll(async () => {
      world = await openWorld('a', 'b', 'c');
    }, 600_000);

    afterAll(async () => await world[Symbol.asyncDispose](), 120_000);

    it('has approved it or not, and nothing in between, whenever that is', async () => {
      await world.admit('a', 'b');
      const random = testRandom();
      const approve = await world.askToJoin('c', 'a');
      let kills = 0;
      for (let approvals = 0; kills < 4 || approvals === 0; kills += 1) {
        const { version } = await world.agree('a', 'b');
        const killed = world.node('a').run(...approve);
        // Somewhere between starting the command and answering it. A part of the kills comes too early, and a part too late.
        await someMoment(100 + random() * 900);
        await world.node('a').kill();
        await killed;
        await world.node('a').start();
        const isListed = (await world.listed('a')).includes('c');
        expect((await world.pending('a')).includes(world.id('c'))).toBe(!isListed);
        expect(await world.status('a')).toMatchObject({
          pool: { version: isListed ? version + 1 : version },
          stopped: [],
        });
        expect((await world.must('a', 'admin', 'nodes', 'acl', 'verify')).json).toMatchObject({ valid: true });
        expect(await world.must('a', 'ledger', 'verify', '--full')).toMatchObject({ stderr: '' });
        if (!isListed) continue;
        approvals += 1;
        // The others hear of it although the node that announced it died.
        await world.agree('a', 'b', 'c');
        if (kills >= 3) break;
        await world.must('a', 'admin', 'nodes', 'remove', world.id('c'), '--yes');
        await expect.poll(async () => (await world.status('c')).pool.membership, patience).toBe('removed');
        await world.askToJoin('c', 'a');
      }
      if (!(await world.listed('a')).includes('c')) await world.must('a', ...approve);
      await world.agree('a', 'b', 'c');
      for (const name of ['a', 'b', 'c']) {
        expect(await world.listed(name)).toEqual(['a', 'b', 'c']);
        expect(await world.must(name, 'ledger', 'verify', '--full')).toMatchObject({ stderr: '' });
        expect(await world.status(name)).toMatchObject({ forks: [], evidence: 0, stopped: [], contradictions: 0 });
        expect(await world.node(name).log()).not.toMatch(/unexpected error|unhandled/i);
      }
    }, 900_000);
  },
);
