import * as v from 'valibot';
import { operation } from '../operation.ts';
import { paged } from '../page.ts';
import { memberId, recordId, timestamp } from '../text.ts';
import { filevaultLimits } from './limits.ts';

const root = '/filevault/trash';
const changing = ['CONTAINER_NOT_FOUND', 'CONTAINER_DESTROYED', 'CONTAINER_LOCKED'] as const;

const trashItem = v.object({
  id: recordId,
  itemType: v.picklist(['file', 'folder']),
  name: v.string(),
  vaultContainerId: recordId,
  parentFolderId: recordId,
  sizeBytes: v.pipe(v.number(), v.description('of the current versions of all files in it')),
  deletedAt: timestamp,
  deletedBy: memberId,
  goesAt: v.pipe(v.nullable(timestamp), v.description('when it is destroyed; null: only by hand')),
  mayDestroy: v.boolean(),
});
export type TrashItem = v.InferOutput<typeof trashItem>;

export const trash = {
  listTrash: operation({
    id: 'filevault.list-trash',
    method: 'GET',
    path: root,
    envelope: 'filevault',
    auth: 'member',
    summary: 'List what is in the trash',
    description:
      'What you may restore, newest first. A page may have fewer items than its limit, because what you may not see is left out. What was in a folder comes back with that folder, and is not listed.',
    ...paged({
      name: 'items',
      of: trashItem,
      filter: { vaultContainerId: v.optional(recordId) },
      errors: ['CONTAINER_NOT_FOUND', 'CONTAINER_DESTROYED'],
    }),
    status: 200,
    message: 'Trash',
    scope: 'files',
  }),
  emptyTrash: operation({
    id: 'filevault.empty-trash',
    method: 'DELETE',
    path: root,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Destroy what is in the trash of a container for good',
    description:
      'Needs `delete` and `admin` for each file, and keys are erased as with any destruction. Without `ids`, it is everything that you may destroy. One request destroys at most 1,000 files: `more` says whether to ask again. `failed` has what stays, with the reason.',
    input: v.object({
      vaultContainerId: recordId,
      ids: v.optional(
        v.pipe(
          v.array(recordId),
          v.minLength(1, 'must not be empty'),
          v.maxLength(filevaultLimits.batch, `must be at most ${filevaultLimits.batch}`),
        ),
      ),
    }),
    reply: v.object({
      files: v.pipe(v.number(), v.description('destroyed')),
      folders: v.pipe(v.number(), v.description('removed, because nothing is left in them')),
      bytes: v.number(),
      failed: v.array(v.object({ id: recordId, error: v.pipe(v.string(), v.description('a code')) })),
      more: v.boolean(),
    }),
    status: 200,
    message: 'Trash emptied',
    errors: [...changing, 'ERASURE_KEYS_MISSING', 'ERASURE_KEYS_STALE'],
  }),
  removeVersion: operation({
    id: 'filevault.remove-version',
    method: 'DELETE',
    path: '/filevault/files/:id/versions/:versionId',
    envelope: 'filevault',
    auth: 'member',
    summary: 'Destroy an older version of a file for good',
    description:
      'Needs `manage_versions`. The current version stays. Its content goes with its keys, unless another version shares it. Where destructions need approvals, this does, too: that of the file.',
    input: v.object({ id: recordId, versionId: recordId }),
    reply: v.null(),
    status: 204,
    message: 'Version destroyed',
    errors: [
      'FILE_NOT_FOUND',
      'FILE_DESTROYED',
      'CONTAINER_DESTROYED',
      'CONTAINER_LOCKED',
      'VERSION_NOT_FOUND',
      'VERSION_CURRENT',
      'APPROVAL_REQUIRED',
      'QUORUM_APPROVAL_REQUIRED',
      'ERASURE_KEYS_MISSING',
      'ERASURE_KEYS_STALE',
    ],
  }),
};
