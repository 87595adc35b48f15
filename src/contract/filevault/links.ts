import * as v from 'valibot';
import { operation, rawOperation, type LimitUse } from '../operation.ts';
import { rawJsonReply } from '../raw-json.ts';
import { integer, recordId, secretText, timestamp, trueOrFalse } from '../text.ts';
import { wrappedKey } from './fields.ts';
import { filevaultLimits, linkModes } from './limits.ts';
import { sharePasswordIn } from './share-password.ts';

const root = '/filevault/share';
const link = `${root}/link/:token`;
const opening = [
  'LINK_NOT_FOUND',
  'LINK_REVOKED',
  'LINK_PASSWORD_REQUIRED',
  'LINK_PASSWORD_WRONG',
  'FILE_DESTROYED',
  'FILE_DAMAGED',
  'ERASURE_KEYS_MISSING',
  'ERASURE_KEYS_STALE',
  'FILE_KEYS_LOST',
  'LEDGER_BEHIND',
  'OVERLOADED',
] as const;
const mode = v.picklist(linkModes);
const publicKey = v.pipe(
  v.string('must be text'),
  v.regex(/^(?:[0-9a-fA-F]{66}|[0-9a-fA-F]{130})$/, 'must be 33 or 65 bytes in hex'),
  v.toLowerCase(),
);
const token = v.pipe(
  v.string('must be text'),
  v.maxLength(64, 'is too long'),
  v.regex(/^[A-Za-z0-9_-]+$/, 'must be base64url'),
);
/** Requests that bring a password are attempts on the link. Others are reads. */
const attempts: LimitUse = { name: 'shareLink', account: ['token'], guess: ['password', 'sharePassword'] };

const opened = {
  token,
  password: v.optional(
    v.pipe(secretText(filevaultLimits.linkPassword), v.description('better in the header, which no log has')),
  ),
  sharePassword: v.optional(
    v.pipe(
      v.string(),
      // Three bytes of UTF-8 for a letter, and three letters for a byte, behind UTF-8''
      v.maxLength(7 + 9 * filevaultLimits.linkPassword, 'is too long'),
      v.description("the password of the link; `UTF-8''` and percent-encoded text for other letters than ASCII"),
      v.metadata({ header: 'X-Share-Password', secret: true }),
      v.transform(sharePasswordIn),
    ),
  ),
};

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

export const links = {
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
    errors: [
      'APPROVAL_REQUIRED',
      'FILE_NOT_FOUND',
      'FILE_DESTROYED',
      'CONTAINER_DESTROYED',
      'CONTAINER_LOCKED',
      'ERASURE_KEYS_MISSING',
      'ERASURE_KEYS_STALE',
      'FILE_KEYS_LOST',
      'FILE_DAMAGED',
      'LEDGER_BEHIND',
      'CLIENT_ENCRYPTED',
      'LINKS_FULL',
      'SHARE_ID_TAKEN',
      'OVERLOADED',
    ],
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
          trueOrFalse,
          v.transform((text) => text === 'true'),
          v.description('false: leave the content out, and count nothing'),
        ),
        'true',
      ),
    }),
    head: { content: 'false' },
    reply: openedLink,
    secretReply: true,
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
    path: link,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Revoke a link',
    description: 'For whoever made it, and for those who hold `admin` on the file. It ends downloads that are running.',
    input: v.object({ token: v.pipe(token, v.description('token or id')) }),
    reply: v.null(),
    status: 204,
    message: 'Link revoked',
    errors: ['LINK_NOT_FOUND', 'LEDGER_BEHIND'],
    scope: 'files',
  }),
};
