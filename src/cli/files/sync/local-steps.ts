import { lstat, mkdir, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '../../../base/problem.ts';
import { nameKey } from '../transfer/remote-folders.ts';
import type { Item } from './matching.ts';
import type { Pass } from './run.ts';
import { localPath, movingId, type LocalNode } from './trees.ts';

/** Bytes that a name may have. */
const LONGEST_NAME = 255;

/** Changes of files and folders here. Each looks first whether everything is as it was found. */
export function diskPath({ local }: Pick<Pass, 'local'>, node: LocalNode): string {
  return join(local.root, localPath(node));
}

export function pathIn(pass: Pick<Pass, 'local'>, parent: LocalNode | undefined, name: string): string {
  return join(parent === undefined ? pass.local.root : diskPath(pass, parent), name);
}

/** @throws Problem conflict NOTHING_CHANGED if somebody has changed it since; the next run looks again */
export async function assertAsFound(pass: Pass, node: LocalNode): Promise<void> {
  const { stats } = node;
  const now = await lstat(diskPath(pass, node), { bigint: true }).catch(() => undefined);
  const isSame =
    now !== undefined &&
    now.ino === stats.ino &&
    // Some programs write and leave the time of the file as it was.
    (node.kind !== 'file' ||
      (now.size === stats.size && now.mtimeNs === stats.mtimeNs && now.ctimeNs === stats.ctimeNs));
  if (isSame) return;
  const words = `${localPath(node)} changed while it was synchronised. Run the command again.`;
  throw new Problem('conflict', 'NOTHING_CHANGED', words);
}

/** What is in the way of a name here. A file system without case finds itself. */
export async function inTheWay(
  pass: Pass,
  parent: LocalNode | undefined,
  name: string,
  own: LocalNode | undefined,
): Promise<boolean> {
  const there = await lstat(pathIn(pass, parent, name), { bigint: true }).catch(() => undefined);
  return (
    there !== undefined &&
    !(own !== undefined && there.ino !== 0n && there.ino === own.stats.ino && there.dev === own.stats.dev)
  );
}

/** Of two that want one place at once, the second looks for another, or waits for the next look, which finds the first in its way. */
export function claim({ claimed }: Pass, folder: string, name: string): boolean {
  const place = `${folder}/${nameKey(name)}`;
  if (claimed.has(place)) return false;
  claimed.add(place);
  return true;
}

export function claimHere(pass: Pass, parent: LocalNode | undefined, name: string): boolean {
  return claim(pass, parent === undefined ? '' : localPath(parent), name);
}

export function nodeAt(pass: Pass, parent: LocalNode | undefined, name: string): LocalNode | undefined {
  const inside = parent === undefined ? pass.local.nodes.filter((node) => node.parent === undefined) : parent.children;
  return (
    inside.find((node) => node.name === name) ?? inside.find((node) => node.name.toLowerCase() === name.toLowerCase())
  );
}

export async function moveHere(
  pass: Pass,
  node: LocalNode,
  parent: LocalNode | undefined,
  name: string,
): Promise<void> {
  await assertAsFound(pass, node);
  const [from, to] = [diskPath(pass, node), pathIn(pass, parent, name)];
  pass.step();
  await rename(from, to);
  detach(node);
  node.parent = parent;
  node.name = name;
  parent?.children.push(node);
  node.stats = await lstat(to, { bigint: true });
  pass.done += 1;
}

function detach(node: LocalNode): void {
  const at = node.parent?.children.indexOf(node) ?? -1;
  if (at >= 0) node.parent?.children.splice(at, 1);
}

export async function makeHere(pass: Pass, parent: LocalNode | undefined, name: string): Promise<LocalNode> {
  const path = pathIn(pass, parent, name);
  pass.step();
  await mkdir(path);
  const stats = await lstat(path, { bigint: true });
  const node: LocalNode = { parent, name, kind: 'folder', stats, children: [], hidden: false };
  pass.local.nodes.push(node);
  parent?.children.push(node);
  pass.done += 1;
  return node;
}

export async function removeHere(pass: Pass, node: LocalNode): Promise<void> {
  const path = diskPath(pass, node);
  await assertAsFound(pass, node);
  pass.step();
  // A folder with something in it, whoever has put it there, stays.
  if (node.kind === 'folder') await rmdir(path);
  else await rm(path);
  detach(node);
  pass.local.nodes.splice(pass.local.nodes.indexOf(node), 1);
  pass.done += 1;
}

/** What is on its way has no name of its own. */
export function nameOf(item: Item | undefined, { name }: LocalNode): string {
  return movingId(name) === undefined ? name : (item?.entry?.local ?? name);
}

/** Gives a file or folder here a name that says why there are two: `name (conflict 2026-11-24 host).ext`. */
export async function setAside(pass: Pass, node: LocalNode): Promise<void> {
  const before = localPath(node);
  const own = nameOf(pass.items.ofLocal.get(node), node);
  for (let number = 1; ; number += 1) {
    const name = conflictName(own, pass.host, pass.now(), number);
    if ((await inTheWay(pass, node.parent, name, undefined)) || !claimHere(pass, node.parent, name)) continue;
    await moveHere(pass, node, node.parent, name);
    pass.actions.push({ action: 'conflict', path: before, to: localPath(node) });
    return;
  }
}

export function conflictName(name: string, host: string, now: number, number: number): string {
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 && name.length - dot <= 20 ? name.slice(dot) : '';
  const date = new Date(now).toISOString().slice(0, 10);
  const said = host.replaceAll(/[^\w.-]/g, '').slice(0, 40) || 'here';
  const note = ` (conflict ${date} ${said}${number > 1 ? ` ${number}` : ''})`;
  const characters = Array.from(name.slice(0, name.length - extension.length));
  while (Buffer.byteLength(characters.join('') + note + extension) > LONGEST_NAME) characters.pop();
  return `${characters.join('')}${note}${extension}`;
}
