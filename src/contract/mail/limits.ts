/** Rate limits of e-mail; see contract/rates.ts. */
export const mailRates = {
  mailSending: {
    key: 'mail_sending',
    perAccount: { rate: '300/5m', text: 'Messages that one member sends' },
  },
  mailStoring: {
    key: 'mail_storing',
    perAccount: { rate: '6000/5m', text: 'Messages that one member imports, and uploads of attachments' },
  },
} as const;

const MEBIBYTE = 1024 ** 2;

/** Limits of e-mail. Lengths are in characters, sizes in bytes. */
export const mailLimits = {
  /** octets of a whole message, encoded */
  messageBytes: 50 * MEBIBYTE,
  attachmentBytes: 25 * MEBIBYTE,
  /** attachments of one message that is written here */
  attachments: 100,
  /** of one message, all together */
  recipients: 100,
  localPart: 64,
  domain: 253,
  displayName: 256,
  subject: 998,
  body: 10 * MEBIBYTE,
  filename: 255,
  contentType: 255,
  contentId: 250,
  messageId: 1_000,
  /** what `searchText`, `subjectContains` and `senderAddress` may hold */
  query: 500,
  page: 200,
  label: 100,
  labels: 50,
  keyword: 50,
  keywords: 50,
  rules: 100,
  /** how far ahead a message can be scheduled */
  scheduleDays: 365,
  /** how long an upload waits to be sent */
  uploadHours: 24,
} as const;

/** Folders. Each message is in one of them, and has any labels besides. */
export const folders = ['inbox', 'sent', 'drafts', 'archive', 'spam', 'trash'] as const;
export type Folder = (typeof folders)[number];
