import * as v from 'valibot';
import { operation } from '../operation.ts';
import { recordId } from '../text.ts';
import { containerState } from './fields.ts';

const sizes = {
  sizeBytes: v.pipe(v.number(), v.description('of the current versions')),
  files: v.number(),
};

export const usage = {
  showUsage: operation({
    id: 'filevault.usage',
    method: 'GET',
    path: '/filevault/usage',
    envelope: 'filevault',
    auth: 'member',
    summary: 'Show how much of your quota is used',
    description: 'The quota counts what all services keep for you. `containers` has those that you own.',
    input: v.object({}),
    reply: v.object({
      usedBytes: v.pipe(v.number(), v.description('by all services, with what uploads have reserved')),
      quotaBytes: v.number(),
      filesBytes: v.pipe(v.number(), v.description('in your containers')),
      containers: v.array(
        v.object({
          id: recordId,
          name: v.string(),
          state: containerState,
          usedBytes: v.pipe(v.number(), v.description('by all versions of all files')),
          reservedBytes: v.pipe(v.number(), v.description('by uploads that are not finished, and in quarantine')),
          trashBytes: v.pipe(v.number(), v.description('of what is used: by files in the trash')),
          versionsBytes: v.pipe(v.number(), v.description('of what is used: by older versions of other files')),
          quotaBytes: v.number(),
        }),
      ),
    }),
    status: 200,
    message: 'Usage',
    errors: [],
    scope: 'files',
  }),
  showFolderUsage: operation({
    id: 'filevault.folder-usage',
    method: 'GET',
    path: '/filevault/folders/:id/usage',
    envelope: 'filevault',
    auth: 'member',
    summary: 'Show the sizes of a folder and of what is directly in it',
    description: 'Counts what you may see, at any depth, without the trash. Largest first.',
    input: v.object({ id: recordId }),
    reply: v.object({
      id: recordId,
      name: v.string(),
      ...sizes,
      folders: v.number(),
      children: v.array(
        v.object({ id: recordId, name: v.string(), itemType: v.picklist(['file', 'folder']), ...sizes }),
      ),
    }),
    status: 200,
    message: 'Sizes',
    errors: ['FOLDER_NOT_FOUND', 'CONTAINER_DESTROYED'],
    scope: 'files',
  }),
};
