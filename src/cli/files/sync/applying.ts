import { Problem } from '../../../base/problem.ts';
import { isFinal } from '../transfer/patience.ts';
import { isOfDisk } from '../transfer/outcome.ts';
import { eachOf } from '../transfer/slots.ts';
import { receive, record, upload, wantedName } from './contents.ts';
import type { Decision } from './deciding.ts';
import { inTheWay, makeHere, moveHere, nodeAt, removeHere, setAside } from './local-steps.ts';
import type { Item } from './matching.ts';
import { makeThere, moveThere, remoteAt, removeThere } from './remote-steps.ts';
import type { Action, Pass } from './run.ts';
import { localPath, movingId, type LocalNode, type RemoteNode } from './trees.ts';

type Keep = Extract<Decision, { do: 'keep' }>;
type Trying = (item: Item, work: () => Promise<void>) => Promise<void>;

/** Does what was decided, as far as nothing is in the way: folders, places, contents, and at last what goes away. */
export async function apply(pass: Pass): Promise<void> {
  const { decisions } = pass;
  const trying: Trying = async (item, work) => {
    pass.patience.signal?.throwIfAborted();
    try {
      await work();
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOTEMPTY') return;
      fail(pass, item, error);
    }
  };
  const failed = new Set(pass.failures.list.map(({ path }) => path));
  const all = [...decisions].filter(([item]) => failed.size === 0 || !failed.has(labelOf(pass, item)));
  for (const [item, decision] of all)
    if (item.kind === 'folder') await trying(item, () => makeFolder(pass, item, decision));
  await placeAll(pass, all, trying);
  const before = pass.actions.length;
  await eachOf(all, async ([item, decision]) => await trying(item, () => content(pass, item, decision)));
  // Contents are on their way at once, and the smallest is there first.
  pass.actions.push(...pass.actions.splice(before).sort(byPath));
  for (const [item, decision] of all.toReversed())
    if (decision.do === 'delete-local') await trying(item, () => removeLocal(pass, item));
  for (const [item, decision] of all)
    if (decision.do === 'delete-remote') await trying(item, () => removeRemote(pass, item));
  for (const [item, decision] of all)
    if (decision.do === 'forget' && item.entry !== undefined) await pass.state.drop(item.entry.id);
}

function byPath({ path: one }: Action, { path: other }: Action): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** Notes what went wrong with one thing, so that the others go on. @throws the error if they would fail likewise, or nobody wants them */
export function fail(pass: Pass, item: Item, error: unknown): void {
  if (pass.patience.signal?.aborted === true || (isFinal(error) && !isOfDisk(error))) throw error;
  pass.failures.add(labelOf(pass, item), error);
}

/** What people see it as. */
export function labelOf({ items }: Pick<Pass, 'items'>, { local, remote, entry }: Item): string {
  if (local !== undefined) return localPath(local);
  const above = remote === undefined ? undefined : items.ofRemote.get(remote.parent);
  const name = remote?.name ?? entry?.local ?? '';
  return above === undefined ? name : `${labelOf({ items }, above)}/${name}`;
}

async function makeFolder(pass: Pass, item: Item, { do: what }: Decision): Promise<void> {
  const { local, remote } = item;
  if (what === 'create-remote' && local !== undefined) {
    const parent = local.parent === undefined ? pass.remote.id : pass.items.ofLocal.get(local.parent)?.remote?.id;
    if (parent === undefined) return;
    const name = movingId(local.name) === undefined ? local.name : (item.entry?.local ?? local.name);
    const by = remoteAt(pass, parent, name);
    if (by !== undefined) {
      pass.blocked.push({ item, side: 'remote', by });
      return;
    }
    if (item.entry !== undefined) await pass.state.drop(item.entry.id);
    item.remote = await makeThere(pass, parent, name);
    pass.items.ofRemote.set(item.remote.id, item);
    pass.actions.push({ action: 'make-remote', path: localPath(local) });
    await record(pass, item, { local, remote: item.remote });
  }
  if (what === 'create-local' && remote !== undefined) {
    const above = pass.items.ofRemote.get(remote.parent);
    if (remote.parent !== pass.remote.id && above?.local === undefined) return;
    const name = wantedName(item, remote);
    if (await inTheWay(pass, above?.local, name, undefined)) {
      pass.blocked.push({ item, side: 'local', by: nodeAt(pass, above?.local, name) });
      return;
    }
    item.local = await makeHere(pass, above?.local, name);
    pass.items.ofLocal.set(item.local, item);
    pass.actions.push({ action: 'make-local', path: localPath(item.local) });
    await record(pass, item, { local: item.local, remote });
  }
}

/** Tries again what something was in the way of that has left: a row of names of which each waits for the next takes one look. */
async function placeAll(pass: Pass, all: readonly (readonly [Item, Decision])[], trying: Trying): Promise<void> {
  const others = pass.blocked.length;
  let waiting = all;
  for (let before = -1; waiting.length > 0 && pass.done > before;) {
    before = pass.done;
    pass.blocked.splice(others);
    for (const [item, decision] of waiting)
      if (decision.do === 'keep') await trying(item, () => place(pass, item, decision));
    const blocked = new Set(pass.blocked.slice(others).map(({ item }) => item));
    waiting = waiting.filter(([item]) => blocked.has(item)).toReversed();
  }
}

