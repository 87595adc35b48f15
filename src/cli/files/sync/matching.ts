import { sizeIn } from '../transfer/file-stats.ts';
import { nameKey } from '../transfer/remote-folders.ts';
import { localName } from '../transfer/local-names.ts';
import type { Entry } from './state.ts';
import {
  hashOfNode,
  localPath,
  movingId,
  type LocalNode,
  type LocalTree,
  type RemoteNode,
  type RemoteTree,
} from './trees.ts';

/** One file or folder: what both sides have of it, and what they had. */
export interface Item {
  readonly kind: 'file' | 'folder';
  entry: Entry | undefined;
  local: LocalNode | undefined;
  remote: RemoteNode | undefined;
  /** Something that is left out is in its place here, so nobody knows what became of it. */
  frozen: boolean;
}

export interface Items {
  readonly all: Item[];
  readonly ofLocal: Map<LocalNode, Item>;
  readonly ofRemote: Map<string, Item>;
}

/** Finds out what belongs together, also after it was renamed. */
export async function match(entries: ReadonlyMap<string, Entry>, local: LocalTree, remote: RemoteTree): Promise<Items> {
  const items: Items = { all: [], ofLocal: new Map(), ofRemote: new Map() };
  const nodes = await localNodesOf(entries, local, remote.id);
  const byId = new Map(remote.nodes.map((node) => [node.id, node]));
  for (const entry of entries.values()) {
    const found = nodes.get(entry.id);
    const there = byId.get(entry.id);
    const isOther = found?.kind === 'other';
    add(items, { kind: entry.kind, entry, local: isOther ? undefined : found, remote: there, frozen: isOther });
  }
  const fresh = new Map<string, RemoteNode>();
  for (const node of remote.nodes) {
    if (items.ofRemote.has(node.id)) continue;
    const [exact, standing] = [nameKey(node.name), nameKey(localName(node.name, node.id))];
    fresh.set(`${node.parent} ${node.kind} ${exact}`, node);
    if (standing !== exact) fresh.set(`${node.parent} ${node.kind} as ${standing}`, node);
  }
  // Those above come first, so the item of the folder is known.
  for (const node of local.nodes) {
    if (node.kind === 'other' || items.ofLocal.has(node)) continue;
    const parentId = node.parent === undefined ? remote.id : items.ofLocal.get(node.parent)?.remote?.id;
    const key = nameKey(node.name);
    const twins = [fresh.get(`${parentId} ${node.kind} ${key}`), fresh.get(`${parentId} ${node.kind} as ${key}`)];
    const twin = twins.find((one) => one !== undefined && !items.ofRemote.has(one.id));
    add(items, { kind: node.kind, entry: undefined, local: node, remote: twin, frozen: false });
  }
  for (const node of remote.nodes)
    if (!items.ofRemote.has(node.id))
      add(items, { kind: node.kind, entry: undefined, local: undefined, remote: node, frozen: false });
  return items;
}

function add(items: Items, item: Item): void {
  items.all.push(item);
  if (item.local !== undefined) items.ofLocal.set(item.local, item);
  if (item.remote !== undefined) items.ofRemote.set(item.remote.id, item);
}

/**
 * The things of this machine that entries are about: in the same place, or elsewhere with the same inode and content, or with the same
 * content alone where inodes say nothing.
 */
