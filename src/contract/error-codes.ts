/**
 * Every code that an answer may carry: stable, with its HTTP status and one sentence for the reference.
 * A code is never renamed; a service adds its own below the general ones.
 */
export const errorCodes = {
  VALIDATION_ERROR: { status: 400, text: 'The request is not well-formed; `errors` or the message names the fields.' },
  INVALID_CURSOR: { status: 400, text: 'The cursor was not given out by this node, or was changed.' },
  UNAUTHORIZED: { status: 401, text: 'No token, or one that is invalid, expired or whose session has ended.' },
  FORBIDDEN: { status: 403, text: 'The caller may not do this.' },
  NOT_FOUND: { status: 404, text: 'There is nothing here that the caller may know of.' },
  METHOD_NOT_ALLOWED: { status: 405, text: 'The path exists, with other methods.' },
  IDEMPOTENCY_KEY_REUSED: { status: 409, text: 'The `Idempotency-Key` was used for another request.' },
  IDEMPOTENCY_KEY_IN_USE: {
    status: 409,
    text: 'The first request with this `Idempotency-Key` was not answered.',
  },
  PAYLOAD_TOO_LARGE: { status: 413, text: 'The body is larger than the limit of this operation.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, text: 'The body must be `application/json`.' },
  RATE_LIMITED: { status: 429, text: 'Too many requests; `Retry-After` says when to come back.' },
  INTERNAL_ERROR: { status: 500, text: 'Unexpected. The request id in the message stands in the log of the server.' },
  OVERLOADED: { status: 503, text: 'Too much work is queued; `Retry-After` says when to come back.' },
  SHUTTING_DOWN: { status: 503, text: 'The server is stopping.' },
  STORE_FULL: {
    status: 503,
    text: 'The disk of the store is full; reads go on, writes work again when there is room.',
  },
  STORE_UNAVAILABLE: { status: 503, text: 'The database cannot be reached.' },
  STORE_DAMAGED: { status: 500, text: 'The store is damaged; restore it from a backup.' },

  USERNAME_TAKEN: { status: 400, text: 'Another member has this username.' },
  EMAIL_TAKEN: { status: 400, text: 'Another member has this e-mail address.' },
  PASSWORD_WEAK: { status: 400, text: 'The password breaks a rule; the message says which.' },
  MNEMONIC_INVALID: { status: 400, text: 'Not a BIP39 phrase of 12, 15, 18, 21 or 24 words.' },
  MNEMONIC_IN_USE: { status: 400, text: 'The recovery phrase already belongs to a member.' },
  INVALID_CREDENTIALS: { status: 401, text: 'The credentials do not fit together; nothing says which of them.' },
  INVALID_CHALLENGE: { status: 401, text: 'The challenge was not issued by this node.' },
  CHALLENGE_EXPIRED: { status: 401, text: 'The challenge is too old, or from the future.' },
  CHALLENGE_USED: { status: 401, text: 'The challenge has been answered before.' },
  INVALID_BACKUP_CODE: { status: 401, text: 'Not an unused backup code of this member.' },
  KEY_LOCKED: { status: 403, text: 'The session has no private key: sign in with the password.' },
  MEMBER_NOT_FOUND: { status: 404, text: 'No such member.' },
  SESSION_NOT_FOUND: { status: 404, text: 'No such session of this member.' },
  LAST_ADMINISTRATOR: { status: 409, text: 'The last active administrator can be neither demoted nor suspended.' },
  BACKUP_TARGET_EXISTS: { status: 409, text: 'There is a file at the place where the backup should go.' },
} as const satisfies Record<string, { status: number; text: string }>;

export type ErrorCode = keyof typeof errorCodes;
