import { perform, type Caller } from '../../client/perform.ts';
import { filevault } from '../../contract/filevault.ts';
import { parentOf, type RemotePath } from './paths.ts';
import { folderAt, placeAt, placeIfThere } from './places.ts';

/** As `mv`: into a folder that is there, or to another name. */
export async function movePlace(
  caller: Caller,
  from: RemotePath,
  to: RemotePath,
): Promise<{ readonly id: string; readonly folderId: string; readonly name: string }> {
  const source = await placeAt(caller, from);
  const id = source.file?.id ?? source.folder.id;
  const current = source.file?.name ?? source.folder.name;
  const above = source.file === null ? (source.folder.parentFolderId ?? '') : source.folder.id;
  const there = await placeIfThere(caller, to);
  const into = there?.file === null && there.folder.id !== id ? there.folder : undefined;
  const { folder, name } = into === undefined ? parentOf(to) : { folder: to, name: current };
  const parent = into ?? (await folderAt(caller, folder));
  if (parent.id !== above) {
    const itemType = source.file === null ? 'folder' : 'file';
    await perform(caller, filevault.moveItem, { id, itemType, newParentId: parent.id });
  }
  if (name.normalize('NFC') !== current) {
    if (source.file === null) await perform(caller, filevault.renameFolder, { id, name });
    else await perform(caller, filevault.changeFile, { id, fileName: name });
  }
  return { id, folderId: parent.id, name };
}
