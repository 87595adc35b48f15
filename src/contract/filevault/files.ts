import * as v from 'valibot';
import { operation, rawOperation } from '../operation.ts';
import { arrayOrPaged, pagedOrWhole } from '../page.ts';
import { integer, line, memberId, recordId, timestamp } from '../text.ts';
import { description, fileDetail, fileItem, nodeName } from './fields.ts';
import { filevaultLimits } from './limits.ts';

const root = '/filevault/files';
const one = `${root}/:id`;
const missing = ['FILE_NOT_FOUND', 'FILE_DESTROYED', 'CONTAINER_DESTROYED'] as const;
const changing = [...missing, 'CONTAINER_LOCKED', 'LEDGER_BEHIND'] as const;
const reading = [
  ...missing,
  'ERASURE_KEYS_MISSING',
  'ERASURE_KEYS_STALE',
  'FILE_KEYS_LOST',
  'FILE_DAMAGED',
  'RANGE_NOT_SATISFIABLE',
] as const;
const file = v.object({ id: recordId });
const version = v.object({ id: recordId, versionId: recordId });
const bytes = ['application/octet-stream'];

const tag = v.pipe(line(filevaultLimits.tag), v.normalize('NFC'));
const tags = v.pipe(
  v.array(tag),
  v.maxLength(filevaultLimits.tags, `must be at most ${filevaultLimits.tags}`),
  v.transform((all) => [...new Set(all)]),
);

const fileTypes = ['image', 'video', 'audio', 'document', 'text', 'archive', 'other'] as const;
const size = integer(0, Number.MAX_SAFE_INTEGER);
const yes = v.pipe(
  v.picklist(['true', 'false'], 'must be true or false'),
  v.transform((text) => text === 'true'),
);

