import * as v from 'valibot';
import { operation } from '../operation.ts';
import { arrayOrPaged } from '../page.ts';
import { memberId, memberName, recordId, timestamp } from '../text.ts';
import { wrappedKey } from './fields.ts';
import { filevaultLimits, linkModes, permissionLevels } from './limits.ts';

const root = '/filevault/share';
const missing = ['FILE_NOT_FOUND', 'FILE_DESTROYED', 'CONTAINER_DESTROYED'] as const;
const granting = [
  ...missing,
  'CONTAINER_LOCKED',
  'ERASURE_KEYS_MISSING',
  'ERASURE_KEYS_STALE',
  'FILE_KEYS_LOST',
  'FILE_DAMAGED',
  'LEDGER_BEHIND',
] as const;
const level = v.picklist(permissionLevels);
const mode = v.picklist(linkModes);
const file = v.object({ fileId: recordId });
const sharedRecord = v.object({
  shareId: recordId,
  recipientId: memberId,
  username: v.optional(v.string()),
  permissionLevel: level,
  sharedBy: memberId,
  sharedAt: timestamp,
  active: v.pipe(v.boolean(), v.description('whether it counts now')),
});
export type SharedRecord = v.InferOutput<typeof sharedRecord>;

const linkRecord = v.object({
  id: recordId,
  tokenStart: v.pipe(v.string(), v.description('the first six characters of the token')),
  mode,
  versionId: recordId,
  createdBy: memberId,
  createdAt: timestamp,
  expiresAt: v.nullable(timestamp),
  maxAccessCount: v.nullable(v.number()),
  accessCount: v.number(),
  passwordProtected: v.boolean(),
  active: v.pipe(v.boolean(), v.description('whether it opens now')),
});
export type LinkRecord = v.InferOutput<typeof linkRecord>;

const sharedFile = v.object({
  fileId: recordId,
  fileName: v.string(),
  sharedBy: memberId,
  fromUsername: v.optional(v.string()),
  permissionLevel: level,
  sharedAt: timestamp,
  shareId: recordId,
  sizeBytes: v.number(),
  mimeType: v.string(),
  vaultContainerId: v.optional(recordId),
  clientEncrypted: v.boolean(),
});
export type SharedFile = v.InferOutput<typeof sharedFile>;

const auditRecord = v.variant('action', [
  v.object({
    action: v.literal('share_link_accessed'),
    token: v.string(),
    linkId: recordId,
    ipAddress: v.string(),
    timestamp,
  }),
  v.object({
    action: v.literal('share_link_revoked'),
    token: v.string(),
    linkId: recordId,
    memberId: v.optional(memberId),
    timestamp,
  }),
  v.object({
    action: v.literal('shared_internally'),
    shareId: recordId,
    recipientId: memberId,
    username: v.optional(v.string()),
    permissionLevel: level,
    timestamp,
  }),
  v.object({
    action: v.literal('share_revoked'),
    shareId: recordId,
    recipientId: memberId,
    username: v.optional(v.string()),
    memberId: v.optional(memberId),
    timestamp,
  }),
]);
export type ShareAuditRecord = v.InferOutput<typeof auditRecord>;

