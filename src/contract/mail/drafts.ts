import * as v from 'valibot';
import { operation } from '../operation.ts';
import { recordId, timestamp } from '../text.ts';
import {
  attachmentsInput,
  bodyInput,
  deliveryStatus,
  mailbox,
  mailboxes,
  messageId,
  shownMailbox,
  subjectInput,
} from './fields.ts';
import { mailLimits } from './limits.ts';
import { mailReading } from './reading.ts';

const root = '/api/emails/drafts';
const one = '/api/emails/:messageId';
const BODY_BYTES = Math.ceil(mailLimits.messageBytes * 1.4);
const errors = ['EMAIL_UPLOAD_NOT_FOUND', 'STORAGE_QUOTA_EXCEEDED', 'OVERLOADED'] as const;

const fields = {
  from: v.optional(mailbox),
  to: v.optional(mailboxes, () => []),
  cc: v.optional(mailboxes, () => []),
  bcc: v.optional(mailboxes, () => []),
  replyTo: v.optional(mailboxes),
  subject: v.optional(subjectInput, ''),
  textBody: v.optional(bodyInput),
  htmlBody: v.optional(bodyInput),
  attachments: attachmentsInput,
};
const written = v.object({ messageId: v.string(), id: recordId, date: timestamp });

/** Messages that are not sent. */
export const mailDrafts = {
  listDrafts: operation({
    ...mailReading.listSent,
    id: 'mail.drafts',
    path: root,
    summary: 'List your drafts',
    message: 'Drafts',
  }),
  createDraft: operation({
    id: 'mail.create-draft',
    method: 'POST',
    path: root,
    envelope: 'email',
    auth: 'member',
    summary: 'Keep a message as a draft',
    description: 'Nothing is required. Content and attachments are read as those of any message.',
    input: v.object({
      ...fields,
      inReplyTo: v.optional(v.pipe(messageId, v.description('the message that it replies to'))),
    }),
    reply: written,
    status: 201,
    message: 'Draft kept',
    errors: ['EMAIL_NOT_FOUND', ...errors],
    limit: { name: 'mailStoring' },
    maxBody: BODY_BYTES,
    scope: 'mail',
  }),
  updateDraft: operation({
    id: 'mail.update-draft',
    method: 'PUT',
    path: `${one}/draft`,
    envelope: 'email',
    auth: 'member',
    summary: 'Replace a draft',
    description:
      'By all that is given. What is left out is empty afterwards; attachments stay, unless a list of them is given.',
    input: v.object({ messageId, ...fields }),
    reply: written,
    status: 200,
    message: 'Draft replaced',
    errors: ['EMAIL_NOT_FOUND', ...errors],
    limit: { name: 'mailStoring' },
    maxBody: BODY_BYTES,
    scope: 'mail',
  }),
  sendDraft: operation({
    id: 'mail.send-draft',
    method: 'POST',
    path: `${one}/send`,
    envelope: 'email',
    auth: 'member',
    summary: 'Send a draft',
    description: 'It is no draft afterwards.',
    input: v.object({ messageId, sendAt: v.optional(timestamp) }),
    reply: v.object({
      messageId: v.string(),
      id: recordId,
      from: shownMailbox,
      to: v.array(shownMailbox),
      subject: v.string(),
      date: timestamp,
      deliveryStatus,
    }),
    status: 201,
    message: 'Draft sent',
    errors: ['EMAIL_NOT_FOUND', 'NO_SUCH_MAILBOX', ...errors],
    limit: { name: 'mailSending' },
    scope: 'mail',
  }),
};
