/**
 * All error codes of answers, each with its HTTP status and one sentence for the reference. Codes are stable: a code is never renamed. A
 * service adds its own codes below the general ones.
 */
export const errorCodes = {
  VALIDATION_ERROR: { status: 400, text: 'The request is not valid. `errors` or the message names the fields.' },
  DIGEST_MISMATCH: { status: 400, text: 'The body does not match its `Content-Digest`. Nothing was stored.' },
  INVALID_CURSOR: { status: 400, text: 'The cursor is not valid for this list. Begin again without one.' },
  UNAUTHORIZED: { status: 401, text: 'The token is missing, invalid or expired, or its session has ended.' },
  FORBIDDEN: { status: 403, text: 'The caller does not have the permission to do this.' },
  INSUFFICIENT_SCOPE: { status: 403, text: 'The scopes of the token do not allow this operation.' },
  NOT_FOUND: { status: 404, text: 'It does not exist, or the caller may not know that it does.' },
  METHOD_NOT_ALLOWED: {
    status: 405,
    text: 'The path does not support this method. `Allow` lists the methods that it supports.',
  },
  REQUEST_TIMEOUT: { status: 408, text: 'The body arrived too slowly.' },
  IDEMPOTENCY_KEY_REUSED: { status: 409, text: 'The `Idempotency-Key` was used for a different request.' },
  IDEMPOTENCY_REPLY_NOT_KEPT: {
    status: 409,
    text: 'The request with this `Idempotency-Key` was carried out before. Its answer held secrets and was not kept.',
  },
  PAYLOAD_TOO_LARGE: { status: 413, text: 'The body is larger than the limit of this operation.' },
  STORAGE_QUOTA_EXCEEDED: { status: 413, text: 'The storage quota of the member is used up.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, text: 'The operation does not accept this media type.' },
  RANGE_NOT_SATISFIABLE: {
    status: 416,
    text: 'The range begins after the end of the content. `Content-Range` has the size.',
  },
  RATE_LIMITED: { status: 429, text: 'Too many requests. `Retry-After` has the seconds to wait.' },
  INTERNAL_ERROR: {
    status: 500,
    text: 'An unexpected error. The server log has it under the request id in the message.',
  },
  OVERLOADED: { status: 503, text: 'The server has too much work. `Retry-After` has the seconds to wait.' },
  SHUTTING_DOWN: { status: 503, text: 'The server is stopping.' },
  STORE_FULL: {
    status: 503,
    text: 'The disk of the store is full. Reading works; writing works again when there is space.',
  },
  STORE_GONE: {
    status: 503,
    text: 'The store file was removed or replaced while in use. Nothing is written any more.',
  },
  STORE_UNAVAILABLE: { status: 503, text: 'The database cannot be reached.' },
  STORE_DAMAGED: { status: 500, text: 'The store is damaged. Restore it from a backup.' },

  USERNAME_TAKEN: { status: 400, text: 'Another member has this username.' },
  EMAIL_TAKEN: { status: 400, text: 'Another member has this e-mail address.' },
  PASSWORD_WEAK: { status: 400, text: 'The password breaks a rule. The message says which.' },
  MNEMONIC_INVALID: { status: 400, text: 'The recovery phrase is not a BIP39 phrase of 12, 15, 18, 21 or 24 words.' },
  MNEMONIC_IN_USE: { status: 400, text: 'The recovery phrase already belongs to a member.' },
  INVALID_CREDENTIALS: {
    status: 401,
    text: 'The name is unknown, or the password, phrase or signature is wrong. The answer does not say which.',
  },
  INVALID_CHALLENGE: { status: 401, text: 'The challenge was not issued by this node.' },
  CHALLENGE_EXPIRED: {
    status: 401,
    text: 'The challenge has expired, or its time is in the future. Ask for a new one.',
  },
  CHALLENGE_USED: { status: 401, text: 'The challenge was used before. Ask for a new one.' },
  INVALID_BACKUP_CODE: { status: 401, text: 'The backup code is wrong or was used before.' },
  KEY_LOCKED: {
    status: 403,
    text: 'The session does not have the private key of the member. Sign in with the password.',
  },
  MEMBER_NOT_FOUND: { status: 404, text: 'There is no such member.' },
  SESSION_NOT_FOUND: { status: 404, text: 'The member has no such session.' },
  LAST_ADMINISTRATOR: { status: 409, text: 'The last active administrator cannot be demoted or suspended.' },
  BACKUP_TARGET_EXISTS: { status: 409, text: 'A file exists at the path of the backup.' },

  LEDGER_ENTRY_NOT_FOUND: { status: 404, text: 'The ledger of this size has no such entry.' },
  LEDGER_TOO_SMALL: { status: 404, text: 'The ledger has fewer entries than the size that was asked for.' },
  LEDGER_BEHIND: {
    status: 503,
    text: 'The newest records have no place in the ledger yet. They are stored. Try again in a moment.',
  },
  NODE_NOT_STOPPED: { status: 409, text: 'The node signs, so there is nothing to recover.' },
  NODE_STOPPED: {
    status: 409,
    text: 'The node noticed that its store was rolled back or copied, and signs nothing. Its operator recovers it.',
  },
  RECOVERY_CHANGED: { status: 409, text: 'More was noticed since the recovery was shown. Look at it again.' },
  LEDGER_DAMAGED: {
    status: 500,
    text: 'The ledger in the store is damaged or was changed. Nothing is recorded until the store is restored.',
  },

  VAULT_LOCKED: { status: 401, text: 'The vault is locked in this session. Open it first.' },
  INVALID_MASTER_PASSWORD: { status: 401, text: 'Wrong password for this vault.' },
  VAULT_NOT_FOUND: { status: 404, text: 'There is no such vault, or the caller may not know of it.' },
  ENTRY_NOT_FOUND: { status: 404, text: 'The vault has no such entry.' },
  ATTACHMENT_NOT_FOUND: { status: 404, text: 'The entry has no such attachment.' },
  VAULT_NAME_TAKEN: {
    status: 409,
    text: 'Another vault of the caller has this name. Upper and lower case count as the same.',
  },
  ATTACHMENT_EXISTS: {
    status: 409,
    text: 'The entry has an attachment of this name. Upper and lower case count as the same.',
  },
  ENTRY_CHANGED: { status: 409, text: 'The entry was changed since it was read. Read it again.' },
  MASTER_PASSWORD_UNKNOWN: {
    status: 403,
    text: 'The vault was opened by emergency recovery, and this needs its master password. Set a new one, or open the vault with it.',
  },
  RECOVERY_NOT_FOUND: { status: 404, text: 'The vault has no recovery request.' },
  INSUFFICIENT_SHARES: { status: 400, text: 'There are fewer shares than the threshold.' },
  INVALID_SHARE: { status: 400, text: 'A share is damaged or outdated, or belongs to another vault or trustee.' },
  UNSUPPORTED_FORMAT: { status: 400, text: 'The format is unknown, or the file has another format.' },
  IMPORT_PASSWORD_REQUIRED: { status: 400, text: 'The file is encrypted. Give its password as well.' },
  IMPORT_PASSWORD_WRONG: { status: 400, text: 'Wrong password for the file.' },
  IMPORT_UNREADABLE: { status: 400, text: 'The file is damaged or too large, or has another format.' },
  BREACH_SERVICE_UNAVAILABLE: {
    status: 502,
    text: 'The list of breached passwords cannot be reached, so the password was not checked.',
  },

  NODE_NOT_PENDING: { status: 404, text: 'The node has no pending join request.' },
  NODE_BANNED: { status: 403, text: 'The node is banned. An administrator can lift the ban.' },
  NODE_NOT_BANNED: { status: 404, text: 'The node is not banned.' },
  NODE_NOT_FOUND: { status: 404, text: 'There is no such node.' },
  NODE_AMBIGUOUS: { status: 409, text: 'The beginning of the id matches more than one node. `errors` lists them.' },
  POOL_VERSION_NOT_FOUND: { status: 404, text: 'The access list has no such version.' },
  POOL_BRANCH_NOT_FOUND: { status: 404, text: 'The node knows no other branch of the access list with this hash.' },
  POOL_LIST_CHANGED: { status: 409, text: 'Another access list is active than the caller saw.' },
  POOL_NO_JOIN: { status: 404, text: 'This node has no pending join request.' },
  POOL_NOT_ADMINISTRATOR: { status: 403, text: 'The key of the caller is not an administrator of the access list.' },
  POOL_SIGNATURES_MISSING: {
    status: 409,
    text: 'The change needs the signatures of more administrators. It is proposed: `errors` has its hash under `proposal`.',
  },
  POOL_PROPOSAL_NOT_FOUND: { status: 404, text: 'There is no such proposal.' },
  POOL_PROPOSAL_STALE: { status: 409, text: 'The proposal changes a list that is no longer active.' },
  POOL_PROPOSAL_EXPIRED: { status: 410, text: 'The proposal has expired.' },
  POOL_PROPOSALS_FULL: { status: 409, text: 'There are too many proposals for this version of the access list.' },
  POOL_BUSY: { status: 409, text: 'The access list kept changing. Try again.' },
  POOL_FULL: { status: 409, text: 'The access list has reached its largest size.' },
  POOL_MAIL_DOMAIN_TAKEN: { status: 409, text: 'Another node of the pool serves this mail domain.' },
  POOL_SELF_REMOVAL: { status: 409, text: 'A node cannot remove itself. It can leave the pool.' },
  POOL_LAST_ADMINISTRATOR: { status: 409, text: 'The access list would have too few administrators.' },
  POOL_JOIN_PENDING: { status: 409, text: 'This node has a pending join request. Withdraw it first.' },
  POOL_HAS_MEMBERS: { status: 409, text: 'This node is in a pool with other nodes. Leave that pool first.' },
  POOL_OTHER: { status: 409, text: 'This node is in another pool than the one that was named.' },
  POOL_ALONE: { status: 409, text: 'This node is the only one in its pool.' },
} as const satisfies Record<string, { status: number; text: string }>;

export type ErrorCode = keyof typeof errorCodes;
