import * as v from 'valibot';
import { operation, rawOperation } from '../operation.ts';
import { hex, integer, memberId, recordId, timestamp } from '../text.ts';
import { filevaultLimits } from './limits.ts';

const keysOf = '/filevault/vaults/:id/keys';
const missing = ['CONTAINER_NOT_FOUND', 'CONTAINER_DESTROYED', 'NOT_CLIENT_ENCRYPTED'] as const;
const reading = ['FILE_NOT_FOUND', 'FILE_DESTROYED', 'VERSION_NOT_FOUND', 'NOT_CLIENT_ENCRYPTED'] as const;
const keyNumber = integer(1, 1_000_000);
/** An ECIES message of suite 1 with a key of 32 bytes. */
const WRAP_BYTES = 100;
const wrap = v.pipe(
  hex(WRAP_BYTES),
  v.description('the key of the container, encrypted to the public key of the member'),
);
/** A key of 32 bytes that is sealed under a key. */
const SEALED_KEY_BYTES = 65;
const sealedKey = v.pipe(
  hex(SEALED_KEY_BYTES),
  v.description('the key of the content, sealed under that of the container'),
);

const signature = v.pipe(hex(64), v.description('of the owner, over the number and a hash of the key'));

/** What members of client-encrypted containers exchange: keys, which the node can't open. */
export const clientKeys = {
  showKeys: operation({
    id: 'filevault.show-keys',
    method: 'GET',
    path: keysOf,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Show your keys of a client-encrypted container',
    description:
      'Each is encrypted to your public key. The owner also sees who has access and which keys each member has. Whoever holds `admin` somewhere in it sees that of the members whom the lists there name.',
    input: v.object({ id: recordId }),
    reply: v.object({
      newest: v.pipe(v.number(), v.description('number of the newest key; 0: there is none yet')),
      outdated: v.pipe(v.boolean(), v.description('a member who has the newest key lost access: make another one')),
      keys: v.array(v.object({ number: v.number(), wrapped: v.string(), signature })),
      members: v.optional(
        v.array(
          v.object({
            memberId,
            username: v.string(),
            publicKey: v.pipe(v.string(), v.description('compressed, hex; the id of the member is its hash')),
            numbers: v.pipe(v.array(v.number()), v.description('of the keys that are encrypted to the member')),
          }),
        ),
      ),
    }),
    status: 200,
    message: 'Keys',
    errors: missing,
    scope: 'files',
  }),
  addKeys: operation({
    id: 'filevault.add-keys',
    method: 'POST',
    path: keysOf,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Add a key to a client-encrypted container, or give one to more members',
    description:
      'The owner makes keys: a new one has the number after the newest, is encrypted to the owner at least, and the owner signs it. Whoever holds `admin` somewhere in the container gives keys to more members, too. Only members with access get keys, and only the owner replaces a wrap that is there.',
    input: v.object({
      id: recordId,
      newest: v.pipe(integer(0, 1_000_000), v.description('number of the newest key that the client knows of')),
      number: keyNumber,
      signature: v.optional(v.pipe(signature, v.description('of the owner, for a new key'))),
      wraps: v.pipe(
        v.array(v.object({ memberId, wrapped: wrap })),
        v.minLength(1, 'must not be empty'),
        v.maxLength(filevaultLimits.wraps, `must be at most ${filevaultLimits.wraps}`),
      ),
    }),
    reply: v.object({ newest: v.number() }),
    status: 201,
    message: 'Keys added',
    errors: [...missing, 'CONTAINER_LOCKED', 'KEY_MISSING', 'KEY_CHANGED'],
  }),
  putUploadKey: operation({
    id: 'filevault.put-upload-key',
    method: 'PUT',
    path: '/filevault/upload/:sessionId/key',
    envelope: 'filevault',
    auth: 'member',
    summary: 'Give an upload to a client-encrypted container its key',
    description:
      'Before the first chunk. A client that goes on after a break reads it from the status. The same key may be sent again under a newer key of the container, and no other.',
    input: v.object({ sessionId: recordId, keyNumber, wrappedKey: sealedKey }),
    reply: v.object({ keyNumber: v.number() }),
    status: 200,
    message: 'Key kept',
    errors: [
      'UPLOAD_NOT_FOUND',
      'UPLOAD_FINALIZED',
      'FOLDER_NOT_FOUND',
      'FILE_NOT_FOUND',
      'FILE_DESTROYED',
      'CONTAINER_LOCKED',
      'CONTAINER_DESTROYED',
      'NOT_CLIENT_ENCRYPTED',
      'KEY_MISSING',
      'KEY_OUTDATED',
      'KEY_CHANGED',
      'ERASURE_KEYS_MISSING',
      'ERASURE_KEYS_STALE',
      'FILE_KEYS_LOST',
    ],
    scope: 'files',
  }),
  showFileKeys: operation({
    id: 'filevault.show-file-keys',
    method: 'GET',
    path: '/filevault/files/:id/keys',
    envelope: 'filevault',
    auth: 'member',
    summary: 'Show what opens a file of a client-encrypted container',
    description:
      'Needs `download`. With the private key of the member, it opens what the download of the encrypted file has. Instead of `containerKey`, who has the file by a share gets `shareId`: its keys are at `share/internal/:id/keys`.',
    input: v.object({ id: recordId, versionId: v.optional(recordId) }),
    reply: v.object({
      fileId: recordId,
      versionId: recordId,
      contentId: recordId,
      sizeBytes: v.number(),
      chunkSize: v.number(),
      modifiedAt: timestamp,
      manifest: v.pipe(v.string(), v.description('base 64: sizes and hashes, sealed under the key of the content')),
      wrappedKey: sealedKey,
      keyNumber: v.number(),
      containerKey: v.optional(wrap),
      keySignature: v.optional(signature),
      shareId: v.optional(recordId),
    }),
    status: 200,
    message: 'Keys of a file',
    errors: [
      ...reading,
      'CONTAINER_DESTROYED',
      'ERASURE_KEYS_MISSING',
      'ERASURE_KEYS_STALE',
      'FILE_KEYS_LOST',
      'FILE_DAMAGED',
      'KEY_MISSING',
    ],
    scope: 'files',
  }),
  downloadSealed: rawOperation({
    id: 'filevault.download-sealed',
    method: 'GET',
    path: '/filevault/files/:id/sealed',
    envelope: 'filevault',
    auth: 'member',
    summary: 'Download a file of a client-encrypted container as it is stored',
    description:
      'Needs `download`. The encrypted blocks, one after another. The access is recorded before the first byte is sent, and `X-Access-Receipt` has a signed receipt of that record.',
    input: v.object({ id: recordId, versionId: v.optional(recordId) }),
    status: 200,
    errors: [...reading, 'CONTAINER_DESTROYED', 'FILE_DAMAGED', 'RANGE_NOT_SATISFIABLE'],
    accepts: [],
    produces: ['application/octet-stream'],
    ranges: true,
    scope: 'files',
  }),
};