export const sharing = {
  shareInternally: operation({
    id: 'filevault.share',
    method: 'POST',
    path: `${root}/internal`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Share a file with a member',
    description:
      'Needs `share`, and everything that the level grants. It counts as long as you hold that. Sharing it again with the same member changes the level. Where approvals are asked for, a share with somebody who does not see the file needs those of `external_share`, and the level `owner` those of `acl_change`. In a client-encrypted container the client brings `shareId` and the keys.',
    input: v.object({
      fileId: recordId,
      recipientId: memberName,
      permissionLevel: v.optional(level, 'viewer'),
      shareId: v.optional(v.pipe(recordId, v.description('for client-encrypted containers: the keys are bound to it'))),
      wrappedKeys: v.optional(
        v.pipe(
          v.array(v.strictObject({ contentId: recordId, wrapped: wrappedKey })),
          v.maxLength(filevaultLimits.wrappedKeys, `must be at most ${filevaultLimits.wrappedKeys}`),
          v.description('for client-encrypted containers: the key of each content of the file'),
        ),
      ),
    }),
    reply: v.object({ shared: v.literal(true), shareId: recordId }),
    status: 201,
    message: 'File shared',
    errors: [...granting, 'APPROVAL_REQUIRED', 'MEMBER_NOT_FOUND', 'SHARES_FULL', 'SHARE_ID_TAKEN', 'OVERLOADED'],
  }),
  revokeShare: operation({
    id: 'filevault.revoke-share',
    method: 'DELETE',
    path: `${root}/internal/:id`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'End the sharing of a file with a member',
    description: 'For whoever shared it, and for those who hold `share` and `admin` on the file.',
    input: v.object({ id: recordId }),
    reply: v.object({ revoked: v.literal(true), note: v.string() }),
    status: 200,
    message: 'Sharing ended',
    errors: ['SHARE_NOT_FOUND', 'LEDGER_BEHIND'],
    scope: 'files',
  }),
  showShareKeys: operation({
    id: 'filevault.show-share-keys',
    method: 'GET',
    path: `${root}/internal/:id/keys`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Show the keys of a file that is shared with you',
    description:
      'For the recipient. The key of each content is encrypted with ECIES to your public key. Without them, nobody opens the files of a client-encrypted container.',
    input: v.object({ id: recordId }),
    reply: v.array(v.object({ contentId: recordId, wrappedKey: v.string() })),
    secretReply: true,
    status: 200,
    message: 'Keys',
    errors: [
      'SHARE_NOT_FOUND',
      'FILE_DAMAGED',
      'FILE_DESTROYED',
      'ERASURE_KEYS_MISSING',
      'ERASURE_KEYS_STALE',
      'FILE_KEYS_LOST',
      'LEDGER_BEHIND',
    ],
    scope: 'files',
  }),
  listSharedWithMe: operation({
    id: 'filevault.list-shared-with-me',
    method: 'GET',
    path: `${root}/shared-with-me`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'List the files that are shared with you',
    description: 'An array, newest first. With `limit` or `cursor`, a page.',
    ...arrayOrPaged({ name: 'shares', of: sharedFile }),
    status: 200,
    message: 'Shared files',
    scope: 'files',
  }),
  listShares: operation({
    id: 'filevault.list-shares',
    method: 'GET',
    path: `${root}/:fileId/shares`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'List with whom a file is shared, and its links',
    description: 'Needs `share` or `admin`. It has everything that lets somebody in beside the access control lists.',
    input: file,
    reply: v.object({ shares: v.array(sharedRecord), links: v.array(linkRecord) }),
    status: 200,
    message: 'Shares',
    errors: missing,
    scope: 'files',
  }),
  showShareAudit: operation({
    id: 'filevault.show-share-audit',
    method: 'GET',
    path: `${root}/:fileId/audit`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Show who shared a file, and who opened its links',
    description: 'Needs `share` or `admin`. The newest first, at most 1,000.',
    input: file,
    reply: v.array(auditRecord),
    // The beginning of a token, which opens nothing.
    secretReply: true,
    status: 200,
    message: 'Audit',
    errors: missing,
    scope: 'files',
  }),
  showRecipient: operation({
    id: 'filevault.show-recipient',
    method: 'GET',
    path: `${root}/recipient`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Show the public key of a member to share a file with',
    description:
      'Needs `share`. A client encrypts to it what the node must not open. The id of the member is the hash of the key.',
    input: v.object({ fileId: recordId, member: memberName }),
    reply: v.object({
      memberId,
      username: v.string(),
      publicKey: v.pipe(v.string(), v.description('of secp256k1, compressed, hex')),
    }),
    status: 200,
    message: 'Recipient',
    errors: [...missing, 'MEMBER_NOT_FOUND'],
    scope: 'files',
  }),
  showMagnet: operation({
    id: 'filevault.show-magnet',
    method: 'GET',
    path: `${root}/:fileId/magnet`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Show the magnet link of a file',
    description: 'Needs `share`. It names the file and grants nothing: whoever follows it needs `read`.',
    input: file,
    reply: v.object({ magnetUrl: v.string() }),
    status: 200,
    message: 'Magnet link',
    errors: [...missing, 'OVERLOADED'],
    scope: 'files',
  }),
};
