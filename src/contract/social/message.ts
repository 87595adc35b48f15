import * as v from 'valibot';
import { chatLimits } from '../chat/limits.ts';
import { attachment } from '../chat/message.ts';
import { memberId, recordId, timestamp } from '../text.ts';
import { messageLimits } from './messages/limits.ts';

export const conversationTypes = ['direct', 'group'] as const;
export type SocialConversationType = (typeof conversationTypes)[number];

export const messageRequestStates = ['pending', 'accepted', 'declined'] as const;
export type MessageRequestState = (typeof messageRequestStates)[number];

/** What all who are in a conversation know of it. */
export const conversationFacts = {
  _id: recordId,
  type: v.picklist(conversationTypes),
  participantIds: v.array(memberId),
  name: v.optional(v.pipe(v.string(), v.description('of a group'))),
  avatarUrl: v.optional(
    v.pipe(v.string(), v.description('picture of a group that has one; only who is in it may see it')),
  ),
  ownerId: v.optional(v.pipe(memberId, v.description('of a group: who may remove others'))),
  createdAt: timestamp,
  updatedAt: v.pipe(timestamp, v.description('of the last message, or the last change')),
};
const facts = v.object(conversationFacts);
export type ConversationFacts = v.InferOutput<typeof facts>;

/** A conversation as one of those who are in it sees it. */
export const socialConversation = v.object({
  ...conversationFacts,
  title: v.pipe(v.string(), v.description('what to call it: the username of the other member, or the name')),
  lastMessageAt: v.nullable(timestamp),
  lastMessagePreview: v.pipe(
    v.nullable(v.string()),
    v.description('the beginning of the last message; null if it is deleted, or not for you'),
  ),
  lastSeq: v.pipe(v.number(), v.description('the number of the last message')),
  readSeq: v.pipe(v.number(), v.description('you have read up to this number')),
  unreadCount: v.number(),
  mentionCount: v.pipe(v.number(), v.description('unread messages that name you')),
  isPinned: v.boolean(),
  isArchived: v.boolean(),
  mutedUntil: v.pipe(v.nullable(timestamp), v.description('until when you are not notified of it')),
  request: v.pipe(
    v.optional(v.picklist(messageRequestStates)),
    v.description('if it began with a message request; who sent the request never learns that it was declined'),
  ),
});
export type SocialConversation = v.InferOutput<typeof socialConversation>;

const { id: _, ...describedFile } = attachment.entries;

const reaction = v.object({ userId: memberId, emoji: v.string() });

/** Reactions to a message: the first ones, and how many there are of each. */
export const reactionsOfMessage = {
  reactions: v.pipe(
    v.array(reaction),
    v.description(`the first ${chatLimits.shownReactions}; \`reactionCounts\` counts all`),
  ),
  reactionCounts: v.array(v.object({ emoji: v.string(), count: v.number() })),
};

/** A message as those who are in its conversation see it. */
export const socialMessage = v.object({
  _id: recordId,
  conversationId: recordId,
  seq: v.pipe(v.number(), v.description('its number in the conversation, from 1 on')),
  senderId: memberId,
  senderUsername: v.string(),
  content: v.pipe(v.nullable(v.string()), v.description('null if it is deleted, or hidden by a block')),
  clientId: v.nullable(v.string()),
  replyToMessageId: v.nullable(recordId),
  forwardedFromId: v.pipe(
    v.nullable(recordId),
    v.description('the message that it repeats, if you may see that one; not in events'),
  ),
  createdAt: timestamp,
  editedAt: v.pipe(
    v.nullable(timestamp),
    v.description(`it can be edited for ${messageLimits.editMs / 60_000} minutes`),
  ),
  deletedAt: v.nullable(timestamp),
  isHidden: v.pipe(v.boolean(), v.description('whether a block parts you from its sender')),
  attachments: v.pipe(
    v.array(v.object({ _id: recordId, ...describedFile })),
    v.description('files; empty if it has none, is deleted, or hidden by a block'),
  ),
  ...reactionsOfMessage,
});
export type SocialMessage = v.InferOutput<typeof socialMessage>;

export const messageRequest = v.object({
  _id: v.pipe(recordId, v.description('the same as `conversationId`')),
  conversationId: recordId,
  senderId: memberId,
  senderUsername: v.string(),
  recipientId: memberId,
  messagePreview: v.pipe(v.nullable(v.string()), v.description('the beginning of its message; null without one')),
  status: v.picklist(messageRequestStates),
  createdAt: timestamp,
});
export type MessageRequest = v.InferOutput<typeof messageRequest>;
