import type { BigIntStats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { sizeIn } from '../transfer/file-stats.ts';
import { sendFile } from '../transfer/sending.ts';
import { localContent } from '../transfer/local-content.ts';
import { localName } from '../transfer/local-names.ts';
import { receiveFile } from '../transfer/receiving.ts';
import { hashOfFile } from '../transfer/verifying.ts';
import { inodeOf, type Item } from './matching.ts';
import { assertAsFound, claim, claimHere, diskPath, inTheWay, nameOf, nodeAt, pathIn } from './local-steps.ts';
import { addRemote, assertVersion, remoteAt } from './remote-steps.ts';
import type { Pass } from './run.ts';
import type { Entry } from './state.ts';
import { hashOfNode, localPath, movingId, partName, type LocalNode, type RemoteNode } from './trees.ts';

/** Writes down that both sides have the same. @param hash of the file, where it has not been computed from the node */
export async function record(
  pass: Pass,
  item: Item,
  { local, remote, hash, version }: { local: LocalNode; remote: RemoteNode; hash?: string; version?: string },
): Promise<void> {
  const known = item.entry?.id === remote.id && pass.decisions.get(item)?.do === 'keep' ? item.entry : undefined;
  // A move that something is in the way of is still to be done, so it must not look as if both sides had it.
  const place = { parent: remote.parent, name: nameThere(item, remote), local: nameOf(item, local) };
  const { parent, name, local: own } = known ?? place;
  const base = { id: remote.id, kind: item.kind, parent, name, local: own };
  const content = {
    version: version ?? remote.file?.currentVersionId,
    size: sizeIn(local.stats),
    mtime: String(local.stats.mtimeNs),
    ctime: String(local.stats.ctimeNs),
  };
  const entry: Entry = {
    ...base,
    ino: inodeOf(local),
    ...(item.kind === 'file' && { ...content, hash: hash ?? (await hashOfNode(pass.local.root, local)) }),
    at: pass.now(),
  };
  await pass.state.put(entry);
  item.entry = entry;
}

/** Sends a file here that is new, or that has changed. */
export async function upload(pass: Pass, item: Item, local: LocalNode): Promise<void> {
  const above = local.parent === undefined ? undefined : pass.items.ofLocal.get(local.parent);
  const replaces = item.remote;
  const parent = replaces?.parent ?? (local.parent === undefined ? pass.remote.id : above?.remote?.id);
  if (parent === undefined) return;
  const name = replaces?.name ?? nameOf(item, local);
  if (replaces === undefined) {
    const by = remoteAt(pass, parent, name);
    if (by !== undefined) {
      pass.blocked.push({ item, side: 'remote', by });
      return;
    }
    if (!claim(pass, parent, name)) return;
  } else await assertVersion(pass, replaces);
  const path = diskPath(pass, local);
  await assertAsFound(pass, local);
  const hash = await hashOfNode(pass.local.root, local);
  // Two entries for one file would let the older one decide what becomes of it.
  if (item.entry !== undefined && replaces === undefined) {
    await pass.state.drop(item.entry.id);
  }
  pass.step();
  const outgoing = {
    ...localContent(path, local.stats),
    name,
    folder: { id: parent, vaultContainerId: pass.containerId },
    replaces: replaces?.id,
  };
  const sending = {
    ...pass.patience,
    caller: pass.caller,
    ciphers: pass.ciphers,
    slots: pass.slots,
    moved: pass.moved,
  };
  const stored = await sendFile({ ...sending, open: pass.uploads }, outgoing);
  pass.done += 1;
  pass.actions.push({ action: 'upload', path: localPath(local) });
  const remote: RemoteNode = replaces ?? {
    id: stored.id,
    parent,
    name: stored.name,
    kind: 'file',
    file: stored,
    children: [],
    hidden: false,
  };
  if (replaces === undefined) addRemote(pass, remote);
  await record(pass, item, { local, remote, hash, version: stored.currentVersionId });
}

/** Receives a file that is new, or over one that is as it was when it was last the same. */
export async function receive(pass: Pass, item: Item, remote: RemoteNode, local: LocalNode | undefined): Promise<void> {
  const { file } = remote;
  if (file === undefined) return;
  const above = pass.items.ofRemote.get(remote.parent);
  if (local === undefined && remote.parent !== pass.remote.id && above?.local === undefined) return;
  const parent = local === undefined ? above?.local : local.parent;
  const name = local?.name ?? wantedName(item, remote);
  const path = pathIn(pass, parent, name);
  if (local === undefined && (await inTheWay(pass, parent, name, undefined))) {
    pass.blocked.push({ item, side: 'local', by: nodeAt(pass, parent, name) });
    return;
  }
  if (local === undefined && !claimHere(pass, parent, name)) return;
  const source = await pass.open(file);
  let hash = '';
  let part: BigIntStats | undefined;
  pass.step();
  await receiveFile(
    { ...pass.patience, slots: pass.slots, moved: pass.moved },
    {
      source,
      path,
      modifiedAt: Date.parse(file.modifiedAt),
      partName: partName(remote.id),
      async mayReplace(partPath) {
        // After it has its name, another program may change it.
        hash = await hashOfFile(partPath);
        part = await lstat(partPath, { bigint: true });
        pass.step();
        if (local === undefined) return false;
        await assertAsFound(pass, local);
        return true;
      },
    },
  );
  pass.done += 1;
  const stats = await lstat(path, { bigint: true });
  const node: LocalNode = { parent, name, kind: 'file', stats, children: [], hidden: false };
  pass.actions.push({ action: 'download', path: localPath(node) });
  // Somebody was faster: the next run finds another file.
  if (part?.ino !== stats.ino || part.size !== stats.size || part.mtimeNs !== stats.mtimeNs) return;
  if (local === undefined) {
    pass.local.nodes.push(node);
    parent?.children.push(node);
    pass.items.ofLocal.set(node, item);
  } else local.stats = stats;
  item.local = local ?? node;
  await record(pass, item, { local: item.local, remote, hash });
}

/** The name here of what comes from the server: the one that it had, unless it was renamed. */
export function wantedName(item: Item, remote: RemoteNode): string {
  const { entry } = item;
  const own = nameThere(item, remote);
  return entry?.name === own ? entry.local : localName(own, remote.id);
}

/** What is on its way has the name that it had. */
function nameThere({ entry }: Item, { name }: RemoteNode): string {
  return movingId(name) === undefined ? name : (entry?.name ?? name);
}
