/** Limits of the quorum. Lengths are in characters, sizes in bytes. */
export const quorumLimits = {
  /** Shamir's secret sharing over GF(256) has no more coordinates */
  members: 255,
  name: 200,
  role: 100,
  description: 4_096,
  comment: 1_024,
  /** characters of JSON of a decision that no rule of the node knows */
  customBytes: 16_384,
  attachmentId: 256,
  /** how long a proposal can be open */
  proposalDays: 365,
  reason: 1_000,
  /** `document/<id>`, in the audit trail */
  subject: 100,
  action: 64,
  /** 24 words of 8 letters, and spaces */
  mnemonic: 1_000,
  documentBytes: 5 * 1024 ** 2,
  /** ECIES of a share of 33 bytes, with room for other forms */
  encryptedShareBytes: 1_024,
  /** a document in its sealed form, which is a little longer */
  sealedBytes: 5 * 1024 ** 2 + 1_024,
  /** open sessions that one account asked for */
  sessionsOfRequester: 20,
  /** and of them for one document */
  sessionsOfDocument: 5,
} as const;
