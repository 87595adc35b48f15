import { perform, type Caller } from '../../client/perform.ts';
import type { Folder } from '../../contract/filevault/fields.ts';
import { filevault } from '../../contract/filevault.ts';
import { folderAt, placeIfThere } from './places.ts';
import { parentOf, type RemotePath } from './paths.ts';

/**
 * Creates a folder.
 * @param parents creates the folders above, too, and takes one that is there
 * @throws Problem conflict NAME_TAKEN, missing FOLDER_NOT_FOUND
 */
export async function makeFolder(caller: Caller, path: RemotePath, parents: boolean): Promise<Folder> {
  if (parents) {
    const there = await placeIfThere(caller, path);
    if (there?.file === null) return there.folder;
  }
  const { folder: above, name } = parentOf(path);
  const parent = parents ? await makeFolder(caller, above, true) : await folderAt(caller, above);
  return await perform(caller, filevault.createFolder, {
    name,
    parentFolderId: parent.id,
    vaultContainerId: parent.vaultContainerId,
  });
}
