import * as v from 'valibot';
import { conversationTopic } from '../../chat/events.ts';
import { event } from '../../event.ts';
import { memberId, recordId, timestamp } from '../../text.ts';
import { conversationFacts, reactionsOfMessage, socialMessage } from '../message.ts';

const ofConversation = { topic: conversationTopic, replayable: true } as const;
const passing = { topic: conversationTopic, replayable: false } as const;
const about = { conversationId: recordId, seq: v.pipe(v.number(), v.description('of the message')) };

/** What members hear of a conversation of the social network. Conversations of chat have events of their own. */
export const socialMessageEvents = {
  messageNew: event({
    ...ofConversation,
    name: 'message:new',
    summary: 'A message was sent in a conversation of the social network',
    description: 'Your own sockets hear of your own messages too; `clientId` says which of them it is.',
    data: v.object({ ...about, message: socialMessage }),
  }),
  messageEdited: event({
    ...ofConversation,
    name: 'message:edited',
    summary: 'The text of a message was changed',
    description: '',
    data: v.object({ ...about, message: socialMessage }),
  }),
  messageDeleted: event({
    ...ofConversation,
    name: 'message:deleted',
    summary: 'A message was deleted',
    description: 'Its place stays.',
    data: v.object({ ...about, messageId: recordId }),
  }),
  messageReaction: event({
    ...ofConversation,
    name: 'message:reaction',
    summary: 'The reactions to a message have changed',
    description: 'It has all that there are from then on.',
    data: v.object({ ...about, messageId: recordId, ...reactionsOfMessage }),
  }),
  conversationUpdated: event({
    ...ofConversation,
    name: 'conversation:updated',
    summary: 'Who is in a conversation, or its settings, have changed',
    description: 'It has what all who are in it know. For what is yours, show the conversation.',
    data: v.object({
      conversationId: recordId,
      seq: v.pipe(v.number(), v.description('of the last message')),
      conversation: v.object(conversationFacts),
    }),
  }),
  conversationTyping: event({
    ...passing,
    name: 'conversation:typing',
    summary: 'Somebody is typing, or has stopped',
    description:
      'It holds until `expiresAt`, or until a message of theirs; null: they have stopped. It is not sent to members whom a block parts from them.',
    data: v.object({ conversationId: recordId, userId: memberId, expiresAt: v.nullable(timestamp) }),
  }),
  conversationRead: event({
    ...passing,
    name: 'conversation:read',
    summary: 'Somebody has read messages',
    description: 'Only between members who both show in their privacy settings what they have read.',
    data: v.object({
      conversationId: recordId,
      seq: v.pipe(v.number(), v.description('of the last message that they have read')),
      userId: memberId,
      lastReadAt: timestamp,
    }),
  }),
};
