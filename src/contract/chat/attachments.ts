import * as v from 'valibot';
import { operation, rawOperation, uploadOperation } from '../operation.ts';
import { keepsDirection, visible } from '../shown-text.ts';
import { givenName, recordId, timestamp } from '../text.ts';
import { chatLimits, shownTypes } from './limits.ts';
import { shownFile } from './message.ts';

const root = '/api/chat/attachments';
const one = `${root}/:attachmentId`;
const common = { envelope: 'social', auth: 'member', scope: 'chat' } as const;

/** The name of a file, which others save it by and see inside of sentences. */
const filename = v.pipe(
  givenName(chatLimits.filename),
  v.check((name) => !name.includes('\\'), 'must not contain \\'),
  v.check((name) => name !== '.' && name !== '..', 'must not be . or ..'),
  visible,
  keepsDirection,
);

/** An upload that waits, as its owner sees it. */
const uploadedFile = v.object({
  ...shownFile,
  expiresAt: v.pipe(timestamp, v.description('when it is deleted, unless a message has it')),
});
export type UploadedFile = v.InferOutput<typeof uploadedFile>;

/** Files of messages, prefix `/api/chat/attachments`. */
export const attachments = {
  uploadAttachment: uploadOperation({
    ...common,
    id: 'chat.upload-attachment',
    bot: 'write',
    method: 'POST',
    path: root,
    summary: 'Upload a file for a message',
    description:
      `At most ${chatLimits.attachmentBytes / 1024 ** 2} MiB of any type, kept as it is, and ${chatLimits.sealedOverhead} bytes more for what members seal themselves. \`Content-Type\` is what others see that it is. ` +
      `It waits ${chatLimits.attachmentHours} hours to be attached, and only you see it until then. ` +
      `Without \`Content-Length\` it needs room for ${chatLimits.attachmentBytes / 1024 ** 2} MiB in the storage quota while it arrives.`,
    input: v.object({ filename }),
    reply: uploadedFile,
    status: 201,
    message: 'Attachment uploaded',
    errors: ['STORAGE_QUOTA_EXCEEDED', 'ATTACHMENTS_FULL', 'OVERLOADED'],
    limit: { name: 'chatAttachment' },
    accepts: ['*/*'],
    digest: true,
    maxBody: chatLimits.attachmentBytes + chatLimits.sealedOverhead,
  }),
  showAttachment: rawOperation({
    ...common,
    id: 'chat.attachment',
    bot: 'read',
    method: 'GET',
    path: one,
    summary: 'Read an attachment',
    description:
      'You may read it if you may read a message with it now. An upload that waits is for its owner alone. Pictures, videos, sounds and plain text have the type that their sender named; everything else is `application/octet-stream`, to be saved.',
    input: v.object({ attachmentId: recordId }),
    status: 200,
    errors: ['ATTACHMENT_NOT_FOUND'],
    accepts: [],
    produces: [...shownTypes, 'application/octet-stream'],
    ranges: true,
  }),
  deleteAttachment: operation({
    ...common,
    id: 'chat.delete-attachment',
    method: 'DELETE',
    path: one,
    summary: 'Delete an upload',
    description: 'While it waits to be attached. What messages have is deleted with them.',
    input: v.object({ attachmentId: recordId }),
    reply: v.null(),
    status: 204,
    message: 'Attachment deleted',
    errors: ['ATTACHMENT_NOT_FOUND'],
  }),
};
