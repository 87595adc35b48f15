import * as v from 'valibot';
import { operation, uploadOperation } from '../operation.ts';
import { line, recordId, timestamp, trueOrFalse } from '../text.ts';
import {
  attachmentsInput,
  bodyInput,
  deliveryStatus,
  deliveryStatuses,
  keyword,
  mailbox,
  mailboxes,
  messageId,
  shownMailbox,
  subjectInput,
} from './fields.ts';
import { folders, mailLimits } from './limits.ts';

const root = '/api/emails';
const one = `${root}/:messageId`;
/** base64 needs 4 bytes for 3, and the other fields need some more */
const BODY_BYTES = Math.ceil(mailLimits.messageBytes * 1.4);

const from = v.pipe(mailbox, v.description('the mailbox of the caller'));
const sendAt = v.optional(
  v.pipe(timestamp, v.description('sends it then; until then `cancel` takes it back to the drafts')),
);
const refused = ['EMAIL_UPLOAD_NOT_FOUND', 'NO_SUCH_MAILBOX', 'STORAGE_QUOTA_EXCEEDED', 'OVERLOADED'] as const;
const skipped = v.pipe(
  v.array(v.string()),
  v.description('addresses of this node that nobody has any more, which were left out'),
);

const written = {
  subject: v.optional(subjectInput, ''),
  textBody: v.optional(bodyInput),
  htmlBody: v.optional(bodyInput),
  attachments: attachmentsInput,
};
const recipients = {
  to: v.optional(mailboxes, () => []),
  cc: v.optional(mailboxes, () => []),
  bcc: v.optional(v.pipe(mailboxes, v.description('nobody else learns of them')), () => []),
};
const sent = {
  messageId: v.string(),
  id: recordId,
  from: shownMailbox,
  to: v.array(shownMailbox),
  subject: v.string(),
  date: timestamp,
  deliveryStatus,
};

