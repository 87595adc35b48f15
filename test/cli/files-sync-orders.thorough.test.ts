import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { perform } from '../../src/client/perform.ts';
import { filevault } from '../../src/contract/filevault.ts';
import { killed, play, type Operation } from './files-sync-play.ts';
import { expectEqual, openSyncScene, removeHere, type Pair, type Picture, type SyncScene } from './files-sync-scene.ts';
import { inStage } from '../support/stage.ts';

let scene: SyncScene;
beforeAll(async () => {
  scene = await openSyncScene();
});
afterAll(() => scene[Symbol.asyncDispose]());

const withoutDates = async (pair: Pair): Promise<Picture> =>
  Object.fromEntries(
    Object.entries(await pair.here()).map(([path, text]) => [path.replaceAll(/ \(conflict [^)]*\)/g, ' (c)'), text]),
  );

describe('orders in which files sync --both once went wrong', () => {
  // Found by the property of the soak stage.
  const found: readonly Operation[] = [
    { does: 'folder', side: 'here', which: 0, name: 'a' },
    { does: 'write', side: 'here', which: 3, name: 'a' },
    { does: 'move', side: 'here', which: 0, name: 'e.txt', to: 0 },
    { does: 'sync', steps: 4 },
    { does: 'move', side: 'here', which: 0, name: 'a', to: 15 },
    { does: 'move', side: 'there', which: 3, name: 'e.txt', to: 3 },
    { does: 'move', side: 'here', which: 23, name: 'a', to: 0 },
    { does: 'write', side: 'here', which: 0, name: 'e.txt' },
  ];

  it('moved here, and renamed there to what is in that folder, wherever a process is killed', async () => {
    for (const steps of inStage([0], [1], [0, 1, 2, 3, 4])) {
      const pair = await play(scene, [...found, { does: 'sync', steps }]);
      expect(await withoutDates(pair), `killed before step ${steps + 1}`).toEqual({
        'e (c).txt': expect.stringContaining('content'),
        'e.txt': '',
      });
    }
  });

  it('moved here to the name that it got there, which is that of something new there', async () => {
    const pair = await scene.pair();
    for (const path of ['in/file', 'in/folder/file']) await pair.write(path, `text of ${path}`);
    await pair.sync();
    const [file, folder] = [await pair.at('in/file'), await pair.at('in/folder')];
    await rename(join(pair.root, 'in/file'), join(pair.root, 'new'));
    await rename(join(pair.root, 'in/folder'), join(pair.root, 'other'));
    await perform(scene.client, filevault.changeFile, { id: file.file?.id ?? '', fileName: 'new' });
    await perform(scene.client, filevault.renameFolder, { id: folder.folder.id, name: 'other' });
    await pair.store('new', 'new there');
    await pair.store('other', 'other there');
    expect((await pair.sync()).failures.list).toEqual([]);
    await expectEqual(pair);
    expect(await withoutDates(pair)).toEqual({
      in: '',
      new: 'new there',
      'new (c)': 'text of in/file',
      other: 'other there',
      'other (c)': '',
      'other (c)/file': 'text of in/folder/file',
    });
  });

  it('removed here and changed there, while it had a name for the time being there', async () => {
    let moving = 0;
    // In these places of the order something at the server has such a name.
    for (const steps of inStage([4], [2, 4], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])) {
      const pair = await scene.pair();
      for (const path of ['a', 'b']) await pair.write(path, `text of ${path}`);
      await pair.sync();
      for (const [from, to] of [
        ['a', 't'],
        ['b', 'a'],
        ['t', 'b'],
      ] as const)
        await rename(join(pair.root, from), join(pair.root, to));
      expect(await killed(pair, steps)).toBe(true);
      const there = await pair.there();
      moving += Object.keys(there).some((path) => path.endsWith('.moving')) ? 1 : 0;
      for (const [path, text] of Object.entries(there)) await pair.store(path, `${text}, changed`);
      for (const path of Object.keys(await pair.here())) await removeHere(pair, path);
      expect((await pair.sync()).failures.list).toEqual([]);
      await expectEqual(pair);
      const texts = Object.values(there).map((text) => `${text}, changed`);
      expect(Object.values(await pair.here()).toSorted(), `killed before step ${steps + 1}`).toEqual(texts.toSorted());
    }
    expect(moving).toBeGreaterThanOrEqual(inStage(1, 1, 2));
  });

  it('two that want one name at once, because names differ only where they do harm or in case', async () => {
    const pair = await scene.pair();
    for (const path of ['con.txt', '_con.txt']) await pair.store(path, `text of ${path}`);
    await Promise.all(['x', 'X'].map(async (path) => await pair.write(path, `text of ${path}`)));
    const texts = [...Object.values(await pair.here()), ...Object.values(await pair.there())];
    expect((await pair.sync()).failures.list).toEqual([]);
    for (const side of [await pair.here(), await pair.there()])
      expect(Object.values(side).toSorted()).toEqual(texts.toSorted());
    expect((await pair.sync()).actions).toEqual([]);
  });

  it('set aside here under the name that another copy is just getting from the server', async () => {
    const side = 'here';
    const write = (name: string): Operation => ({ does: 'write', side, which: 0, name });
    const pair = await play(scene, [
      { does: 'write', side: 'there', which: 0, name: 'b' },
      { does: 'write', side: 'there', which: 0, name: 'a' },
      ...['a', 'b', 'e.txt'].map(write),
      { does: 'sync', steps: 8 },
      { does: 'move', side, which: 0, name: 'a', to: 0 },
      ...['a', 'a', 'a'].map(write),
      { does: 'folder', side, which: 0, name: 'a' },
    ]);
    expect(Object.keys(await withoutDates(pair))).toContain('a (c)');
  });

  it('a long row of names of which each waits for the next, and many that swap', { tags: 'soak' }, async () => {
    const pair = await scene.pair();
    const rows = Array.from({ length: 50 }, (_, index) => `row ${100 + index}`);
    const swaps = Array.from({ length: 25 }, (_, index) => `swap ${100 + index}`);
    for (const name of rows) await pair.write(name, `text of ${name}`);
    for (const name of swaps)
      for (const side of ['left', 'right']) await pair.write(`${side}/${name}`, `${side} ${name}`);
    await pair.sync();
    for (const [index, name] of [...rows.entries()].toReversed())
      await rename(join(pair.root, name), join(pair.root, `row ${101 + index}`));
    for (const name of swaps) {
      const [left = '', right = ''] = ['left', 'right'].map((side) => join(pair.root, side, name));
      await rename(left, `${left}~`);
      await rename(right, left);
      await rename(`${left}~`, right);
    }
    const here = await pair.here();
    expect((await pair.sync()).failures.list).toEqual([]);
    expect(await pair.there()).toEqual(here);
    await expectEqual(pair, here);
  });
});
