import { millisecondsIn, sizeIn } from '../transfer/file-stats.ts';
import { localName } from '../transfer/local-names.ts';
import { inodeOf, type Item, type Items } from './matching.ts';
import type { Entry } from './state.ts';
import { hashOfNode, movingId, type LocalNode, type LocalTree, type RemoteNode } from './trees.ts';

export interface Direction {
  /** `push`: the server becomes as this machine is; `pull`: the other way round */
  readonly mode: 'both' | 'push' | 'pull';
  /** whether what one side doesn't have goes away on the other one; always so for `both` */
  readonly deletes: boolean;
}

/** What has to be done with an item. */
export type Decision =
  | { readonly do: 'nothing' | 'forget' | 'delete-local' | 'delete-remote' | 'create-local' | 'create-remote' }
  | ({ readonly do: 'keep'; readonly content: ContentDecision } & Position);

export type ContentDecision = 'none' | 'touch' | 'adopt' | 'upload' | 'download' | 'conflict';

/** Where it has to be. A folder here that the server doesn't have yet has no id. */
export interface Position {
  /** the item of the folder; undefined: the root */
  readonly parent: Item | undefined;
  readonly remoteName: string;
  readonly localName: string;
}

/** Milliseconds. A file that was changed so shortly before it was written down can change again and keep its time. */
const RACY_MS = 2_000;

export interface Deciding {
  readonly items: Items;
  readonly tree: LocalTree;
  readonly rootId: string;
  readonly direction: Direction;
  /** whether both have the same content, as far as that takes looking at the server's */
  readonly isSame: (local: LocalNode, remote: RemoteNode) => Promise<boolean>;
}

/** Whether a file differs from what was written down: by its size and its times, and if they are in doubt by its hash. */
async function contentChanged(root: string, node: LocalNode, entry: Entry): Promise<boolean> {
  if (entry.kind === 'folder') return false;
  if (sizeIn(node.stats) !== entry.size) return true;
  if (!isTouched(node, entry)) return false;
  return (await hashOfNode(root, node)) !== entry.hash;
}

function isTouched({ stats }: LocalNode, { mtime, ctime, at }: Entry): boolean {
  if (String(stats.mtimeNs) !== mtime || String(stats.ctimeNs) !== ctime) return true;
  return millisecondsIn(stats) > at - RACY_MS;
}

