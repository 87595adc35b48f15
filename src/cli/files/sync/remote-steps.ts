import { perform } from '../../../client/perform.ts';
import { filevault } from '../../../contract/filevault.ts';
import { Problem } from '../../../base/problem.ts';
import { persistently } from '../transfer/patience.ts';
import { nameKey } from '../transfer/remote-folders.ts';
import { conflictName } from './local-steps.ts';
import type { Pass } from './run.ts';
import { localPath, transitName, type LocalNode, type RemoteNode } from './trees.ts';

function placeKey(parent: string, name: string): string {
  return `${parent}/${nameKey(name)}`;
}

export function remoteNames(nodes: readonly RemoteNode[]): Map<string, RemoteNode[]> {
  const names = new Map<string, RemoteNode[]>();
  for (const node of nodes) enter(names, node);
  return names;
}

function enter(names: Map<string, RemoteNode[]>, node: RemoteNode): void {
  const key = placeKey(node.parent, node.name);
  const there = names.get(key);
  if (there === undefined) names.set(key, [node]);
  else there.push(node);
}

function leave({ names }: Pass, node: RemoteNode): void {
  const key = placeKey(node.parent, node.name);
  names.set(
    key,
    (names.get(key) ?? []).filter((one) => one !== node),
  );
}

/** Something that is new at the server. */
export function addRemote(pass: Pass, node: RemoteNode): void {
  pass.remote.nodes.push(node);
  enter(pass.names, node);
}

/** What has a name in a folder of the server. */
export function remoteAt(pass: Pass, parent: string, name: string, own?: RemoteNode): RemoteNode | undefined {
  return pass.names.get(placeKey(parent, name))?.find((node) => node !== own);
}

/** Two requests, if the folder and the name change: in between nothing else may be in the way. */
export async function moveThere(pass: Pass, node: RemoteNode, parent: string, name: string): Promise<void> {
  const isFree = (folder: string, wanted: string): boolean => remoteAt(pass, folder, wanted, node) === undefined;
  if (node.parent === parent) return await renameThere(pass, node, name);
  if (node.name !== name && !isFree(parent, node.name))
    await renameThere(pass, node, isFree(node.parent, name) ? name : transitName(node.id));
  pass.step();
  const input = { id: node.id, itemType: node.kind, newParentId: parent };
  await persistently(() => perform(pass.caller, filevault.moveItem, input, pass.patience.signal), pass.patience);
  leave(pass, node);
  node.parent = parent;
  enter(pass.names, node);
  pass.done += 1;
  if (node.name !== name) await renameThere(pass, node, name);
}

export async function renameThere(pass: Pass, node: RemoteNode, name: string): Promise<void> {
  const { id, kind } = node;
  const { caller, patience } = pass;
  pass.step();
  await persistently(async () => {
    if (kind === 'folder') await perform(caller, filevault.renameFolder, { id, name }, patience.signal);
    else await perform(caller, filevault.changeFile, { id, fileName: name }, patience.signal);
  }, patience);
  leave(pass, node);
  node.name = name;
  enter(pass.names, node);
  pass.done += 1;
}

/**
 * Gives something at the server a name that says why there are two, and that is free where it is and where it is to go.
 *
 * @param parent the folder of the server to which it is to go: the one in which it is here
 */
export async function setAsideThere(pass: Pass, node: RemoteNode, parent: string, local: LocalNode): Promise<void> {
  for (let number = 1; ; number += 1) {
    const name = conflictName(node.name, pass.host, pass.now(), number);
    if ([node.parent, parent].some((folder) => remoteAt(pass, folder, name, node) !== undefined)) continue;
    await renameThere(pass, node, name);
    const to = local.parent === undefined ? name : `${localPath(local.parent)}/${name}`;
    pass.actions.push({ action: 'conflict', path: localPath(local), to });
    return;
  }
}

export async function makeThere(pass: Pass, parent: string, name: string): Promise<RemoteNode> {
  pass.step();
  const input = { name, parentFolderId: parent, vaultContainerId: pass.containerId };
  const { id, name: given } = await persistently(
    () => perform(pass.caller, filevault.createFolder, input, pass.patience.signal),
    pass.patience,
  );
  const node: RemoteNode = { id, parent, name: given, kind: 'folder', file: undefined, children: [], hidden: false };
  addRemote(pass, node);
  pass.done += 1;
  return node;
}

/** @throws Problem conflict NOTHING_CHANGED if somebody has stored another version since; the next run looks again */
export async function assertVersion(pass: Pass, { id, file, name }: RemoteNode): Promise<void> {
  if (file === undefined) return;
  const now = await persistently(
    () => perform(pass.caller, filevault.showMetadata, { id }, pass.patience.signal),
    pass.patience,
  );
  if (now.currentVersionId === file.currentVersionId) return;
  const words = `${name} changed at the server while it was synchronised. Run the command again.`;
  throw new Problem('conflict', 'NOTHING_CHANGED', words);
}

/** To the trash. What is gone already is fine. */
export async function removeThere(pass: Pass, node: RemoteNode): Promise<void> {
  const { caller, patience } = pass;
  const { id, kind } = node;
  await assertVersion(pass, node).catch(ignoreGone);
  pass.step();
  await persistently(async () => {
    if (kind === 'folder') await perform(caller, filevault.removeFolder, { id }, patience.signal);
    else await perform(caller, filevault.removeFile, { id }, patience.signal);
  }, patience).catch(ignoreGone);
  leave(pass, node);
  pass.remote.nodes.splice(pass.remote.nodes.indexOf(node), 1);
  pass.done += 1;
}

function ignoreGone(error: unknown): void {
  if (!(error instanceof Problem) || !['FILE_NOT_FOUND', 'FOLDER_NOT_FOUND'].includes(error.code)) throw error;
}
