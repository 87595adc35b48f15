import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { perform } from '../../src/client/perform.ts';
import { filevault } from '../../src/contract/filevault.ts';
import { Problem } from '../../src/base/problem.ts';
import { expectEqual, type Pair, type Picture, type SyncScene } from './files-sync-scene.ts';

/** What somebody does on one side, or a synchronisation that is killed after some steps. The numbers choose among what is there. */
export type Operation =
  | (Change & { readonly does: 'write' })
  | (Change & { readonly does: 'folder' })
  | (Change & { readonly does: 'remove' })
  | (Change & { readonly does: 'move'; readonly to: number })
  | { readonly does: 'sync'; readonly steps: number };

interface Change {
  readonly side: 'here' | 'there';
  readonly which: number;
  readonly name: string;
}

/** What stands for a process that was killed. */
class Killed extends Error {}

/** Contents that somebody has removed or replaced. All others have to be there at the end. */
interface Model {
  readonly written: Set<string>;
  readonly removed: Set<string>;
}

let count = 0;

const isFolder = (picture: Picture, path: string): boolean => path === '' || picture[path] === '';
const below = (picture: Picture, path: string): string[] =>
  Object.keys(picture).filter((one) => one === path || one.startsWith(`${path}/`));
const joined = (folder: string, last: string): string => (folder === '' ? last : `${folder}/${last}`);

async function change(
  { client }: SyncScene,
  pair: Pair,
  model: Model,
  one: Exclude<Operation, { does: 'sync' }>,
): Promise<void> {
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
      if (file !== null) await perform(client, filevault.removeFile, { id: file.id });
      else await perform(client, filevault.removeFolder, { id: there.id });
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
      await perform(client, filevault.moveItem, { id, itemType, newParentId: target.folder.id });
    if (current === one.name) return;
    if (itemType === 'folder') await perform(client, filevault.renameFolder, { id, name: one.name });
    else await perform(client, filevault.changeFile, { id, fileName: one.name });
  } catch (error) {
    // In between it can meet its own name.
    if (!(error instanceof Problem) || error.code !== 'NAME_TAKEN') throw error;
  }
}

/** A process that is killed after some steps, unless it has fewer. @returns whether it was */
export async function killed(pair: Pair, steps: number): Promise<boolean> {
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

/** Both sides become equal, with all that nobody removed, and nothing is left that was on its way. */
async function settle(pair: Pair, model: Model): Promise<void> {
  const { failures } = await pair.sync();
  expect(failures.list).toEqual([]);
  await expectEqual(pair);
  const left = new Set(Object.values(await pair.here()));
  const lost = [...model.written].filter((text) => !model.removed.has(text) && !left.has(text));
  expect(lost).toEqual([]);
  expect((await readdir(pair.root, { recursive: true })).filter((path) => path.includes('.conclave-'))).toEqual([]);
}

/** Does all of it in a new pair of folders, then brings them to an end, and holds them to what was written. */
export async function play(scene: SyncScene, operations: readonly Operation[]): Promise<Pair> {
  const pair = await scene.pair();
  const model: Model = { written: new Set(), removed: new Set() };
  for (const one of operations) {
    if (one.does === 'sync') await killed(pair, one.steps);
    else await change(scene, pair, model, one);
  }
  await settle(pair, model);
  return pair;
}
