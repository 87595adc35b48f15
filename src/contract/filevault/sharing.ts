import * as v from 'valibot';
import { operation, rawOperation, type LimitUse } from '../operation.ts';
import { arrayOrPaged } from '../page.ts';
import { rawJsonReply } from '../raw-json.ts';
import { hex, integer, memberId, memberName, recordId, secretText, timestamp } from '../text.ts';
import { filevaultLimits, linkModes, permissionLevels } from './limits.ts';

const root = '/filevault/share';
const link = `${root}/link/:token`;
const missing = ['FILE_NOT_FOUND', 'FILE_DESTROYED', 'CONTAINER_DESTROYED'] as const;
const granting = [...missing, 'CONTAINER_LOCKED', 'ERASURE_KEYS_MISSING', 'FILE_DAMAGED', 'LEDGER_BEHIND'] as const;
const opening = [
  'LINK_NOT_FOUND',
  'LINK_REVOKED',
  'LINK_PASSWORD_REQUIRED',
  'LINK_PASSWORD_WRONG',
  'FILE_DESTROYED',
  'FILE_DAMAGED',
  'ERASURE_KEYS_MISSING',
  'LEDGER_BEHIND',
  'OVERLOADED',
] as const;
const level = v.picklist(permissionLevels);
const mode = v.picklist(linkModes);
const file = v.object({ fileId: recordId });
const publicKey = v.pipe(
  v.string('must be text'),
  v.regex(/^(?:[0-9a-fA-F]{66}|[0-9a-fA-F]{130})$/, 'must be 33 or 65 bytes in hex'),
  v.toLowerCase(),
);
/** An ECIES message around 32 bytes. */
const wrappedKey = hex(filevaultLimits.wrappedKey);
const token = v.pipe(
  v.string('must be text'),
  v.maxLength(64, 'is too long'),
  v.regex(/^[A-Za-z0-9_-]+$/, 'must be base64url'),
);
/** Requests that bring a password are attempts on the link. Others are reads. */
const attempts: LimitUse = { name: 'shareLink', account: ['token'], guess: ['password', 'sharePassword'] };

const encoded = /^UTF-8''(?<text>.*)$/i;

/** Headers carry bytes. A password is taken as UTF-8, or as `UTF-8''` and percent-encoded text (as RFC 8187 writes it), which browsers can send. */
function headerText(text: string): string {
  const { text: percent } = encoded.exec(text)?.groups ?? {};
  try {
    if (percent !== undefined) return decodeURIComponent(percent);
    const bytes = Uint8Array.from(text, (character) => character.codePointAt(0) ?? 0);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return text;
  }
}

const opened = {
  token,
  password: v.optional(
    v.pipe(secretText(filevaultLimits.linkPassword), v.description('better in the header, which no log has')),
  ),
  sharePassword: v.optional(
    v.pipe(
      v.string(),
      v.maxLength(4 * filevaultLimits.linkPassword, 'is too long'),
      v.description("the password of the link; `UTF-8''` and percent-encoded text for other letters than ASCII"),
      v.metadata({ header: 'X-Share-Password', secret: true }),
      v.transform(headerText),
    ),
  ),
};

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
  token: v.pipe(v.string(), v.description('its first six characters')),
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
  permissionLevel: level,
  sharedAt: timestamp,
  shareId: recordId,
  sizeBytes: v.number(),
  mimeType: v.string(),
  vaultContainerId: v.optional(recordId),
});
export type SharedFile = v.InferOutput<typeof sharedFile>;

const madeLink = v.object({
  id: recordId,
  token: v.string(),
  url: v.pipe(v.string(), v.description('with a key after #, in the mode `ephemeral_key_pair`')),
  mode,
  fileId: recordId,
  fileName: v.string(),
  versionId: recordId,
  expiresAt: v.nullable(timestamp),
  maxAccessCount: v.nullable(v.number()),
  accessCount: v.number(),
  passwordProtected: v.boolean(),
  createdAt: timestamp,
});
export type MadeLink = v.InferOutput<typeof madeLink>;

