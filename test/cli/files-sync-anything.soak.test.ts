import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { perform } from '../../src/client/perform.ts';
import { filevault } from '../../src/contract/filevault.ts';
import { Problem } from '../../src/base/problem.ts';
import { contentOf } from '../../src/cli/files/listing.ts';
import { expectEqual, openSyncScene, type Pair, type Picture, type SyncScene } from './files-sync-scene.ts';
import { runs } from '../support/stage.ts';

const which = fc.nat({ max: 30 });
const name = fc.constantFrom('a', 'b', 'c', 'D', 'e.txt');
const operation = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ does: fc.constant('write' as const), side: fc.constantFrom('here', 'there'), which, name }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('folder' as const), side: fc.constantFrom('here', 'there'), which, name }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('remove' as const), side: fc.constantFrom('here', 'there'), which, name }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('move' as const),
      side: fc.constantFrom('here', 'there'),
      which,
      name,
      to: which,
    }),
  },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('sync' as const), steps: fc.nat({ max: 25 }) }) },
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

/** What stands for a process that was killed. */
class Killed extends Error {}

/** Contents that somebody has removed or replaced. All others have to be there at the end. */
interface Model {
  readonly written: Set<string>;
  readonly removed: Set<string>;
}

let scene: SyncScene;
let count = 0;
beforeAll(async () => {
  scene = await openSyncScene();
});
afterAll(() => scene[Symbol.asyncDispose]());

const isFolder = (picture: Picture, path: string): boolean => path === '' || picture[path] === '';
const below = (picture: Picture, path: string): string[] =>
  Object.keys(picture).filter((one) => one === path || one.startsWith(`${path}/`));
const joined = (folder: string, last: string): string => (folder === '' ? last : `${folder}/${last}`);

async function change(pair: Pair, model: Model, one: Exclude<Operation, { does: 'sync' }>): Promise<void> {
  const isHere = one.side === 'here';
  const picture = isHere ? await pair.here() : await pair.there();
  const all = Object.keys(picture)
    .filter((path) => !path.includes('.conclave-'))
    .toSorted();
  const folders = ['', ...all.filter((path) => isFolder(picture, path))];
  const folder = folders[one.which % folders.length] ?? '';
  const path = all[one.which % Math.max(1, all.length)];
  const lose = (paths: readonly string[]): void => paths.forEach((lost) => model.removed.add(picture[lost] ?? ''));
  if (one.does === 'write') {
    const at = joined(folder, one.name);
    if (isFolder(picture, at)) return;
    const taken = Object.keys(picture).find((there) => there.toLowerCase() === at.toLowerCase());
    if (!isHere && taken !== undefined && taken !== at) return;
    const text = `content ${(count += 1) + 100_000}`;
    if (picture[at] !== undefined) lose([at]);
    model.written.add(text);
    await (isHere ? pair.write(at, text) : pair.store(at, text));
    return;
  }
  if (one.does === 'folder') {
    const at = joined(folder, one.name);
    if (Object.keys(picture).some((there) => there.toLowerCase() === at.toLowerCase())) return;
    if (isHere) await pair.write(`${at}/keep`, 'x').then(() => rm(join(pair.root, at, 'keep')));
    else await pair.makeThere(at);
    return;
  }
  if (path === undefined) return;
  if (one.does === 'remove') {
    lose(below(picture, path).filter((lost) => !isFolder(picture, lost)));
    if (isHere) await rm(join(pair.root, path), { recursive: true });
    else {
      const { folder: there, file } = await pair.at(path);
      if (file !== null) await perform(scene.client, filevault.removeFile, { id: file.id });
      else await perform(scene.client, filevault.removeFolder, { id: there.id });
    }
    return;
  }
  const parent = folders[one.to % folders.length] ?? '';
  const at = joined(parent, one.name);
  const isTaken = Object.keys(picture).some((there) => there.toLowerCase() === at.toLowerCase());
  if (isTaken || parent === path || parent.startsWith(`${path}/`)) return;
  if (isHere) {
    await rename(join(pair.root, path), join(pair.root, at));
    return;
  }
  const [source, target] = [await pair.at(path), await pair.at(parent)];
  const id = source.file?.id ?? source.folder.id;
  const itemType = source.file === null ? 'folder' : 'file';
  const current = source.file?.name ?? source.folder.name;
  try {
    if (target.folder.id !== (source.file?.folderId ?? source.folder.parentFolderId))
      await perform(scene.client, filevault.moveItem, { id, itemType, newParentId: target.folder.id });
    if (current === one.name) return;
    if (itemType === 'folder') await perform(scene.client, filevault.renameFolder, { id, name: one.name });
    else await perform(scene.client, filevault.changeFile, { id, fileName: one.name });
  } catch (error) {
    // In between it can meet its own name.
    if (!(error instanceof Problem) || error.code !== 'NAME_TAKEN') throw error;
  }
}

/** A process that is killed after some steps, unless it has fewer. @returns whether it was */
async function killed(pair: Pair, steps: number): Promise<boolean> {
  let left = steps;
  try {
    await pair.sync({
      step: () => {
        left -= 1;
        if (left < 0) throw new Killed('killed');
      },
    });
    return false;
  } catch (error) {
    if (error instanceof Killed) return true;
    throw error;
  }
}

async function settle(pair: Pair, model: Model): Promise<void> {
  const { failures } = await pair.sync();
  expect(failures.list).toEqual([]);
  await expectEqual(pair);
  const left = new Set(Object.values(await pair.here()));
  const lost = [...model.written].filter((text) => !model.removed.has(text) && !left.has(text));
  expect(lost).toEqual([]);
  expect((await readdir(pair.root, { recursive: true })).filter((path) => path.includes('.conclave-'))).toEqual([]);
}

describe('two folders, whatever happens', () => {
  it('become equal, and lose nothing that nobody removed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 30 }), async (operations) => {
        const pair = await scene.pair();
        const model: Model = { written: new Set(), removed: new Set() };
        for (const one of operations) {
          if (one.does === 'sync') await killed(pair, one.steps);
          else await change(pair, model, one);
        }
        await settle(pair, model);
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
    expect(kills).toBeGreaterThan(20);
  }, 900_000);
});