/** Both sides get the place that was decided on. */
async function place(pass: Pass, item: Item, { parent, remoteName, localName, content: decided }: Keep): Promise<void> {
  const { local, remote, entry } = item;
  if (local === undefined || remote === undefined) return;
  const parentId = parent === undefined ? pass.remote.id : parent.remote?.id;
  const parentNode = parent?.local;
  // The folder is not there yet.
  if (parentId === undefined || (parent !== undefined && parentNode === undefined)) return;
  // A folder that is to go into one inside of it waits until that one has left.
  if (isBelowHere(parentNode, local) || isBelowThere(pass, parentId, remote)) return;
  const before = localPath(local);
  if (remote.parent !== parentId || remote.name !== remoteName) {
    const by = remoteAt(pass, parentId, remoteName, remote);
    if (by !== undefined) {
      pass.blocked.push({ item, side: 'remote', by });
      return;
    }
    await moveThere(pass, remote, parentId, remoteName);
    pass.actions.push({ action: 'move-remote', path: entry?.local ?? before, to: before });
  }
  if (local.parent !== parentNode || local.name !== localName) {
    if (await inTheWay(pass, parentNode, localName, local)) {
      pass.blocked.push({ item, side: 'local', by: nodeAt(pass, parentNode, localName) });
      return;
    }
    await moveHere(pass, local, parentNode, localName);
    pass.actions.push({ action: 'move-local', path: before, to: localPath(local) });
  }
  if (entry === undefined) return;
  const isNews = entry.parent !== remote.parent || entry.name !== remote.name || entry.local !== local.name;
  // What both sides have of its content is still what was written down.
  if (isNews) {
    const moved = { ...entry, parent: remote.parent, name: remote.name, local: local.name };
    const sealed = decided === 'none' ? { ctime: String(local.stats.ctimeNs) } : {};
    item.entry = { ...moved, ...sealed };
    await pass.state.put(item.entry);
  }
}

function isBelowHere(node: LocalNode | undefined, above: LocalNode): boolean {
  for (let at = node; at !== undefined; at = at.parent) if (at === above) return true;
  return false;
}

function isBelowThere({ items }: Pass, id: string, { id: above }: RemoteNode): boolean {
  for (let at: string | undefined = id; at !== undefined; at = items.ofRemote.get(at)?.remote?.parent)
    if (at === above) return true;
  return false;
}

async function content(pass: Pass, item: Item, decision: Decision): Promise<void> {
  const { local, remote } = item;
  if (item.kind === 'folder') {
    if (decision.do === 'keep' && decision.content === 'adopt' && local !== undefined && remote !== undefined)
      await record(pass, item, { local, remote });
    return;
  }
  if (decision.do === 'create-remote' && local !== undefined) return await upload(pass, item, local);
  if (decision.do === 'create-local' && remote !== undefined) return await receive(pass, item, remote, undefined);
  if (decision.do !== 'keep' || local === undefined || remote === undefined) return;
  if (decision.content === 'upload') await upload(pass, item, local);
  if (decision.content === 'download') await receive(pass, item, remote, local);
  if (decision.content === 'conflict') await setAside(pass, local);
  if (decision.content === 'adopt' || decision.content === 'touch') await record(pass, item, { local, remote });
}

async function removeLocal(pass: Pass, item: Item): Promise<void> {
  const { local, entry } = item;
  if (local === undefined) return;
  const path = localPath(local);
  await removeHere(pass, local);
  pass.actions.push({ action: 'remove-local', path });
  if (entry !== undefined) await pass.state.drop(entry.id);
}

/** A folder goes with all that is in it, so that it comes back with it. */
async function removeRemote(pass: Pass, item: Item): Promise<void> {
  const { remote } = item;
  if (remote === undefined || !pass.remote.nodes.includes(remote)) return;
  const above = pass.items.ofRemote.get(remote.parent);
  if (above !== undefined && pass.decisions.get(above)?.do === 'delete-remote') return;
  const path = labelOf(pass, item);
  await removeThere(pass, remote);
  pass.actions.push({ action: 'trash-remote', path });
  const forget = async (node: RemoteNode): Promise<void> => {
    for (const child of node.children) await forget(child);
    if (pass.state.entries.has(node.id)) await pass.state.drop(node.id);
  };
  await forget(remote);
}

/** Whether a node is to be somewhere else, so that its place gets free. */
export function isLeaving(pass: Pass, node: LocalNode | RemoteNode): boolean {
  const isLocal = 'stats' in node;
  const item = isLocal ? pass.items.ofLocal.get(node) : pass.items.ofRemote.get(node.id);
  const decision = item === undefined ? undefined : pass.decisions.get(item);
  if (decision?.do !== 'keep') return false;
  if (isLocal) return node.name !== decision.localName || node.parent !== decision.parent?.local;
  const parent = decision.parent === undefined ? pass.remote.id : decision.parent.remote?.id;
  return node.name !== decision.remoteName || node.parent !== parent;
}

export function notPossible(what: string): Problem {
  return new Problem('conflict', 'NAME_TAKEN', what);
}
