import { perform, type Caller } from '../../../client/perform.ts';
import type { FileItem, Folder } from '../../../contract/filevault/fields.ts';
import { filevault } from '../../../contract/filevault.ts';
import { Problem } from '../../../base/problem.ts';
import { contentOf } from '../listing.ts';
import { persistently, type Patience } from './patience.ts';

/** How the server compares names. */
export function nameKey(name: string): string {
  return name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}

/** What a folder of the server holds, by the keys of names. */
export interface Names {
  readonly files: Map<string, FileItem>;
  readonly folders: Map<string, Folder>;
}

type Target = Pick<Folder, 'id' | 'vaultContainerId'>;

/** Folders below a target, each listed once, and made when something goes into them. */
export interface RemoteFolders {
  /** undefined if it is not there, and may not be made */
  at(below: readonly string[]): Promise<{ readonly folder: Target; readonly names: Names } | undefined>;
}

/** @param makes whether folders that are not there are made */
export function remoteFolders(caller: Caller, target: Target, makes: boolean, patience: Patience): RemoteFolders {
  const known = new Map<string, Promise<{ folder: Target; names: Names } | undefined>>();
  const open = async (below: readonly string[]): Promise<{ folder: Target; names: Names } | undefined> => {
    const name = below.at(-1);
    if (name === undefined) return { folder: target, names: await namesIn(caller, target.id, patience) };
    const above = await at(below.slice(0, -1));
    if (above === undefined) return undefined;
    const there = above.names.folders.get(nameKey(name));
    if (there !== undefined) return { folder: there, names: await namesIn(caller, there.id, patience) };
    if (!makes) return undefined;
    const { id: parentFolderId, vaultContainerId } = above.folder;
    const input = { name, parentFolderId, vaultContainerId };
    const made = await persistently(
      () => perform(caller, filevault.createFolder, input, patience.signal),
      patience,
    ).catch(async (error: unknown) => {
      // The answer to an earlier attempt may have been lost.
      if (!(error instanceof Problem) || error.code !== 'NAME_TAKEN') throw error;
      const found = (await namesIn(caller, parentFolderId, patience)).folders.get(nameKey(name));
      if (found === undefined) throw error;
      return found;
    });
    above.names.folders.set(nameKey(name), made);
    return { folder: made, names: { files: new Map(), folders: new Map() } };
  };
  const at: RemoteFolders['at'] = async (below) => {
    const key = below.map(nameKey).join('/');
    const found = known.get(key) ?? open(below);
    known.set(key, found);
    return await found;
  };
  return { at };
}

async function namesIn(caller: Caller, id: string, patience: Patience): Promise<Names> {
  const { files, subfolders } = await persistently(() => contentOf(caller, id), patience);
  return {
    files: new Map(files.map((file) => [nameKey(file.name), file])),
    folders: new Map(subfolders.map((folder) => [nameKey(folder.name), folder])),
  };
}