/** Writing, sending and taking back. */
export const mailSending = {
  send: operation({
    id: 'mail.send',
    method: 'POST',
    path: root,
    envelope: 'email',
    auth: 'member',
    summary: 'Send a message',
    description:
      'At least one recipient. A recipient of this node has it with the answer; what becomes of the others, the delivery status tells. ' +
      'With an address of this node that nobody has, nothing is sent to anybody. ' +
      'Large attachments are uploaded first.',
    input: v.object({ from, ...recipients, replyTo: v.optional(mailboxes), ...written, sendAt }),
    reply: v.object(sent),
    status: 201,
    message: 'Message sent',
    errors: refused,
    limit: { name: 'mailSending' },
    maxBody: BODY_BYTES,
    scope: 'mail',
  }),
  reply: operation({
    id: 'mail.reply',
    method: 'POST',
    path: `${one}/reply`,
    envelope: 'email',
    auth: 'member',
    summary: 'Reply to a message',
    description:
      'It goes to Reply-To, or else to the sender; of a message of your own, to its recipients. With `replyAll` also to all in To and Cc, ' +
      'but never to yourself.',
    input: v.object({
      messageId,
      from,
      replyAll: v.optional(v.boolean(), false),
      subject: v.optional(subjectInput),
      textBody: v.optional(bodyInput),
      htmlBody: v.optional(bodyInput),
      attachments: attachmentsInput,
      sendAt,
    }),
    reply: v.object({ ...sent, inReplyTo: v.string(), skipped }),
    status: 201,
    message: 'Reply sent',
    errors: ['EMAIL_NOT_FOUND', ...refused],
    limit: { name: 'mailSending' },
    maxBody: BODY_BYTES,
    scope: 'mail',
  }),
  forward: operation({
    id: 'mail.forward',
    method: 'POST',
    path: `${one}/forward`,
    envelope: 'email',
    auth: 'member',
    summary: 'Forward a message with its attachments',
    description: 'Its text is quoted. The new message has no reference to the old one, as nothing in it answers it.',
    input: v.object({
      messageId,
      forwardTo: v.pipe(mailboxes, v.minLength(1, 'must name at least one mailbox')),
      from: v.optional(from),
      textBody: v.optional(v.pipe(bodyInput, v.description('stands before the forwarded text'))),
      sendAt,
    }),
    reply: v.object({
      messageId: v.string(),
      id: recordId,
      subject: v.string(),
      date: timestamp,
      deliveryStatus,
      skipped,
    }),
    status: 201,
    message: 'Message forwarded',
    errors: ['EMAIL_NOT_FOUND', ...refused],
    limit: { name: 'mailSending' },
    scope: 'mail',
  }),
  cancel: operation({
    id: 'mail.cancel',
    method: 'POST',
    path: `${one}/cancel`,
    envelope: 'email',
    auth: 'member',
    summary: 'Take back a message before it leaves',
    description: 'While it is PENDING for all recipients. It is a draft again.',
    input: v.object({ messageId }),
    reply: v.object({ cancelled: v.literal(true), messageId: v.string(), id: recordId }),
    status: 200,
    message: 'Message taken back',
    errors: ['EMAIL_NOT_FOUND', 'EMAIL_NOT_PENDING'],
    limit: { name: 'mailSending' },
    scope: 'mail',
  }),
  deliveryStatus: operation({
    id: 'mail.delivery-status',
    method: 'GET',
    path: `${one}/delivery-status`,
    envelope: 'email',
    auth: 'member',
    summary: 'Show what became of a message, by recipient',
    description:
      'The sender sees all recipients. A recipient sees those that the message names, and never somebody in Bcc.',
    input: v.object({ messageId }),
    reply: deliveryStatus,
    status: 200,
    message: 'Delivery status',
    errors: ['EMAIL_NOT_FOUND'],
    scope: 'mail',
  }),
  showDeliveries: operation({
    id: 'mail.deliveries',
    method: 'GET',
    path: `${one}/deliveries`,
    envelope: 'email',
    auth: 'member',
    summary: 'Show the deliveries of a message of yours, with reasons',
    description: 'As the delivery status, with what went wrong, the node, and when it changed last.',
    input: v.object({ messageId }),
    reply: v.object({
      deliveries: v.array(
        v.object({
          address: v.string(),
          kind: v.picklist(['to', 'cc', 'bcc']),
          status: v.picklist(deliveryStatuses),
          failure: v.pipe(v.nullable(v.string()), v.description('why it failed, such as `NO_SUCH_MAILBOX`')),
          reason: v.nullable(v.string()),
          nodeId: v.nullable(v.string()),
          updatedAt: timestamp,
          expiresAt: timestamp,
        }),
      ),
    }),
    status: 200,
    message: 'Deliveries',
    errors: ['EMAIL_NOT_FOUND'],
    scope: 'mail',
  }),
  upload: uploadOperation({
    id: 'mail.upload',
    method: 'POST',
    path: `${root}/uploads`,
    envelope: 'email',
    auth: 'member',
    summary: 'Upload an attachment, to send it afterwards',
    description: `At most 25 MiB. It waits ${mailLimits.uploadHours} hours, and can be sent once.`,
    input: v.object({}),
    reply: v.object({ uploadId: recordId, size: v.number(), expiresAt: timestamp }),
    status: 201,
    message: 'Attachment uploaded',
    errors: ['STORAGE_QUOTA_EXCEEDED', 'OVERLOADED'],
    limit: { name: 'mailStoring' },
    accepts: ['*/*'],
    digest: true,
    maxBody: mailLimits.attachmentBytes,
    scope: 'mail',
  }),
  sendRaw: uploadOperation({
    id: 'mail.send-raw',
    method: 'POST',
    path: `${root}/raw`,
    envelope: 'email',
    auth: 'member',
    summary: 'Send a message that another program wrote',
    description:
      'Its From is a mailbox of the caller. Bcc is removed. Without `recipients` it goes to those in To, Cc and Bcc. What is missing of ' +
      'Message-ID and Date is added.',
    input: v.object({
      recipients: v.optional(
        v.pipe(
          line(mailLimits.recipients * 260),
          v.description('addresses, separated by commas'),
          v.metadata({ header: 'X-Recipients' }),
        ),
      ),
    }),
    reply: v.object(sent),
    status: 201,
    message: 'Message sent',
    errors: ['EMAIL_MALFORMED', ...refused],
    limit: { name: 'mailSending' },
    accepts: ['message/rfc822'],
    digest: true,
    maxBody: mailLimits.messageBytes,
    scope: 'mail',
  }),
  importMessage: uploadOperation({
    id: 'mail.import',
    method: 'POST',
    path: `${root}/import`,
    envelope: 'email',
    auth: 'member',
    summary: 'Put a message into a folder of yours, without sending it',
    description: 'Its octets stay as they are. What cannot be read is kept and shown as well as can be.',
    input: v.object({
      folder: v.optional(v.picklist(folders, 'must be the name of a folder'), 'inbox'),
      label: v.optional(line(mailLimits.label)),
      keywords: v.optional(v.pipe(v.union([keyword, v.array(keyword)]), v.description('may be repeated'))),
      read: v.optional(trueOrFalse, 'false'),
      receivedAt: v.optional(timestamp),
      unlessPresent: v.optional(
        v.pipe(
          trueOrFalse,
          v.description('answers with the message that the folder has already, if its octets are the same'),
        ),
        'false',
      ),
    }),
    reply: v.object({
      messageId: v.string(),
      id: recordId,
      uid: v.number(),
      modseq: v.number(),
      imported: v.pipe(v.boolean(), v.description('false: the folder has it already')),
    }),
    status: 201,
    message: 'Message imported',
    errors: ['STORAGE_QUOTA_EXCEEDED', 'OVERLOADED'],
    limit: { name: 'mailStoring' },
    accepts: ['message/rfc822'],
    digest: true,
    maxBody: mailLimits.messageBytes,
    scope: 'mail',
  }),
};
