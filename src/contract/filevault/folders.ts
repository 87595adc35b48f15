import * as v from 'valibot';
import { operation } from '../operation.ts';
import { pagedOrWhole } from '../page.ts';
import { line, recordId } from '../text.ts';
import { fileItem, folder, nodeName } from './fields.ts';
import { filevaultLimits } from './limits.ts';

const root = '/filevault/folders';
const one = `${root}/:id`;
const changing = ['FOLDER_NOT_FOUND', 'CONTAINER_LOCKED', 'CONTAINER_DESTROYED'] as const;
const container = v.pipe(recordId, v.description('the container; your oldest one if left out'));
/** Moves and new folders may nest too deep, or meet a name. */
const placing = ['NAME_TAKEN', 'FOLDERS_TOO_DEEP'] as const;

const sorting = {
  sortField: v.optional(v.picklist(['name', 'size', 'modifiedDate', 'type']), 'name'),
  sortDirection: v.optional(v.picklist(['asc', 'desc']), 'asc'),
};
const content = {
  name: 'files',
  of: fileItem,
  more: { folder, subfolders: v.array(folder) },
  errors: ['FOLDER_NOT_FOUND', 'CONTAINER_DESTROYED'],
  most: filevaultLimits.page,
} as const;

export const folders = {
  createFolder: operation({
    id: 'filevault.create-folder',
    method: 'POST',
    path: root,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Create a folder',
    description: 'Needs `write` on the parent. Names are unique in a folder, files included, without regard to case.',
    input: v.object({ name: nodeName, parentFolderId: recordId, vaultContainerId: recordId }),
    reply: folder,
    status: 201,
    message: 'Folder created',
    errors: [...changing, ...placing],
    limit: { name: 'fileStoring' },
    scope: 'files',
  }),
  showRoot: operation({
    id: 'filevault.show-root',
    method: 'GET',
    path: `${root}/root`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'List the root folder of a container',
    description: 'As the listing of any folder. Without a container, it is the oldest one that you own.',
    ...pagedOrWhole({ ...content, filter: { vaultContainerId: v.optional(container), ...sorting } }),
    status: 200,
    message: 'Root folder',
    scope: 'files',
  }),
  resolvePath: operation({
    id: 'filevault.resolve-path',
    method: 'GET',
    path: `${root}/resolve/*path`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Find a folder or file by its path',
    description:
      'The path holds the names from the root folder on, each percent-encoded, with / between them. Case does not matter.',
    input: v.object({
      path: v.pipe(line(filevaultLimits.path), v.description('for example `reports/2026/july.pdf`')),
      vaultContainerId: v.optional(container),
    }),
    reply: v.object({
      folders: v.pipe(v.array(folder), v.description('from the root folder on')),
      file: v.nullable(fileItem),
    }),
    status: 200,
    message: 'Found',
    errors: ['FOLDER_NOT_FOUND', 'CONTAINER_DESTROYED'],
    scope: 'files',
  }),
  showPath: operation({
    id: 'filevault.show-path',
    method: 'GET',
    path: `${one}/path`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Show the folders from the root to a folder',
    description: 'The folder itself comes last.',
    input: v.object({ id: recordId }),
    reply: v.array(v.object({ id: recordId, name: v.string() })),
    status: 200,
    message: 'Path',
    errors: ['FOLDER_NOT_FOUND', 'CONTAINER_DESTROYED'],
    scope: 'files',
  }),
  moveItem: operation({
    id: 'filevault.move',
    method: 'POST',
    path: `${one}/move`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Move a file or folder to another folder of its container',
    description:
      'Needs `delete` where it is and `write` where it goes. Permissions that it inherits are those of the new folder. Where that gives rights to others, it needs the approvals that a share would need, asked for with `newParentId`, and app passwords get 403 `INSUFFICIENT_SCOPE`.',
    input: v.object({ id: recordId, itemType: v.picklist(['file', 'folder']), newParentId: recordId }),
    reply: v.object({ moved: v.literal(true) }),
    status: 200,
    message: 'Moved',
    errors: [
      ...changing,
      'FILE_NOT_FOUND',
      'FILE_DESTROYED',
      ...placing,
      'CIRCULAR_MOVE',
      'ROOT_FOLDER',
      'APPROVAL_REQUIRED',
    ],
    limit: { name: 'fileStoring' },
    scope: 'files',
  }),
  showFolder: operation({
    id: 'filevault.show-folder',
    method: 'GET',
    path: one,
    envelope: 'filevault',
    auth: 'member',
    summary: 'List a folder',
    description:
      'Subfolders first, then files. Without `limit` and `cursor`, everything. What you may not see is left out.',
    ...pagedOrWhole({ ...content, filter: { id: recordId, ...sorting } }),
    status: 200,
    message: 'Folder',
    limit: { name: 'fileReading' },
    scope: 'files',
  }),
  renameFolder: operation({
    id: 'filevault.rename-folder',
    method: 'PATCH',
    path: one,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Rename a folder',
    description: 'Needs `write`. The root folder has the name of its container.',
    input: v.object({ id: recordId, name: nodeName }),
    reply: folder,
    status: 200,
    message: 'Folder renamed',
    errors: [...changing, 'NAME_TAKEN', 'ROOT_FOLDER'],
    limit: { name: 'fileStoring' },
    scope: 'files',
  }),
  removeFolder: operation({
    id: 'filevault.remove-folder',
    method: 'DELETE',
    path: one,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Move a folder with all that is in it to the trash',
    description: 'Needs `delete`. It can be restored until the trash is emptied.',
    input: v.object({ id: recordId }),
    reply: v.null(),
    status: 204,
    message: 'Folder in the trash',
    errors: [...changing, 'ROOT_FOLDER', 'APPROVAL_REQUIRED'],
    limit: { name: 'fileStoring' },
    scope: 'files',
  }),
  restoreFolder: operation({
    id: 'filevault.restore-folder',
    method: 'POST',
    path: `${one}/restore`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Restore a folder from the trash',
    description:
      'Needs `delete`. It returns to its place. If that is gone it goes to the nearest folder above, as by a move, and if its name is taken it gets a number.',
    input: v.object({ id: recordId }),
    reply: v.object({ restored: v.literal(true), folder }),
    status: 200,
    message: 'Folder restored',
    errors: [...changing, 'NOT_IN_TRASH', 'NAME_TAKEN', 'APPROVAL_REQUIRED'],
    scope: 'files',
  }),
};
