import { perform, type Caller } from '../../client/perform.ts';
import type { FileItem, Folder, ListedContainer } from '../../contract/filevault/fields.ts';
import { filevault } from '../../contract/filevault.ts';
import { Problem } from '../../base/problem.ts';
import { ambiguous } from '../kit/pick.ts';
import { contentOf } from './listing.ts';
import { pathText, type RemotePath } from './paths.ts';

/** A folder or a file that a path names. */
export interface RemotePlace {
  /** from the root folder on */
  readonly folders: readonly Folder[];
  /** the lowest folder */
  readonly folder: Folder;
  readonly file: FileItem | null;
}

/** All containers that the caller sees something in. */
export async function allContainers(caller: Caller): Promise<ListedContainer[]> {
  const reply = await perform(caller, filevault.listContainers, {});
  return Array.isArray(reply) ? reply : reply.vaults;
}

const wholeId = /^[0-9a-f]{32}$/i;

/** A container by its name, in any case, or by its id. @throws Problem missing CONTAINER_NOT_FOUND, conflict AMBIGUOUS */
export async function containerNamed(caller: Caller, name: string): Promise<ListedContainer> {
  const all = await allContainers(caller);
  const typed = name.normalize('NFC');
  const byId = wholeId.test(name) ? all.filter(({ id }) => id === name.toLowerCase()) : [];
  const exact = all.filter((one) => one.name === typed);
  const alike = all.filter((one) => one.name.toLowerCase() === typed.toLowerCase());
  const found = [byId, exact, alike].find(({ length }) => length > 0) ?? [];
  const [one, ...others] = found;
  if (one !== undefined && others.length === 0) return one;
  if (one !== undefined)
    throw ambiguous(
      name,
      found.map(({ id, name: label, ownerId }) => ({ id, label: `${label}, of member ${ownerId}` })),
    );
  const list = all.length === 0 ? 'Create one with: conclave files create' : 'There are:';
  throw new Problem('missing', 'CONTAINER_NOT_FOUND', `There is no container ${JSON.stringify(name)}. ${list}`, {
    fields: all.slice(0, 10).map(({ id, name: message }) => ({ path: id, message })),
  });
}

/** What is at a path. @throws Problem missing FOLDER_NOT_FOUND, CONTAINER_NOT_FOUND */
export async function placeAt(caller: Caller, path: RemotePath): Promise<RemotePlace> {
  if (path.id !== undefined) return await placeBelow(caller, await placeWithId(caller, path.id), path);
  const container = path.container === undefined ? undefined : await containerNamed(caller, path.container);
  const of = container === undefined ? {} : { vaultContainerId: container.id };
  if (path.names.length === 0) {
    const { folder } = await perform(caller, filevault.showRoot, { ...of, limit: 1 });
    return { folders: [folder], folder, file: null };
  }
  const reply = await perform(caller, filevault.resolvePath, { path: path.names.join('/'), ...of }).catch(
    (error: unknown) => {
      if (!(error instanceof Problem) || error.code !== 'FOLDER_NOT_FOUND') throw error;
      throw nothingAt(pathText(path));
    },
  );
  const folder = reply.folders.at(-1);
  if (folder === undefined) throw new Problem('network', 'BAD_REPLY', 'The server answered with a path of no folders.');
  return { folders: reply.folders, folder, file: reply.file };
}

/** An id doesn't say whether it is a file's or a folder's. */
async function placeWithId(caller: Caller, id: string): Promise<RemotePlace> {
  const folder = await folderWithId(caller, id);
  if (folder !== undefined) return { folders: [folder], folder, file: null };
  const file = await perform(caller, filevault.showMetadata, { id }).catch((error: unknown) => {
    if (!(error instanceof Problem) || error.code !== 'FILE_NOT_FOUND') throw error;
    throw nothingAt(id);
  });
  const above = (await folderWithId(caller, file.folderId)) ?? hiddenFolder(file);
  return { folders: [above], folder: above, file };
}

async function folderWithId(caller: Caller, id: string): Promise<Folder | undefined> {
  try {
    return (await perform(caller, filevault.showFolder, { id, limit: 1 })).folder;
  } catch (error) {
    if (error instanceof Problem && error.code === 'FOLDER_NOT_FOUND') return undefined;
    throw error;
  }
}

/** A file that is shared can be in a folder that the caller doesn't see. */
function hiddenFolder({ folderId, vaultContainerId, ownerId, createdAt, updatedAt }: FileItem): Folder {
  const unseen = { name: '', parentFolderId: null, quorumGoverned: false, deletedAt: null };
  return { id: folderId, vaultContainerId, ownerId, createdAt, updatedAt, ...unseen };
}

/** The way down from a folder by names. */
async function placeBelow(caller: Caller, from: RemotePlace, path: RemotePath): Promise<RemotePlace> {
  let at = from;
  const isNamed = (name: string) => (one: { readonly name: string }) =>
    one.name.toLowerCase() === name.normalize('NFC').toLowerCase();
  for (const name of path.names) {
    if (at.file !== null) throw nothingAt(pathText(path));
    const { files, subfolders } = await contentOf(caller, at.folder.id);
    const folder = subfolders.find(isNamed(name));
    const file = folder === undefined ? files.find(isNamed(name)) : undefined;
    if (folder === undefined && file === undefined) throw nothingAt(pathText(path));
    at =
      folder === undefined ? { ...at, file: file ?? null } : { folders: [...at.folders, folder], folder, file: null };
  }
  return at;
}

function nothingAt(path: string): Problem {
  return new Problem('missing', 'FOLDER_NOT_FOUND', `There is nothing at ${JSON.stringify(path)}.`);
}

/** The same; undefined if nothing is there. */
export async function placeIfThere(caller: Caller, path: RemotePath): Promise<RemotePlace | undefined> {
  try {
    return await placeAt(caller, path);
  } catch (error) {
    if (error instanceof Problem && error.code === 'FOLDER_NOT_FOUND') return undefined;
    throw error;
  }
}

/** @throws Problem invalid USAGE if the path is that of a folder */
export async function fileAt(caller: Caller, path: RemotePath): Promise<FileItem> {
  const { file } = await placeAt(caller, path);
  if (file !== null) return file;
  throw new Problem('invalid', 'USAGE', `${JSON.stringify(pathText(path))} is a folder. Name a file.`);
}

/** @throws Problem invalid USAGE if the path is that of a file */
export async function folderAt(caller: Caller, path: RemotePath): Promise<Folder> {
  const { folder, file } = await placeAt(caller, path);
  if (file === null) return folder;
  throw new Problem('invalid', 'USAGE', `${JSON.stringify(pathText(path))} is a file. Name a folder.`);
}
