import * as v from 'valibot';
import { operation, prefixed } from '../operation.ts';
import { paged } from '../page.ts';
import { actorField, integer, recordId } from '../text.ts';
import type { ContextType, RoomType } from './conversation.ts';
import { envelopeErrors } from './client-mode.ts';
import { chatLimits } from './limits.ts';
import { messageErrors, chatMessage, emoji, newMessage } from './message.ts';
import { inConversation, roots } from './paths.ts';

const ofMessage = { ...inConversation, messageId: recordId };
const notThere = ['FORBIDDEN', 'CONVERSATION_NOT_FOUND', 'MESSAGE_NOT_FOUND'] as const;

/** The messages of conversations of one type, with what members do to them. */
function messagesOf<const T extends ContextType>(type: T) {
  const list = `${roots[type]}/:conversationId/messages`;
  const one = `${list}/:messageId`;
  const common = { envelope: 'social', auth: 'member', scope: 'chat' } as const;
  return {
    messages: operation({
      ...common,
      id: `chat.${type}-messages`,
      bot: 'read',
      method: 'GET',
      path: list,
      summary: 'List messages in their order, the newest page first',
      description:
        'Without `cursor`, `after` and `around` it is the newest page, and `cursor` leads to older ones. Messages of a page stand in the order of their numbers. Deleted and hidden ones keep their places without their content.',
      ...paged({
        name: 'items',
        of: chatMessage,
        filter: {
          ...inConversation,
          after: v.optional(
            v.pipe(
              integer(0, Number.MAX_SAFE_INTEGER),
              v.description('only messages after this number; `hasMore` says whether more follow'),
            ),
          ),
          around: v.optional(v.pipe(recordId, v.description('the page about this message'))),
        },
        limit: chatLimits.page,
        most: chatLimits.mostOnPage,
        end: 'null',
        errors: notThere,
      }),
      status: 200,
      message: 'Messages',
    }),
    message: operation({
      ...common,
      id: `chat.${type}-message`,
      bot: 'read',
      method: 'GET',
      path: one,
      summary: 'Show a message with its earlier texts',
      description: 'Of a deleted one it says who sent it and when it was deleted.',
      input: v.object(ofMessage),
      reply: chatMessage,
      status: 200,
      message: 'Message',
      errors: notThere,
    }),
    editMessage: operation({
      ...common,
      id: `chat.${type}-edit-message`,
      bot: 'write',
      method: 'PUT',
      path: one,
      summary: 'Change the text of a message that you sent',
      description: `The last ${chatLimits.edits} earlier texts are kept, and members can read them.`,
      input: v.object({ ...ofMessage, content: newMessage.content, envelope: newMessage.envelope }),
      reply: chatMessage,
      status: 200,
      message: 'Message changed',
      errors: [
        ...notThere,
        'MEMBER_NOT_FOUND',
        'TOO_MANY_MENTIONS',
        'STORAGE_QUOTA_EXCEEDED',
        ...envelopeErrors,
        'REVISION_CHANGED',
      ],
      limit: { name: 'chatMessage' },
    }),
    deleteMessage: operation({
      ...common,
      id: `chat.${type}-delete-message`,
      bot: 'write',
      method: 'DELETE',
      path: one,
      summary: 'Delete a message',
      description:
        'Its text, earlier texts, reactions and pin are erased for everybody. Its place in the conversation stays, and says who sent it and when it was deleted.',
      input: v.object(ofMessage),
      reply: v.object({ deleted: v.literal(true) }),
      status: 200,
      message: 'Message deleted',
      errors: notThere,
      limit: { name: 'chatMessage' },
    }),
    react: operation({
      ...common,
      id: `chat.${type}-react`,
      bot: 'write',
      method: 'POST',
      path: `${one}/reactions`,
      summary: 'React to a message with an emoji',
      description: 'To react with the same emoji again changes nothing, and answers with the id of the first time.',
      input: v.object({ ...ofMessage, emoji }),
      reply: v.object({ reactionId: recordId, emoji: v.string() }),
      status: 201,
      message: 'Reaction added',
      errors: [...notThere, 'MEMBER_NOT_FOUND', 'TOO_MANY_REACTIONS'],
      limit: { name: 'chatMark' },
    }),
    unreact: operation({
      ...common,
      id: `chat.${type}-unreact`,
      bot: 'write',
      method: 'DELETE',
      path: `${one}/reactions/:reactionId`,
      summary: 'Take back a reaction of yours',
      description:
        'One of somebody else cannot be taken back: it is refused if you see the message, and unknown otherwise.',
      input: v.object({ ...ofMessage, reactionId: recordId }),
      reply: v.object({ removed: v.literal(true) }),
      status: 200,
      message: 'Reaction removed',
      errors: [...notThere, 'REACTION_NOT_FOUND'],
      limit: { name: 'chatMark' },
    }),
    pin: operation({
      ...common,
      id: `chat.${type}-pin`,
      method: 'POST',
      path: `${one}/pin`,
      summary: 'Pin a message, for everybody in the conversation',
      description: `A conversation has at most ${chatLimits.pins} pinned messages.`,
      input: v.object(ofMessage),
      reply: v.object({ pinned: v.literal(true) }),
      status: 200,
      message: 'Message pinned',
      errors: [...notThere, 'MEMBER_NOT_FOUND', 'PINS_FULL'],
      limit: { name: 'chatMark' },
    }),
    unpin: operation({
      ...common,
      id: `chat.${type}-unpin`,
      method: 'DELETE',
      path: `${one}/pin`,
      summary: 'Unpin a message',
      description: 'To unpin a message that is not pinned changes nothing.',
      input: v.object(ofMessage),
      reply: v.object({ unpinned: v.literal(true) }),
      status: 200,
      message: 'Message unpinned',
      errors: [...notThere, 'MEMBER_NOT_FOUND'],
      limit: { name: 'chatMark' },
    }),
    pins: operation({
      ...common,
      id: `chat.${type}-pins`,
      bot: 'read',
      method: 'GET',
      path: `${roots[type]}/:conversationId/pins`,
      summary: 'List the pinned messages, the last one pinned first',
      description: `There are at most ${chatLimits.pins} of them, so they come in one page.`,
      input: v.object(inConversation),
      reply: v.object({ items: v.array(chatMessage) }),
      status: 200,
      message: 'Pinned messages',
      errors: ['FORBIDDEN', 'CONVERSATION_NOT_FOUND'],
    }),
  };
}

/** A message to a conversation of one type that has roles. */
export function sendTo<const T extends RoomType>(type: T) {
  return operation({
    envelope: 'social',
    auth: 'member',
    id: `chat.send-to-${type}`,
    method: 'POST',
    path: `${roots[type]}/:conversationId/messages`,
    scope: 'chat',
    bot: 'write',
    summary: `Send a message to a ${type}`,
    description:
      'Members whom it names as `@username` are notified. `@all` names all of them; above 50 members only owners and admins can.',
    input: v.object({
      ...inConversation,
      senderId: actorField,
      ...newMessage,
    }),
    reply: chatMessage,
    status: 201,
    message: 'Message sent',
    errors: [
      'FORBIDDEN',
      'CONVERSATION_NOT_FOUND',
      'MESSAGE_NOT_FOUND',
      'TOO_MANY_MENTIONS',
      'STORAGE_QUOTA_EXCEEDED',
      ...messageErrors,
    ],
    limit: { name: 'chatMessage' },
  });
}

export const messages = {
  ...prefixed('direct', messagesOf('direct')),
  ...prefixed('group', messagesOf('group')),
  ...prefixed('channel', messagesOf('channel')),
};