export const files = {
  searchFiles: operation({
    id: 'filevault.search',
    method: 'GET',
    path: `${root}/search`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Find files by name, tags, type, date or size',
    description:
      'Among the files that you may see, newest first. A file must match everything that is given. `total` counts all that match.',
    ...pagedOrWhole({
      name: 'results',
      of: fileItem,
      most: filevaultLimits.page,
      filter: {
        query: v.optional(v.pipe(line(filevaultLimits.query), v.description('part of the name or description'))),
        tags: v.optional(
          v.pipe(
            v.union([
              v.pipe(
                tag,
                v.transform((text) => [text]),
              ),
              v.array(tag),
            ]),
            v.description('the file has all of them'),
          ),
        ),
        mimeType: v.optional(v.pipe(line(filevaultLimits.mimeType), v.toLowerCase())),
        folderId: v.optional(v.pipe(recordId, v.description('in this folder, or in one inside it'))),
        vaultContainerId: v.optional(recordId),
        dateFrom: v.optional(v.pipe(timestamp, v.description('created then or later'))),
        dateTo: v.optional(v.pipe(timestamp, v.description('created before'))),
        sizeMin: v.optional(size),
        sizeMax: v.optional(size),
        fileType: v.optional(v.picklist(fileTypes)),
        deleted: v.optional(v.pipe(yes, v.description('also files in the trash that you may restore'))),
      },
      more: { total: v.number() },
      errors: ['FOLDER_NOT_FOUND', 'CONTAINER_DESTROYED'],
    }),
    status: 200,
    message: 'Found files',
    scope: 'files',
  }),
  showMetadata: operation({
    id: 'filevault.show-file',
    method: 'GET',
    path: `${one}/metadata`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Show what is known of a file',
    description: 'Needs `read`. The content is not opened.',
    input: file,
    reply: fileDetail,
    status: 200,
    message: 'File',
    errors: [...missing, 'LEDGER_BEHIND'],
    limit: { name: 'fileReading' },
    scope: 'files',
  }),
  listVersions: operation({
    id: 'filevault.list-versions',
    method: 'GET',
    path: `${one}/versions`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'List the versions of a file',
    description: 'Needs `read`. An array, newest first. With `limit` or `cursor`, a page.',
    ...arrayOrPaged({
      name: 'versions',
      of: v.object({
        versionId: recordId,
        versionNumber: v.number(),
        sizeBytes: v.number(),
        mimeType: v.string(),
        modifiedAt: timestamp,
        createdAt: timestamp,
        createdBy: memberId,
        isCurrent: v.boolean(),
      }),
      filter: { id: recordId },
      errors: missing,
    }),
    status: 200,
    message: 'Versions',
    scope: 'files',
  }),
  restoreVersion: operation({
    id: 'filevault.restore-version',
    method: 'POST',
    path: `${one}/versions/:versionId/restore`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Make an older version the current one',
    description: 'Needs `manage_versions`. It becomes a new version with the same content. The others stay.',
    input: version,
    reply: fileDetail,
    status: 200,
    message: 'Version restored',
    creates: true,
    errors: [...changing, 'VERSION_NOT_FOUND'],
    scope: 'files',
  }),
  downloadVersion: rawOperation({
    id: 'filevault.download-version',
    method: 'GET',
    path: `${one}/versions/:versionId/download`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Download a version of a file',
    description: 'Needs `download`. The server decrypts it. The access is recorded before the first byte is sent.',
    input: version,
    status: 200,
    errors: [...reading, 'VERSION_NOT_FOUND'],
    accepts: [],
    produces: bytes,
    ranges: true,
    limit: { name: 'fileReading' },
    scope: 'files',
  }),
  previewFile: rawOperation({
    id: 'filevault.preview',
    method: 'GET',
    path: `${one}/preview`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Show a file in a browser',
    description:
      'Needs `preview`. Images, sound, video, PDF and plain text are shown, and cannot run anything. Everything else is a download. With a watermark, images are shown as PNG, and each answer is another one, so a range is answered with everything.',
    input: file,
    status: 200,
    errors: [...reading, 'WATERMARK_IMPOSSIBLE', 'OVERLOADED'],
    accepts: [],
    produces: ['*/*'],
    ranges: true,
    scope: 'files',
  }),
  downloadFile: rawOperation({
    id: 'filevault.download',
    method: 'GET',
    path: one,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Download a file',
    description:
      'Needs `download`. The server decrypts it. The access is recorded before the first byte is sent, and `X-Access-Receipt` has a signed receipt of that record.',
    input: file,
    status: 200,
    errors: reading,
    accepts: [],
    produces: bytes,
    ranges: true,
    limit: { name: 'fileReading' },
    scope: 'files',
  }),
  changeFile: operation({
    id: 'filevault.change-file',
    method: 'PATCH',
    path: one,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Rename a file, or change its description or tags',
    description: 'Needs `write`; for watermarks, `admin` instead. It makes no new version. What is left out stays.',
    input: v.object({
      id: recordId,
      fileName: v.optional(nodeName),
      description: v.optional(v.nullable(description)),
      tags: v.optional(tags),
      visibleWatermark: v.optional(v.pipe(v.boolean(), v.description('previews show who sees them, and when'))),
      invisibleWatermark: v.optional(
        v.pipe(v.boolean(), v.description('previews hide an id by which their reader is found')),
      ),
    }),
    reply: fileDetail,
    status: 200,
    message: 'File changed',
    errors: [...changing, 'NAME_TAKEN'],
    limit: { name: 'fileStoring' },
    scope: 'files',
  }),
  removeFile: operation({
    id: 'filevault.remove-file',
    method: 'DELETE',
    path: one,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Move a file to the trash',
    description: 'Needs `delete`. It can be restored until the trash is emptied.',
    input: file,
    reply: v.null(),
    status: 204,
    message: 'File in the trash',
    errors: [...missing, 'CONTAINER_LOCKED'],
    limit: { name: 'fileStoring' },
    scope: 'files',
  }),
  restoreFile: operation({
    id: 'filevault.restore-file',
    method: 'POST',
    path: `${one}/restore`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Restore a file from the trash',
    description:
      'Needs `delete`. It returns to its place. If that is gone it goes to the nearest folder above, as by a move, and if its name is taken it gets a number.',
    input: file,
    reply: v.object({ restored: v.literal(true), file: fileItem }),
    status: 200,
    message: 'File restored',
    errors: [...missing, 'CONTAINER_LOCKED', 'NOT_IN_TRASH', 'NAME_TAKEN', 'APPROVAL_REQUIRED'],
    scope: 'files',
  }),
};