const openedLink = v.object({
  id: recordId,
  fileId: recordId,
  contentId: recordId,
  fileName: v.string(),
  mimeType: v.string(),
  sizeBytes: v.number(),
  sealedBytes: v.pipe(v.number(), v.description('bytes of the encrypted blocks together')),
  chunkSize: v.pipe(v.number(), v.description('bytes of the file in each block but the last one')),
  mode,
  ephemeralPublicKey: v.optional(v.string()),
  recipientPublicKey: v.optional(v.string()),
  wrappedKey: v.optional(v.pipe(v.string(), v.description('the key of the content, encrypted with ECIES; hex'))),
  manifest: v.optional(v.pipe(v.string(), v.description('the sealed list of blocks; base64'))),
  encryptedContent: v.optional(
    rawJsonReply('Base64 text of the content: as it is from `server_proxied`, else its encrypted blocks; up to 8 MiB'),
  ),
  contentUrl: v.string(),
  expiresAt: v.nullable(timestamp),
  passwordProtected: v.boolean(),
  accessReceipt: v.optional(
    v.pipe(v.string(), v.description('with the content: the node signs that the access is in its ledger')),
  ),
});
export type OpenedLink = v.InferOutput<typeof openedLink>;

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
    permissionLevel: level,
    timestamp,
  }),
  v.object({
    action: v.literal('share_revoked'),
    shareId: recordId,
    recipientId: memberId,
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
      'Needs `share`, and everything that the level grants. It counts as long as you hold that. Sharing it again with the same member changes the level. In a client-encrypted container the client brings `shareId` and the keys.',
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
    errors: [...granting, 'MEMBER_NOT_FOUND', 'SHARES_FULL', 'SHARE_ID_TAKEN', 'OVERLOADED'],
    scope: 'files',
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
    status: 200,
    message: 'Keys',
    errors: ['SHARE_NOT_FOUND', 'FILE_DAMAGED', 'FILE_DESTROYED', 'ERASURE_KEYS_MISSING', 'LEDGER_BEHIND'],
    scope: 'files',
  }),
  createLink: operation({
    id: 'filevault.create-link',
    method: 'POST',
    path: `${root}/link`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Make a link to a file for anybody',
    description:
      'Needs `share` and `download`, and opens as long as you hold them. It is for the version that is current now. The token, and the key after `#` of `url`, are shown once.',
    input: v.object({
      fileId: recordId,
      mode,
      password: v.optional(secretText(filevaultLimits.linkPassword)),
      expiresAt: v.optional(timestamp),
      maxAccessCount: v.optional(integer(1, 1_000_000)),
      recipientPublicKey: v.optional(v.pipe(publicKey, v.description('of secp256k1, for `recipient_public_key`'))),
      linkId: v.optional(v.pipe(recordId, v.description('for client-encrypted containers: the key is bound to it'))),
      ephemeralPublicKey: v.optional(v.pipe(publicKey, v.description('for client-encrypted containers'))),
      wrappedKey: v.optional(v.pipe(wrappedKey, v.description('for client-encrypted containers'))),
    }),
    reply: madeLink,
    status: 201,
    message: 'Link made',
    secretReply: true,
    errors: [...granting, 'CLIENT_ENCRYPTED', 'LINKS_FULL', 'SHARE_ID_TAKEN', 'OVERLOADED'],
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
  openLink: operation({
    id: 'filevault.open-link',
    method: 'GET',
    path: link,
    envelope: 'filevault',
    auth: 'none',
    summary: 'Open a link',
    description:
      'Answers what the file is, what decrypts it, and its content if that has at most 8 MiB. With the content, one access is counted. `contentUrl` has it for larger ones, and with `content=false`.',
    input: v.object({
      ...opened,
      content: v.optional(
        v.pipe(
          v.picklist(['true', 'false'], 'must be true or false'),
          v.transform((text) => text === 'true'),
          v.description('false: leave the content out, and count nothing'),
        ),
        'true',
      ),
    }),
    head: { content: 'false' },
    reply: openedLink,
    headers: ({ accessReceipt }): Record<string, string> =>
      accessReceipt === undefined ? {} : { 'x-access-receipt': accessReceipt },
    status: 200,
    message: 'Link',
    errors: opening,
    limit: attempts,
  }),
  downloadLink: rawOperation({
    id: 'filevault.download-link',
    method: 'GET',
    path: `${link}/content`,
    envelope: 'filevault',
    auth: 'none',
    summary: 'Download the content of a link',
    description:
      'The file from `server_proxied`, and otherwise its encrypted blocks one after another. One access is counted, and `X-Share-Grant` of the answer lets the same client go on for 24 hours: with it no more is counted, and no password needed.',
    input: v.object({
      ...opened,
      grant: v.optional(
        v.pipe(
          v.string(),
          v.maxLength(512, 'is too long'),
          v.description('from an earlier answer'),
          v.metadata({ header: 'X-Share-Grant', secret: true }),
        ),
      ),
    }),
    status: 200,
    errors: [...opening, 'RANGE_NOT_SATISFIABLE'],
    accepts: [],
    produces: ['application/octet-stream', '*/*'],
    ranges: true,
    limit: attempts,
  }),
  revokeLink: operation({
    id: 'filevault.revoke-link',
    method: 'DELETE',
    path: `${root}/link/:id`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Revoke a link',
    description: 'For whoever made it, and for those who hold `admin` on the file. It ends downloads that are running.',
    input: v.object({ id: v.pipe(token, v.description('id or token')) }),
    reply: v.null(),
    status: 204,
    message: 'Link revoked',
    errors: ['LINK_NOT_FOUND', 'LEDGER_BEHIND'],
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
    status: 200,
    message: 'Audit',
    errors: missing,
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
