import * as v from 'valibot';
import { visible } from '../shown-text.ts';
import { memberId, paragraph, recordId, timestamp } from '../text.ts';
import { envelope, envelopeErrors, onlyForClients } from './client-mode.ts';
import { chatLimits } from './limits.ts';

/** The text of a message. Its length counts code points. */
export function textOfMessage(most: number) {
  return v.pipe(paragraph(most), visible);
}

export const messageText = textOfMessage(chatLimits.text);

/** What a client calls a message that it sends, so that sending it again does not make a second one. */
export const clientId = v.pipe(
  v.string('must be text'),
  v.regex(/^[\w.:-]{1,64}$/, `must be 1 to ${chatLimits.clientId} letters, digits, _, ., : or -`),
  v.description(
    'your own id of the message; with the id of an earlier message, the answer is that message. In mode `client` it is required, has 32 hex digits, and is part of what the message is sealed for',
  ),
);

/** Ids of files that go with a message. How many are too many is an error of its own. */
export const attachedIds = v.optional(
  v.pipe(
    v.array(recordId, 'must be a list of ids'),
    v.description(
      `your uploads of \`chat.upload-attachment\` that wait, in their order; at most ${chatLimits.attachments}, and ${chatLimits.attachmentBytes / 1024 ** 2} MiB together, without the ${chatLimits.sealedOverhead} bytes that sealing adds to each where only members can read`,
    ),
  ),
);

/** What can be wrong with them. */
export const attachingErrors = ['INVALID_ATTACHMENT', 'TOO_MANY_ATTACHMENTS', 'ATTACHMENTS_TOO_LARGE'] as const;
/** What can be wrong with a message of chat beside its text. */
export const messageErrors = [...attachingErrors, ...envelopeErrors] as const;

/** What somebody says, wherever they say it. */
export const newMessage = {
  content: v.optional(v.pipe(messageText, v.description('required in mode `server`, and refused in mode `client`'))),
  envelope: v.optional(
    v.pipe(
      envelope,
      v.metadata(onlyForClients),
      v.description('required in mode `client`, and refused in mode `server`'),
    ),
  ),
  attachments: attachedIds,
  replyToMessageId: v.optional(recordId),
  clientId: v.optional(clientId),
};

export const emoji = v.pipe(
  v.string('must be text'),
  v.minLength(1, 'must be one emoji'),
  v.maxLength(64, 'must be one emoji'),
);

const reaction = v.object({ reactionId: recordId, emoji: v.string(), memberId });

const number = v.number();

/** A file as it is shown. What it is called is what its sender says. */
export const shownFile = {
  id: recordId,
  filename: v.string(),
  mimeType: v.pipe(v.string(), v.description('what the sender calls it; the content may be something else')),
  size: v.pipe(number, v.description('bytes')),
};

export const attachment = v.object({
  ...shownFile,
  url: v.pipe(v.string(), v.description('path of the content, for who may read the message')),
});
export type ChatAttachment = v.InferOutput<typeof attachment>;

/** An earlier text that only members can read. */
const sealedEdit = {
  encryptedContent: v.optional(v.pipe(v.string(), v.description('in mode `client`: as that of the message'))),
  epoch: v.optional(v.pipe(number, v.description('of the key that it is sealed under'))),
  revision: v.optional(number),
  signature: v.optional(v.string()),
};

/** A message as members of its conversation see it. */
export const chatMessage = v.object({
  id: recordId,
  conversationId: recordId,
  recipientId: v.optional(v.pipe(memberId, v.description('only in a direct conversation: who it is for'))),
  groupId: v.optional(v.pipe(recordId, v.description('only in a group: the same as `conversationId`'))),
  channelId: v.optional(v.pipe(recordId, v.description('only in a channel: the same as `conversationId`'))),
  seq: v.pipe(number, v.description('its number in the conversation, from 1 on')),
  senderId: memberId,
  senderName: v.pipe(v.string(), v.description('username of the sender')),
  webhook: v.optional(
    v.pipe(v.string(), v.description('name of the webhook by which a program wrote it, in the name of the sender')),
  ),
  via: v.optional(
    v.pipe(v.string(), v.description('name of the bot token with which a program wrote it, in the name of the sender')),
  ),
  content: v.pipe(
    v.nullable(v.string()),
    v.description('null if it is deleted, hidden by a block, or only members can read it'),
  ),
  encryptedContent: v.pipe(
    v.nullable(v.string()),
    v.description(
      'as it is stored, base64: sealed under the key of the epoch, which `chat.*-keys` has for each member',
    ),
  ),
  signature: v.optional(
    v.pipe(v.string(), v.description('in mode `client`: of the sender, over what is stored and its place; hex')),
  ),
  attachments: v.pipe(v.array(attachment), v.description('empty if it has none, is deleted, or hidden by a block')),
  epoch: number,
  revision: v.pipe(number, v.description('0, and one more with each edit; part of what it is sealed for')),
  clientId: v.nullable(v.string()),
  replyToMessageId: v.nullable(recordId),
  threadId: v.optional(
    v.pipe(recordId, v.description('only of an answer: the message that began the thread, which answers nothing')),
  ),
  replyCount: v.optional(
    v.pipe(number, v.description('only of a message that began a thread: answers to it and to its answers')),
  ),
  createdAt: timestamp,
  editedAt: v.nullable(timestamp),
  deletedAt: v.nullable(timestamp),
  deleted: v.optional(v.literal(true)),
  hidden: v.optional(v.pipe(v.literal(true), v.description('a block parts you from its sender'))),
  readBy: v.optional(
    v.pipe(
      number,
      v.description(
        `only of a message of yours in a conversation of more than ${chatLimits.notifiesOfAll} members, when you list or show it: how many others have read it, if you and they show that. In smaller ones \`receipts\` names them`,
      ),
    ),
  ),
  pinned: v.boolean(),
  reactions: v.pipe(
    v.array(reaction),
    v.description(`the first ${chatLimits.shownReactions}; \`reactionCounts\` counts all`),
  ),
  reactionCounts: v.array(v.object({ emoji: v.string(), count: number })),
  editHistory: v.optional(
    v.pipe(
      v.array(
        v.object({
          content: v.nullable(v.string()),
          ...sealedEdit,
          editedAt: timestamp,
        }),
      ),
      v.description(
        'earlier texts and when each was replaced, the oldest first; not in events, and missing in a page that has too many of them: show the message then',
      ),
    ),
  ),
});
export type ChatMessage = v.InferOutput<typeof chatMessage>;