async function localNodesOf(
  entries: ReadonlyMap<string, Entry>,
  tree: LocalTree,
  rootId: string,
): Promise<Map<string, LocalNode>> {
  const found = new Map<string, LocalNode>();
  const taken = new Set<LocalNode>();
  const take = (entry: Entry, node: LocalNode): void => {
    found.set(entry.id, node);
    taken.add(node);
  };
  const byPath = new Map(tree.nodes.map((node) => [localPath(node), node]));
  const recorded = pathsOf(entries, rootId);
  const left = () => [...entries.values()].filter(({ id }) => !found.has(id));
  for (const node of tree.nodes) {
    const entry = entries.get(movingId(node.name) ?? '');
    if (entry?.kind === node.kind && !found.has(entry.id)) take(entry, node);
  }
  for (const entry of left()) {
    const node = byPath.get(recorded.get(entry.id) ?? '');
    if (node?.kind === entry.kind && inodeOf(node) === entry.ino && !taken.has(node)) take(entry, node);
  }
  const byInode = new Map(tree.nodes.filter((node) => !taken.has(node)).map((node) => [inodeOf(node), node]));
  const childInodes = new Map<string, Set<string>>();
  for (const { parent, ino } of entries.values())
    childInodes.set(parent, (childInodes.get(parent) ?? new Set()).add(ino));
  for (const entry of left()) {
    const node = entry.ino === '0' ? undefined : byInode.get(entry.ino);
    if (node === undefined || node.kind !== entry.kind || taken.has(node)) continue;
    // The system gives the inode of a deleted thing to a new one.
    const known = childInodes.get(entry.id) ?? new Set();
    const isSame =
      entry.kind === 'file'
        ? await hasContent(tree.root, node, entry)
        : node.children.some((child) => known.has(inodeOf(child))) || (known.size === 0 && node.children.length === 0);
    if (isSame) take(entry, node);
  }
  // Below a folder that was renamed, things are at their new place.
  for (const entry of inOrder(left(), entries)) {
    const above = entry.parent === rootId ? undefined : found.get(entry.parent);
    const path = above === undefined ? recorded.get(entry.id) : `${localPath(above)}/${entry.local}`;
    const node = byPath.get(path ?? '');
    if (node !== undefined && !taken.has(node) && (node.kind === entry.kind || node.kind === 'other'))
      take(entry, node);
  }
  const bySize = new Map<number, LocalNode[]>();
  for (const node of tree.nodes)
    if (node.kind === 'file' && !taken.has(node))
      bySize.set(sizeIn(node.stats), [...(bySize.get(sizeIn(node.stats)) ?? []), node]);
  for (const entry of left()) {
    if (entry.kind !== 'file' || entry.hash === undefined) continue;
    for (const node of bySize.get(entry.size ?? -1) ?? [])
      if (!taken.has(node) && (await hashOfGone(tree.root, node)) === entry.hash) {
        take(entry, node);
        break;
      }
  }
  return found;
}

async function hasContent(root: string, node: LocalNode, entry: Entry): Promise<boolean> {
  if (sizeIn(node.stats) !== entry.size) return false;
  return (await hashOfGone(root, node)) === entry.hash;
}

/** It may go away while we look. */
async function hashOfGone(root: string, node: LocalNode): Promise<string | undefined> {
  return await hashOfNode(root, node).catch(() => undefined);
}

function pathsOf(entries: ReadonlyMap<string, Entry>, rootId: string): Map<string, string> {
  const paths = new Map<string, string>();
  const pathOf = (entry: Entry, depth: number): string | undefined => {
    const known = paths.get(entry.id);
    if (known !== undefined || entry.parent === rootId) return known ?? entry.local;
    const parent = depth > 1_000 ? undefined : entries.get(entry.parent);
    const above = parent === undefined ? undefined : pathOf(parent, depth + 1);
    return above === undefined ? undefined : `${above}/${entry.local}`;
  };
  for (const entry of entries.values()) {
    const path = pathOf(entry, 0);
    if (path !== undefined) paths.set(entry.id, path);
  }
  return paths;
}

/** Folders above before what is in them. */
function inOrder(list: readonly Entry[], entries: ReadonlyMap<string, Entry>): Entry[] {
  const depthOf = (entry: Entry | undefined, depth = 0): number =>
    entry === undefined || depth > 1_000 ? depth : depthOf(entries.get(entry.parent), depth + 1);
  return list
    .map((entry) => ({ entry, depth: depthOf(entry) }))
    .toSorted((one, other) => one.depth - other.depth)
    .map(({ entry }) => entry);
}

/** '0' where the file system has no inodes. */
export function inodeOf({ stats }: Pick<LocalNode, 'stats'>): string {
  return stats.ino === 0n ? '0' : `${stats.dev}:${stats.ino}`;
}
