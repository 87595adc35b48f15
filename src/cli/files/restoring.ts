import { perform, type Caller } from '../../client/perform.ts';
import type { FileItem, Folder } from '../../contract/filevault/fields.ts';
import { filevault } from '../../contract/filevault.ts';
import { Problem } from '../../base/problem.ts';

/** An id doesn't say whether it is a file's or a folder's. */
export async function restoreById(caller: Caller, id: string): Promise<FileItem | Folder> {
  try {
    return (await perform(caller, filevault.restoreFile, { id })).file;
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'FILE_NOT_FOUND') throw error;
  }
  return (await perform(caller, filevault.restoreFolder, { id })).folder;
}
