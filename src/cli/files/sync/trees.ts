import type { BigIntStats } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Caller } from '../../../client/perform.ts';
import type { FileItem } from '../../../contract/filevault/fields.ts';
import { Problem } from '../../../base/problem.ts';
import { unreadable } from '../../kit/file-reasons.ts';
import { contentOf, wayTo } from '../listing.ts';
import type { Excluding } from '../transfer/globs.ts';
import { transit } from '../transfer/local-names.ts';
import { persistently, type Patience } from '../transfer/patience.ts';
import { eachOf } from '../transfer/slots.ts';
import { hashOfFile } from '../transfer/verifying.ts';

/** Something below the folder of this machine. */
export interface LocalNode {
  /** undefined: it is in the folder itself */
  parent: LocalNode | undefined;
  name: string;
  /** `other` is there and is left out: a link, a device, an empty file */
  readonly kind: 'file' | 'folder' | 'other';
  stats: BigIntStats;
  readonly children: LocalNode[];
  /** something in this folder is left out by --exclude */
  hidden: boolean;
  /** once it is known */
  hash?: string;
}

/** Something below the folder of the server. */
export interface RemoteNode {
  readonly id: string;
  parent: string;
  name: string;
  readonly kind: 'file' | 'folder';
  readonly file: FileItem | undefined;
  readonly children: RemoteNode[];
  hidden: boolean;
}

export interface LocalTree {
  readonly root: string;
  /** those above first */
  readonly nodes: LocalNode[];
}

export interface RemoteTree {
  readonly id: string;
  readonly nodes: RemoteNode[];
}

/** What is on its way has such a name. The id says what it is, whoever finds it. */
export function transitName(id: string): string {
  return `.conclave-${id}.moving`;
}

export function partName(id: string): string {
  return `.conclave-${id}`;
}

/** The id of something that is being moved, from its name. */
export function movingId(name: string): string | undefined {
  return name.endsWith('.moving') ? transit.exec(name)?.groups?.['id'] : undefined;
}

function isPart(name: string): boolean {
  return transit.test(name) && !name.endsWith('.moving');
}

/** Parts of files. @param kept ids of those that a next run can go on with */
export async function sweepParts(tree: LocalTree, kept: ReadonlySet<string>): Promise<void> {
  for (const folder of ['', ...tree.nodes.filter(({ kind }) => kind === 'folder').map(localPath)])
    for (const name of await readdir(join(tree.root, folder)).catch(() => []))
      if (isPart(name) && !kept.has(transit.exec(name)?.groups?.['id'] ?? ''))
        await rm(join(tree.root, folder, name), { force: true });
}

/** @throws Problem invalid INPUT_UNREADABLE: what can't be read must not look as if it had been deleted */
export async function readLocal(root: string, excluded: Excluding): Promise<LocalTree> {
  const tree: LocalTree = { root, nodes: [] };
  const visit = async (parent: LocalNode | undefined, path: readonly string[]): Promise<void> => {
    const folder = join(root, ...path);
    const names = await readdir(folder).catch((cause: unknown) => {
      throw new Problem('invalid', 'INPUT_UNREADABLE', unreadable(folder, cause), { cause });
    });
    for (const name of names.toSorted()) {
      if (isPart(name)) continue;
      const stats = await lstat(join(folder, name), { bigint: true }).catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      });
      if (stats === undefined) continue;
      if (excluded([...path, name], stats.isDirectory())) {
        if (parent !== undefined) parent.hidden = true;
        continue;
      }
      const kind = stats.isDirectory() ? 'folder' : stats.isFile() && stats.size > 0n ? 'file' : 'other';
      const node: LocalNode = { parent, name, kind, stats, children: [], hidden: false };
      tree.nodes.push(node);
      parent?.children.push(node);
      if (kind === 'folder') await visit(node, [...path, name]);
    }
  };
  await visit(undefined, []);
  return tree;
}

/** Reads folders, page by page, and nothing of single files. */
export async function readRemote(
  caller: Caller,
  id: string,
  excluded: Excluding,
  patience: Patience,
): Promise<RemoteTree> {
  const tree: RemoteTree = { id, nodes: [] };
  let level: { readonly node?: RemoteNode; readonly path: readonly string[]; readonly way: readonly string[] }[] = [
    { path: [], way: [id] },
  ];
  while (level.length > 0) {
    const lists: Awaited<ReturnType<typeof contentOf>>[] = [];
    await eachOf(level, async ({ node }, index) => {
      patience.signal?.throwIfAborted();
      lists[index] = await persistently(() => contentOf(caller, node?.id ?? id), patience);
    });
    const next: typeof level = [];
    for (const [index, { node: parent, path, way }] of level.entries()) {
      const { files = [], subfolders = [] } = lists[index] ?? {};
      const add = (of: { id: string; name: string }, kind: 'file' | 'folder', file: FileItem | undefined): void => {
        const at = [...path, of.name];
        if (excluded(at, kind === 'folder')) {
          if (parent !== undefined) parent.hidden = true;
          return;
        }
        const base = { id: of.id, parent: parent?.id ?? id, name: of.name, kind, file };
        const node: RemoteNode = { ...base, children: [], hidden: false };
        tree.nodes.push(node);
        parent?.children.push(node);
        if (kind === 'folder') next.push({ node, path: at, way: wayTo(caller, way, of.id) });
      };
      for (const folder of subfolders) add(folder, 'folder', undefined);
      for (const file of files) add(file, 'file', file);
    }
    level = next;
  }
  return tree;
}

/** Below the folder, with slashes. */
export function localPath(node: LocalNode): string {
  return node.parent === undefined ? node.name : `${localPath(node.parent)}/${node.name}`;
}

export async function hashOfNode(root: string, node: LocalNode): Promise<string> {
  return (node.hash ??= await hashOfFile(join(root, localPath(node))));
}
