import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { perform } from '../../src/client/perform.ts';
import { filevault } from '../../src/contract/filevault.ts';
import { contentOf } from '../../src/cli/files/listing.ts';
import { killed, play } from './files-sync-play.ts';
import { expectEqual, openSyncScene, type SyncScene } from './files-sync-scene.ts';
import { runs } from '../support/stage.ts';

const which = fc.nat({ max: 30 });
const name = fc.constantFrom('a', 'b', 'c', 'D', 'e.txt');
const side = fc.constantFrom('here' as const, 'there' as const);
const operation = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ does: fc.constant('write' as const), side, which, name }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('folder' as const), side, which, name }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('remove' as const), side, which, name }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('move' as const),
      side,
      which,
      name,
      to: which,
    }),
  },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('sync' as const), steps: fc.nat({ max: 25 }) }) },
);

let scene: SyncScene;
beforeAll(async () => {
  scene = await openSyncScene();
});
afterAll(() => scene[Symbol.asyncDispose]());

describe('two folders, whatever happens', () => {
  it('become equal, and lose nothing that nobody removed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 30 }), async (operations) => {
        await play(scene, operations);
      }),
      { numRuns: runs(40) },
    );
  }, 900_000);

  it('become what they have to, wherever a process is killed', async () => {
    let kills = 0;
    for (let at = 0, isOver = false; !isOver; at += 1) {
      const pair = await scene.pair();
      for (const path of ['a', 'b', 'both', 'in/x', 'in/y', 'gone', 'out/z']) await pair.write(path, `text of ${path}`);
      await pair.sync();
      for (const [from, to] of [
        ['a', 't'],
        ['b', 'a'],
        ['t', 'b'],
        ['in', 'in2'],
      ] as const)
        await rename(join(pair.root, from), join(pair.root, to));
      await writeFile(join(pair.root, 'both'), 'both here');
      await pair.store('both', 'both there');
      await rm(join(pair.root, 'gone'));
      await writeFile(join(pair.root, 'new'), 'new here');
      await pair.makeThere('far');
      await pair.store('far/file', 'new there');
      await pair.store('in/y', 'y changed there');
      const out = (await contentOf(scene.client, pair.folder.id)).subfolders.find((one) => one.name === 'out');
      await perform(scene.client, filevault.removeFolder, { id: out?.id ?? '' });
      isOver = !(await killed(pair, at));
      kills += isOver ? 0 : 1;
      await pair.sync();
      const picture = Object.entries(await pair.here()).map(([path, text]) => [
        path.replace(/ \(conflict.*/, ' (c)'),
        text,
      ]);
      expect(Object.fromEntries(picture), `killed before step ${at + 1}`).toEqual({
        a: 'text of b',
        b: 'text of a',
        both: 'both there',
        'both (c)': 'both here',
        far: '',
        'far/file': 'new there',
        in2: '',
        'in2/x': 'text of in/x',
        'in2/y': 'y changed there',
        new: 'new here',
      });
      await expectEqual(pair);
    }
    expect(kills).toBeGreaterThan(40);
  }, 900_000);
});
