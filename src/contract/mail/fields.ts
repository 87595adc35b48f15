import * as v from 'valibot';
import { line, recordId, timestamp, verbatim } from '../text.ts';
import { folders, mailLimits } from './limits.ts';

/** A mailbox as the interface documents have it. The server makes the text of an address of it. */
export const mailbox = v.object({
  localPart: v.pipe(line(mailLimits.localPart * 2), v.description('before the @; without quotes')),
  domain: line(mailLimits.domain),
  displayName: v.optional(v.pipe(verbatim(mailLimits.displayName), v.description('name of the person'))),
});
export type MailboxInput = v.InferOutput<typeof mailbox>;

/** The list is longer than what a message may have, so that the answer can say how many are too many. */
export const mailboxes = v.pipe(
  v.array(mailbox),
  v.maxLength(mailLimits.recipients, `must be at most ${mailLimits.recipients} mailboxes`),
);

/** Names a message of the caller: its Message-ID with or without angle brackets, or the id of this copy. */
export const messageId = v.pipe(
  line(mailLimits.messageId),
  v.description('Message-ID, with or without angle brackets; or the `id` of one copy'),
);

const base64 = v.pipe(
  v.string('must be text'),
  v.maxLength(Math.ceil(mailLimits.attachmentBytes / 3) * 4 + 4, 'must be base64 of at most 25 MiB'),
);

const attachmentInput = v.object({
  filename: v.optional(line(mailLimits.filename)),
  contentType: v.optional(v.pipe(line(mailLimits.contentType), v.description('such as application/pdf'))),
  content: v.optional(v.pipe(base64, v.description('base64; instead of it, `uploadId`'))),
  uploadId: v.optional(v.pipe(recordId, v.description('an upload of the caller'))),
  contentId: v.optional(v.pipe(line(mailLimits.contentId), v.description('by which the HTML refers to it'))),
  inline: v.optional(v.boolean()),
});
export type AttachmentInput = v.InferOutput<typeof attachmentInput>;

export const attachmentsInput = v.optional(
  v.pipe(
    v.array(attachmentInput),
    v.maxLength(mailLimits.attachments, `must be at most ${mailLimits.attachments} attachments`),
  ),
);

export const subjectInput = v.pipe(verbatim(mailLimits.subject), v.description('one line'));
export const bodyInput = verbatim(mailLimits.body);

/** `RELAYED`: the mail relay of the node took it, and nobody says more. */
export const deliveryStatuses = ['PENDING', 'IN_TRANSIT', 'DELIVERED', 'RELAYED', 'FAILED'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** Of each recipient that the caller may know of, by its address. */
export const deliveryStatus = v.pipe(
  v.record(v.string(), v.picklist(deliveryStatuses)),
  v.description(
    'status by address of the recipient; `RELAYED` is what the calendar mailed over the mail relay of the node, which took it',
  ),
);
export type DeliveryStatuses = v.InferOutput<typeof deliveryStatus>;

export const shownMailbox = v.object({
  localPart: v.string(),
  domain: v.string(),
  displayName: v.optional(v.string()),
  address: v.pipe(v.string(), v.description('as text; of received mail it may be no valid address')),
});
export type ShownMailbox = v.InferOutput<typeof shownMailbox>;

/** RFC 8621 4.1.1: keywords with $ are those of the registry. */
export const keyword = v.pipe(
  line(mailLimits.keyword),
  v.regex(/^[A-Za-z0-9$_.:-]+$/, 'may hold letters, digits, $, _, ., : and - alone'),
  v.toLowerCase(),
);

export const label = v.pipe(
  line(mailLimits.label),
  v.check((text) => text.trim() === text, 'must not begin or end with a space'),
  v.check((text) => !/[/*%\\]/.test(text), 'must not contain /, \\, * or %'),
  v.check((text) => !(folders as readonly string[]).includes(text.toLowerCase()), 'is the name of a folder'),
  v.check((text) => text.toLowerCase() !== 'all', 'is the name of all messages together'),
  v.normalize('NFC'),
);

const itemFields = {
  messageId: v.string(),
  id: v.pipe(recordId, v.description('of this copy')),
  from: shownMailbox,
  subject: v.string(),
  date: timestamp,
  read: v.boolean(),
  hasAttachments: v.boolean(),
  threadId: recordId,
  folder: v.picklist(folders),
  labels: v.array(v.string()),
  keywords: v.pipe(v.array(v.string()), v.description('as `$flagged`, `$answered`, `$forwarded`')),
  size: v.pipe(v.number(), v.description('octets of the message')),
};

export const inboxItem = v.object({
  ...itemFields,
  preview: v.pipe(v.string(), v.description('the beginning of the text')),
  threadCount: v.pipe(v.number(), v.description('messages of the thread that the caller has')),
});
export type InboxItem = v.InferOutput<typeof inboxItem>;

export const emailMetadata = v.object({
  ...itemFields,
  to: v.array(shownMailbox),
  cc: v.array(shownMailbox),
  bcc: v.optional(v.pipe(v.array(shownMailbox), v.description('of messages that the caller sent'))),
  replyTo: v.optional(v.array(shownMailbox)),
  inReplyTo: v.nullable(v.string()),
  references: v.array(v.string()),
  receivedAt: timestamp,
  sendAt: v.optional(v.pipe(timestamp, v.description('when a scheduled message is sent'))),
  uid: v.pipe(v.number(), v.description('number of this copy in its folder')),
  modseq: v.pipe(v.number(), v.description('number of its last change')),
});
export type EmailMetadata = v.InferOutput<typeof emailMetadata>;

export const content = v.object({
  messageId: v.string(),
  textBody: v.nullable(v.string()),
  htmlBody: v.nullable(v.string()),
  truncated: v.pipe(v.boolean(), v.description('whether a body is longer than what is shown here')),
  problems: v.pipe(v.array(v.string()), v.description('what could not be read as a correct message, for people')),
  attachments: v.array(
    v.object({
      index: v.number(),
      filename: v.string(),
      contentType: v.string(),
      size: v.number(),
      blockId: v.pipe(v.nullable(v.string()), v.description('of the first block, where it has blocks of its own')),
      contentId: v.optional(v.string()),
      inline: v.boolean(),
    }),
  ),
});
export type EmailContent = v.InferOutput<typeof content>;
