import { lstat, readdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { perform, type Caller } from '../../../client/perform.ts';
import type { Folder } from '../../../contract/filevault/fields.ts';
import { filevault } from '../../../contract/filevault.ts';
import { Problem } from '../../../problem.ts';
import { unreadable } from '../../kit/file-reasons.ts';
import { contentOf } from '../listing.ts';
import { parentOf, pathText, type RemotePath } from '../paths.ts';
import { folderAt, placeIfThere } from '../places.ts';
import type { Outgoing } from './sending.ts';

export interface Plan {
  readonly files: Outgoing[];
  /** what is neither a file nor a folder, or has no bytes */
  readonly skipped: string[];
}

/**
 * Finds out what goes where. One file may get another name; several, and folders, go into a folder that is there.
 *
 * @param local files and folders of this machine
 * @throws Problem invalid INPUT_UNREADABLE, USAGE; missing FOLDER_NOT_FOUND
 */
export async function planSending(caller: Caller, local: readonly string[], to: RemotePath): Promise<Plan> {
  const plan: Plan = { files: [], skipped: [] };
  const there = await placeIfThere(caller, to);
  if (there?.file == null && there !== undefined) {
    const content = await namesIn(caller, there.folder);
    for (const path of local) await addTo(caller, plan, path, basename(resolve(path)), there.folder, content);
    return plan;
  }
  const [only, ...others] = local;
  if (only === undefined || others.length > 0 || (await kindOf(only)) === 'folder')
    throw new Problem(
      'invalid',
      'USAGE',
      `${JSON.stringify(pathText(to))} is no folder. Create it with: conclave files mkdir`,
    );
  const { folder, name } = parentOf(to);
  const parent = there?.folder ?? (await folderAt(caller, folder));
  await addTo(caller, plan, only, name, parent, await namesIn(caller, parent));
  return plan;
}

interface Names {
  /** ids of files by name */
  readonly files: ReadonlyMap<string, string>;
  readonly folders: ReadonlyMap<string, Folder>;
}

const keyOf = (name: string): string => name.normalize('NFC').toUpperCase().toLowerCase();

async function namesIn(caller: Caller, { id }: Folder): Promise<Names> {
  const { files, subfolders } = await contentOf(caller, id);
  return {
    files: new Map(files.map((file) => [keyOf(file.name), file.id])),
    folders: new Map(subfolders.map((folder) => [keyOf(folder.name), folder])),
  };
}

async function addTo(
  caller: Caller,
  plan: Plan,
  path: string,
  name: string,
  folder: Folder,
  there: Names,
): Promise<void> {
  const kind = await kindOf(path);
  if (kind === 'folder') {
    const known = there.folders.get(keyOf(name));
    const inside =
      known ??
      (await perform(caller, filevault.createFolder, {
        name,
        parentFolderId: folder.id,
        vaultContainerId: folder.vaultContainerId,
      }));
    const content = known === undefined ? { files: new Map(), folders: new Map() } : await namesIn(caller, inside);
    for (const entry of (await readdir(path)).toSorted())
      await addTo(caller, plan, join(path, entry), entry, inside, content);
    return;
  }
  const { size, mtimeMs } = await stat(path).catch((cause: unknown) => {
    throw new Problem('invalid', 'INPUT_UNREADABLE', unreadable(path, cause), { cause });
  });
  if (kind === 'other' || size === 0) {
    plan.skipped.push(path);
    return;
  }
  const replaces = there.files.get(keyOf(name));
  plan.files.push({ path, size, modifiedAt: Math.floor(mtimeMs), name, folder, replaces });
}

/** A symbolic link counts as what it leads to only if a person names it: one in a folder could lead anywhere. */
async function kindOf(path: string): Promise<'file' | 'folder' | 'other'> {
  try {
    const found = await lstat(path);
    if (found.isDirectory()) return 'folder';
    return found.isFile() ? 'file' : 'other';
  } catch (cause) {
    throw new Problem('invalid', 'INPUT_UNREADABLE', unreadable(path, cause), { cause });
  }
}
