import * as v from 'valibot';
import { operation, uploadOperation } from '../operation.ts';
import { paged } from '../page.ts';
import { hex, integer, line, recordId, timestamp } from '../text.ts';
import { byteCount, fileDetail, nodeName } from './fields.ts';
import { filevaultLimits } from './limits.ts';

const root = '/filevault/upload';
const one = `${root}/:sessionId`;
const missing = ['UPLOAD_NOT_FOUND', 'FOLDER_NOT_FOUND', 'FILE_NOT_FOUND', 'FILE_DESTROYED'] as const;
const changing = [
  ...missing,
  'CONTAINER_LOCKED',
  'CONTAINER_DESTROYED',
  'ERASURE_KEYS_MISSING',
  'ERASURE_KEYS_STALE',
] as const;

/** A sealed manifest of 10,000 blocks has 640 KB. */
const MANIFEST_CHARACTERS = 1024 ** 2;

const mimeType = v.pipe(
  line(filevaultLimits.mimeType),
  v.toLowerCase(),
  v.regex(/^[!#$&^_.+\-\w]{1,127}\/[!#$&^_.+\-\w]{1,127}(?:\s*;.*)?$/, 'must be a media type such as image/png'),
);

const uploadFields = {
  sessionId: recordId,
  status: v.picklist(['in_progress', 'finalizing', 'finalized']),
  chunkSize: v.number(),
  chunksReceived: v.number(),
  totalChunks: v.number(),
  fileName: v.string(),
  totalSizeBytes: v.number(),
  expiresAt: timestamp,
};

/** What the contexts of encryption are made of, for whoever uploads to a client-encrypted container. */
const uploadIds = {
  fileId: v.optional(
    v.pipe(recordId, v.description('of the file that it makes or changes; for a client-encrypted container')),
  ),
  contentId: v.optional(v.pipe(recordId, v.description('for a client-encrypted container'))),
  keyNumber: v.optional(v.pipe(v.number(), v.description('of the key of the container that the wrap is to be under'))),
};

const openUpload = v.object({
  ...uploadFields,
  targetFolderId: recordId,
  vaultContainerId: recordId,
  modifiedAt: v.nullable(timestamp),
  createdAt: v.pipe(timestamp, v.description('when it began: a file that changed since then has to be sent anew')),
});
export type OpenUpload = v.InferOutput<typeof openUpload>;

export const uploads = {
  listUploads: operation({
    id: 'filevault.list-uploads',
    method: 'GET',
    path: root,
    envelope: 'filevault',
    auth: 'member',
    summary: 'List your uploads that are not finished',
    description: 'Oldest first. It is how a program that was stopped finds the upload to go on with.',
    ...paged({ name: 'uploads', of: openUpload }),
    status: 200,
    message: 'Uploads',
    scope: 'files',
  }),
  beginUpload: operation({
    id: 'filevault.begin-upload',
    method: 'POST',
    path: `${root}/init`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Begin an upload of a file, or of a new version of one',
    description:
      'Needs `write` on the folder, or on the file. The size is reserved at once. The upload waits for 24 hours after its last chunk, and 7 days at most.',
    input: v.object({
      fileName: nodeName,
      mimeType,
      totalSizeBytes: v.pipe(byteCount, v.description('bytes of the file')),
      targetFolderId: recordId,
      vaultContainerId: recordId,
      targetFileId: v.optional(v.pipe(recordId, v.description('a file in the folder, which gets a new version'))),
      modifiedAt: v.optional(v.pipe(timestamp, v.description('when the content was last changed'))),
    }),
    reply: v.object({
      sessionId: recordId,
      chunkSize: v.pipe(v.number(), v.description('bytes of every chunk but the last one')),
      totalChunks: v.number(),
      expiresAt: timestamp,
      checksumAlgorithms: v.array(v.string()),
      ...uploadIds,
    }),
    status: 201,
    message: 'Upload begun',
    errors: [
      ...changing,
      'KEY_MISSING',
      'KEY_OUTDATED',
      'NAME_TAKEN',
      'STORAGE_QUOTA_EXCEEDED',
      'CONTAINER_QUOTA_EXCEEDED',
      'INSUFFICIENT_STORAGE',
    ],
    limit: { name: 'fileStoring' },
    scope: 'files',
  }),
  putChunk: uploadOperation({
    id: 'filevault.put-chunk',
    method: 'PUT',
    path: `${one}/chunk/:index`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Upload a chunk',
    description:
      'In any order, several at once. A chunk that is sent again replaces the earlier one. Each is encrypted while it arrives. For a client-encrypted container it is the encrypted block, and the upload must have its key before.',
    input: v.object({
      sessionId: recordId,
      index: v.pipe(integer(0, filevaultLimits.chunks - 1), v.description('from 0')),
      checksum: v.optional(
        v.pipe(
          line(200),
          v.description(
            'A hash of the body: `sha256:` and hex, or SHA-256 as 64 hex or 44 base64 characters, or SHA3-512 as 128 hex characters. A body that does not match is refused.',
          ),
          v.metadata({ header: 'X-Chunk-Checksum' }),
        ),
      ),
    }),
    reply: v.object({
      chunkIndex: v.number(),
      chunksReceived: v.number(),
      totalChunks: v.number(),
      checksum: v.pipe(v.string(), v.description('SHA-256 of what was received: `sha256:` and hex')),
    }),
    headers: ({ checksum }) => ({ 'x-chunk-checksum': checksum }),
    status: 200,
    message: 'Chunk stored',
    errors: [
      ...changing,
      'UPLOAD_FINALIZED',
      'KEY_MISSING',
      'CHUNK_SIZE_WRONG',
      'CHECKSUM_MISMATCH',
      'OVERLOADED',
      'INSUFFICIENT_STORAGE',
    ],
    limit: { name: 'fileStoring' },
    accepts: ['*/*'],
    digest: true,
    maxBody: filevaultLimits.longestBlock,
    scope: 'files',
  }),
  finalizeUpload: operation({
    id: 'filevault.finalize-upload',
    method: 'POST',
    path: `${one}/finalize`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Finish an upload: the file is there afterwards',
    description: 'All chunks must be there. A repeat gets the same answer.',
    input: v.object({
      sessionId: recordId,
      manifest: v.optional(
        v.pipe(
          v.string('must be text'),
          v.maxLength(MANIFEST_CHARACTERS, 'is too long'),
          v.description('for a client-encrypted container: the sealed manifest, in base 64'),
        ),
      ),
      blocks: v.optional(
        v.pipe(
          hex(32),
          v.description(
            'for a client-encrypted container: SHA-256 over the SHA3-512 hashes of all encrypted blocks, one after another',
          ),
        ),
      ),
    }),
    reply: v.object({ fileId: recordId, metadata: fileDetail }),
    status: 200,
    message: 'File stored',
    errors: [
      ...changing,
      'UPLOAD_INCOMPLETE',
      'NAME_TAKEN',
      'LEDGER_BEHIND',
      'KEY_MISSING',
      'KEY_OUTDATED',
      'BLOCKS_DIFFER',
      'FILE_QUARANTINED',
      'SCAN_UNAVAILABLE',
      'OVERLOADED',
    ],
    maxBody: MANIFEST_CHARACTERS + 4_096,
    limit: { name: 'fileStoring' },
    scope: 'files',
  }),
  showUpload: operation({
    id: 'filevault.show-upload',
    method: 'GET',
    path: `${one}/status`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Show which chunks of an upload are there',
    description: 'For whoever began it. It is how a client goes on after a break.',
    input: v.object({ sessionId: recordId }),
    reply: v.object({
      ...uploadFields,
      missing: v.pipe(v.string(), v.description('ranges of indexes, such as `0-3,7`')),
      ...uploadIds,
      fileId: v.optional(
        v.pipe(recordId, v.description('once it is finalized; for a client-encrypted container from the beginning')),
      ),
      wrappedKey: v.optional(v.pipe(v.string(), v.description('hex; the key that its client has sent'))),
      hashes: v.optional(
        v.pipe(
          v.string(),
          v.description(
            'for a client-encrypted container, base 64: the SHA3-512 hashes of the blocks that are there, in order',
          ),
        ),
      ),
    }),
    status: 200,
    message: 'Upload',
    errors: ['UPLOAD_NOT_FOUND'],
    scope: 'files',
  }),
  abortUpload: operation({
    id: 'filevault.abort-upload',
    method: 'DELETE',
    path: one,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Give up an upload',
    description: 'Its chunks are deleted, and what it reserved is free. A finished upload stays.',
    input: v.object({ sessionId: recordId }),
    reply: v.null(),
    status: 204,
    message: 'Upload given up',
    errors: ['UPLOAD_NOT_FOUND', 'UPLOAD_FINALIZED'],
    scope: 'files',
  }),
};
