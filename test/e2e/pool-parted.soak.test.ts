import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { screensAreTrue, screensFit } from './pool-screens.ts';
import { openWorld, patience, type World } from './pool-world.ts';

// Where there are no namespaces, who connects is read from /proc; see links.ts.
describe.runIf(process.platform === 'linux')(
  'a pool of which both sides decide while they are parted',
  { tags: 'needs-system' },
  () => {
    let world: World;
    let common: { readonly version: number; readonly hash: string };

    beforeAll(async () => {
      world = await openWorld('a', 'b', 'c', 'd', 'e', 'f');
    }, 600_000);

    afterAll(async () => await world[Symbol.asyncDispose](), 120_000);

    it('begins as one pool, with somebody on each side who may decide', async () => {
      const { node } = await world.status('c');
      await world.must('a', 'admin', 'nodes', 'acl', 'update', '--add-key', node.publicKey);
      await world.admit('a', 'b', 'c', 'd', 'e');
      await world.connected(4, 'a', 'b', 'c', 'd', 'e');
      common = await world.agree('a', 'b', 'c', 'd', 'e');
      expect(await world.listed('e')).toEqual(['a', 'b', 'c', 'd', 'e']);
    }, 600_000);

    it('has what was decided in force on each side at once', async () => {
      await world.wires.part(['a', 'b'], ['c', 'd', 'e', 'f']);
      await world.must('a', 'admin', 'nodes', 'remove', world.id('e'), '--ban', '--yes');
      await world.must('a', 'admin', 'nodes', 'update', world.id('b'), '--mail-domain', 'mail.example');
      await world.must('c', ...(await world.askToJoin('f', 'c')));
      await world.must('c', 'admin', 'nodes', 'remove', world.id('b'), '--yes');
      await world.must('c', 'admin', 'nodes', 'update', world.id('d'), '--expires', '30d');
      expect(await world.agree('a', 'b')).toMatchObject({ version: common.version + 2 });
      expect(await world.agree('c', 'd', 'e', 'f')).toMatchObject({ version: common.version + 3 });
      expect(await world.listed('b')).toEqual(['a', 'b', 'c', 'd']);
      expect(await world.listed('d')).toEqual(['a', 'c', 'd', 'e', 'f']);
      await screensAreTrue(world, 'a', 'c');
    }, 600_000);

    it('has one list after the wires are mended: what a side removed is removed, what the other admitted is asked again', async () => {
      await world.wires.mend();
      const everybody = ['a', 'b', 'c', 'd', 'e', 'f'];
      const seen = async () => (await Promise.all(everybody.map(world.status))).map(({ pool }) => pool.membership);
      await expect.poll(seen, patience).toEqual(['member', 'removed', 'member', 'member', 'removed', 'removed']);
      // One more version takes over what the other side removed. Whoever may sign it may do so before all of the first side arrived.
      const healed = await world.agree('a', 'c', 'd');
      expect(healed.version).toBeGreaterThanOrEqual(common.version + 2);
      expect(await world.listed('d')).toEqual(['a', 'c', 'd']);
      for (const name of ['a', 'c'])
        await expect.poll(async () => await world.pending(name), patience).toEqual([world.id('f')]);
    }, 600_000);

    it('says on every node that there was a fork, who signed it, and what was lost', async () => {
      for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
        const isMember = ['a', 'c', 'd'].includes(name);
        const forksSeen = async () => {
          const { forks, unsigned } = await world.status(name);
          return { name, forks, unsigned, ours: forks.filter(({ version }) => version === common.version + 1) };
        };
        // b was removed by the second list of its other side, and hears of two. Whoever learned of that side from b hears of the third later.
        if (isMember)
          await expect.poll(forksSeen, patience).toMatchObject({ name, unsigned: [], ours: [{ lists: 3 }] });
        const { forks, ours } = await forksSeen();
        // Whoever was removed isn't told everything any more. The side of b counts, so it may never hear of the other one.
        if (name === 'b' && ours.length === 0) continue;
        expect({ name, ours }).toMatchObject({ name, ours: [{ signedBy: 'two', decidedBy: 'rule' }] });
        const { entries } = (await world.must(name, 'ledger', 'show', '--limit', '200')).json;
        const recorded = entries.filter(({ type }: { type: string }) => type === 'POOL_FORK');
        expect(recorded.length).toBeGreaterThanOrEqual(forks.length);
        const [{ counting, other } = { counting: '', other: '' }] = ours;
        expect(recorded.map(({ data }: { data: unknown }) => data)).toContainEqual(
          expect.objectContaining({ counting, other, signedBy: 'two', by: 'rule' }),
        );
        const log = await world.node(name).log();
        expect(log).toContain('two administrators signed one list each of the same version');
        expect(log).not.toMatch(/unexpected error|unhandled/i);
        expect(await world.must(name, 'ledger', 'verify', '--full')).toMatchObject({ stderr: '' });
      }
      await screensAreTrue(world, 'a', 'e');
      await screensFit(world, 'c', 'e');
    }, 600_000);

    it('admits the newcomer of the losing side when somebody approves it again', async () => {
      const { fingerprint } = (await world.status('f')).node;
      await world.must('c', 'admin', 'nodes', 'approve', world.id('f'), '--fingerprint', fingerprint.words.join(' '));
      await world.agree('a', 'c', 'd', 'f');
      await world.connected(3, 'a', 'c', 'd', 'f');
      expect(await world.listed('f')).toEqual(['a', 'c', 'd', 'f']);
    }, 600_000);

    it('is one pool although its administrators removed each other, and people may decide otherwise', async () => {
      await world.wires.part(['a', 'd'], ['c', 'f']);
      const admins = (await world.status('a')).pool.admins;
      const ofC = await keyOf('c');
      const ofA = await keyOf('a');
      await world.must('a', 'admin', 'nodes', 'acl', 'update', '--remove-admin', ofC);
      await world.must('c', 'admin', 'nodes', 'acl', 'update', '--remove-admin', ofA);
      await world.wires.mend();
      const decided = await world.agree('a', 'c', 'd', 'f');
      const { forks } = await world.status('f');
      const [fork] = forks;
      expect(fork).toMatchObject({ counting: decided.hash, signedBy: 'two', decidedBy: 'rule', lists: 1 });
      expect(decided.admins).toEqual(admins.filter(({ memberId }) => memberId !== ofC));
      await screensAreTrue(world, 'c');

      const before = await world
        .node('d')
        .run('admin', 'nodes', 'acl', 'resolve', '--adopt', fork?.other.slice(0, 12) ?? '');
      expect(before).toMatchObject({ exitCode: 2 });
      expect(before.stderr).toContain('--yes');
      for (const name of ['d', 'a', 'c', 'f'])
        await world.must(name, 'admin', 'nodes', 'acl', 'resolve', '--adopt', fork?.other ?? '', '--yes');
      const adopted = await world.agree('a', 'c', 'd', 'f');
      expect(adopted.hash).toBe(fork?.other);
      expect(adopted.admins).toEqual(admins.filter(({ memberId }) => memberId !== ofA));
      await screensAreTrue(world, 'd');
    }, 600_000);

    /** the id under which the key of a node administers the pool */
    async function keyOf(name: string): Promise<string> {
      const { node, pool } = await world.status(name);
      return pool.admins.find(({ publicKey }) => publicKey === node.publicKey)?.memberId ?? '';
    }
  },
);