export async function decider(deciding: Deciding): Promise<(item: Item) => Promise<Decision>> {
  const { items, tree, rootId, direction, isSame } = deciding;
  const { mode, deletes } = direction;
  const changed = new Map<Item, boolean>();
  const isChanged = async (item: Item): Promise<boolean> => {
    const { entry, local } = item;
    if (entry === undefined || local === undefined) return true;
    const known = changed.get(item) ?? (await contentChanged(tree.root, local, entry));
    changed.set(item, known);
    return known;
  };
  const isChangedRemotely = ({ entry, remote }: Item): boolean =>
    remote?.file !== undefined && remote.file.currentVersionId !== entry?.version;
  const parentHere = (local: LocalNode): Item | undefined =>
    local.parent === undefined ? undefined : items.ofLocal.get(local.parent);
  const movedHere = ({ entry, local }: Item) => {
    if (entry === undefined || local === undefined || movingId(local.name) !== undefined)
      return { parent: false, name: false };
    const above = parentHere(local);
    const parent = local.parent === undefined ? rootId : (above?.entry?.id ?? above?.remote?.id);
    return { parent: parent !== entry.parent, name: local.name.normalize('NFC') !== entry.local.normalize('NFC') };
  };
  const movedThere = ({ entry, remote }: Item) => {
    if (entry === undefined || remote === undefined || movingId(remote.name) !== undefined)
      return { parent: false, name: false };
    return { parent: remote.parent !== entry.parent, name: remote.name !== entry.name };
  };

  /** Whether all of it was on both sides, is gone there, and did not change here. What else is in a folder keeps it. */
  const goesHere = async (node: LocalNode): Promise<boolean> => {
    const item = items.ofLocal.get(node);
    if (item?.entry === undefined || item.remote !== undefined || mode === 'push' || !deletes || item.frozen)
      return false;
    if (node.kind === 'file') {
      const moved = movedHere(item);
      return !(await isChanged(item)) && (mode === 'pull' || (!moved.parent && !moved.name));
    }
    if (node.hidden) return false;
    for (const child of node.children) if (!(await goesHere(child))) return false;
    return true;
  };
  const goesThere = async (node: RemoteNode): Promise<boolean> => {
    const item = items.ofRemote.get(node.id);
    if (item === undefined || item.local !== undefined || item.frozen || mode === 'pull' || !deletes) return false;
    if (mode === 'both') {
      const moved = movedThere(item);
      if (item.entry === undefined) return false;
      if (node.kind === 'file' && (isChangedRemotely(item) || moved.parent || moved.name)) return false;
    }
    if (node.hidden) return false;
    for (const child of node.children) if (!(await goesThere(child))) return false;
    return true;
  };

  const contentOf = async (item: Item): Promise<ContentDecision> => {
    const { entry, local, remote } = item;
    if (item.kind === 'folder')
      return entry === undefined || inodeOf(local as LocalNode) !== entry.ino ? 'adopt' : 'none';
    if (local === undefined || remote === undefined) return 'none';
    const here = await isChanged(item);
    const there = isChangedRemotely(item);
    if (entry !== undefined && !here && !there) return isTouched(local, entry) ? 'touch' : 'none';
    const bothKnown = entry !== undefined && (!here || !there);
    if (!bothKnown || mode !== 'both') if (await sameAs(item, here, there)) return 'adopt';
    if (mode === 'push') return 'upload';
    if (mode === 'pull') return entry !== undefined && !here ? 'download' : 'conflict';
    if (!bothKnown) return 'conflict';
    return here ? 'upload' : 'download';
  };
  const sameAs = async ({ entry, local, remote }: Item, here: boolean, there: boolean): Promise<boolean> => {
    // One side is as it was, and the other one is not.
    if (local === undefined || remote === undefined || (entry !== undefined && here !== there)) return false;
    return await isSame(local, remote);
  };

  const positionOf = (item: Item): Position => {
    const { entry, local, remote } = item;
    if (local === undefined || remote === undefined) throw new Error('an item of one side has no position');
    const [here, there] = [movedHere(item), movedThere(item)];
    const isFresh = entry === undefined;
    const localParentWins = mode === 'push' || (mode === 'both' && here.parent && !there.parent);
    const parent = localParentWins ? parentHere(local) : items.ofRemote.get(remote.parent);
    const isMovingHere = movingId(local.name) !== undefined;
    const ownName = isFresh || isMovingHere ? (entry?.local ?? local.name) : local.name;
    const keptName = isFresh ? remote.name : entry.name;
    const localNameWins = mode === 'push' || (mode === 'both' && here.name && !there.name);
    if (isFresh) return { parent, remoteName: remote.name, localName: local.name };
    if (localNameWins) return { parent, remoteName: here.name ? ownName : keptName, localName: ownName };
    const wanted = movingId(remote.name) === undefined ? remote.name : entry.name;
    // Both gave it the same name, or one that stands for it here.
    const fits = there.name ? localName(wanted, remote.id) : entry.local;
    const isAgreed = local.name.normalize('NFC') === wanted.normalize('NFC');
    return { parent, remoteName: wanted, localName: isAgreed ? local.name : fits };
  };

  const cyclic = hasCycle(items, positionOf);
  return async (item) => {
    const { entry, local, remote, frozen } = item;
    if (frozen) return { do: 'nothing' };
    if (local === undefined && remote === undefined) return { do: 'forget' };
    if (local === undefined) {
      if (remote !== undefined && (await goesThere(remote))) return { do: 'delete-remote' };
      return { do: mode === 'push' ? 'nothing' : 'create-local' };
    }
    if (remote === undefined) {
      if (await goesHere(local)) return { do: 'delete-local' };
      // Without --delete, a mirror keeps what the other side doesn't have.
      return { do: mode === 'pull' ? 'nothing' : 'create-remote' };
    }
    const position = positionOf(item);
    const parent = cyclic && item.kind === 'folder' ? items.ofRemote.get(remote.parent) : position.parent;
    // What was left where it was, because nothing was known of it, is written down now.
    const content = await contentOf(item);
    return { do: 'keep', content: entry === undefined && content === 'none' ? 'adopt' : content, ...position, parent };
  };
}

/** Each side has moved a folder into the other one. Then the server's places of folders hold. */
function hasCycle(items: Items, positionOf: (item: Item) => Position): boolean {
  const done = new Set<Item>();
  const parentOf = (item: Item): Item | undefined => {
    if (item.local !== undefined && item.remote !== undefined) return positionOf(item).parent;
    if (item.local !== undefined) return item.local.parent && items.ofLocal.get(item.local.parent);
    return item.remote && items.ofRemote.get(item.remote.parent);
  };
  for (const item of items.all) {
    if (item.kind !== 'folder') continue;
    const way = new Set<Item>();
    for (let at: Item | undefined = item; at !== undefined && !done.has(at); at = parentOf(at)) {
      if (way.has(at)) return true;
      way.add(at);
    }
    for (const one of way) done.add(one);
  }
  return false;
}
