import * as v from 'valibot';
import { attachedIds, attachingErrors, clientId, emoji, textOfMessage } from '../chat/message.ts';
import { chatLimits } from '../chat/limits.ts';
import { operation } from '../operation.ts';
import { paged } from '../page.ts';
import { actorField, atLeast, integer, line, memberId, recordId } from '../text.ts';
import { socialMessage } from './message.ts';
import { messageLimits } from './messages/limits.ts';

const root = '/api/social/messages';
const one = `${root}/:messageId`;
const inConversation = `${root}/conversations/:id`;
const common = { envelope: 'social', auth: 'member', scope: 'chat' } as const;
const own = { messageId: recordId, userId: actorField };
const notThere = ['FORBIDDEN', 'MESSAGE_NOT_FOUND'] as const;
const text = textOfMessage(messageLimits.text);

const query = v.pipe(
  line(chatLimits.searchText),
  v.trim(),
  atLeast(2),
  v.metadata({ minLength: 2 }),
  v.description(
    `2 to ${chatLimits.searchText} characters: words, and conditions such as \`from:NAME\` and \`before:2026-01-31\``,
  ),
);
const found = { name: 'messages', of: socialMessage, limit: 20, end: 'null' } as const;

/** Messages of the social network, prefix `/api/social/messages`. */
export const messages = {
  listMessages: operation({
    ...common,
    id: 'social.messages',
    method: 'GET',
    path: `${inConversation}/messages`,
    summary: 'List messages in their order, the newest page first',
    description:
      'Without `cursor`, `after` and `around` it is the newest page, and `cursor` leads to older ones. Messages of a page stand in the order of their numbers. Deleted and hidden ones keep their places without their content.',
    ...paged({
      name: 'messages',
      of: socialMessage,
      filter: {
        id: recordId,
        userId: actorField,
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
      errors: ['FORBIDDEN', 'CONVERSATION_NOT_FOUND', 'MESSAGE_NOT_FOUND'],
    }),
    status: 200,
    message: 'Messages',
  }),
  sendMessage: operation({
    ...common,
    id: 'social.send-message',
    method: 'POST',
    path: `${inConversation}/messages`,
    summary: 'Send a message',
    description:
      'While a request waits, its sender can send one message. What the other one sends accepts the request. Members whom a message to a group names as `@username` are notified.',
    input: v.object({
      id: recordId,
      senderId: actorField,
      content: text,
      attachments: attachedIds,
      replyToMessageId: v.optional(recordId),
      clientId: v.optional(clientId),
    }),
    reply: socialMessage,
    status: 201,
    message: 'Message sent',
    errors: [
      'FORBIDDEN',
      'CONVERSATION_NOT_FOUND',
      'MEMBER_NOT_FOUND',
      'MESSAGE_NOT_FOUND',
      'REQUEST_PENDING',
      'TOO_MANY_MENTIONS',
      ...attachingErrors,
      'STORAGE_QUOTA_EXCEEDED',
    ],
    limit: { name: 'chatMessage' },
  }),
  editMessage: operation({
    ...common,
    id: 'social.edit-message',
    method: 'PUT',
    path: one,
    summary: 'Change the text of a message that you sent',
    description: `It is possible for ${messageLimits.editMs / 60_000} minutes.`,
    input: v.object({ ...own, content: text }),
    reply: socialMessage,
    status: 200,
    message: 'Message changed',
    errors: [...notThere, 'MEMBER_NOT_FOUND', 'MESSAGE_EDIT_OVER', 'TOO_MANY_MENTIONS', 'STORAGE_QUOTA_EXCEEDED'],
    limit: { name: 'chatMessage' },
  }),
  deleteMessage: operation({
    ...common,
    id: 'social.delete-message',
    method: 'DELETE',
    path: one,
    summary: 'Delete a message that you sent, for everybody',
    description: 'Its text, files and reactions are erased. Its place in the conversation stays.',
    input: v.object(own),
    reply: v.null(),
    status: 204,
    message: 'Message deleted',
    errors: [...notThere, 'MESSAGE_ALREADY_DELETED'],
    limit: { name: 'chatMessage' },
  }),
  forwardMessage: operation({
    ...common,
    id: 'social.forward-message',
    method: 'POST',
    path: `${one}/forward`,
    summary: 'Send a message that you can read to another conversation of yours',
    description:
      'Its text is sent again with its files, which are not copied, and count to your storage. It the message that it repeats to those who may see that one.',
    input: v.object({ ...own, targetConversationId: recordId }),
    reply: socialMessage,
    status: 200,
    message: 'Message forwarded',
    creates: true,
    errors: [
      ...notThere,
      'CONVERSATION_NOT_FOUND',
      'MEMBER_NOT_FOUND',
      'ATTACHMENT_NOT_FOUND',
      'REQUEST_PENDING',
      'TOO_MANY_MENTIONS',
      'STORAGE_QUOTA_EXCEEDED',
    ],
    limit: { name: 'chatMessage' },
  }),
  reactToMessage: operation({
    ...common,
    id: 'social.react-to-message',
    method: 'POST',
    path: `${one}/reactions`,
    summary: 'React to a message with an emoji',
    description: `A message has at most ${messageLimits.emoji} different reactions.`,
    input: v.object({ ...own, emoji }),
    reply: v.object({ messageId: recordId, userId: memberId, emoji: v.string() }),
    status: 200,
    message: 'Reaction added',
    creates: true,
    errors: [...notThere, 'MEMBER_NOT_FOUND', 'ALREADY_REACTED', 'TOO_MANY_REACTIONS'],
    limit: { name: 'chatMark' },
  }),
  unreactToMessage: operation({
    ...common,
    id: 'social.unreact-to-message',
    method: 'DELETE',
    path: `${one}/reactions/:emoji`,
    summary: 'Take back a reaction of yours',
    description: 'It is named by its emoji, encoded for a URL.',
    input: v.object({ ...own, emoji }),
    reply: v.object({}),
    status: 200,
    message: 'Reaction removed',
    errors: [...notThere, 'REACTION_NOT_FOUND'],
    limit: { name: 'chatMark' },
  }),
  searchConversation: operation({
    ...common,
    id: 'social.search-conversation',
    method: 'GET',
    path: `${inConversation}/search`,
    summary: 'Search the messages of a conversation, the newest first',
    description: 'Only what you may read is found.',
    ...paged({
      ...found,
      filter: { id: recordId, userId: actorField, q: query },
      errors: ['FORBIDDEN', 'CONVERSATION_NOT_FOUND'],
    }),
    status: 200,
    message: 'Messages found',
  }),
  searchMessages: operation({
    ...common,
    id: 'social.search-messages',
    method: 'GET',
    path: `${root}/search`,
    summary: 'Search your conversations, the newest messages first',
    description: `\`in:\` takes the id of a conversation, the name of a group without spaces, or the username of who you talk to; without it, the ${chatLimits.searchedTogether} conversations with the newest activity are searched. A page can be shorter than \`limit\`, and \`hasMore\` says whether others follow.`,
    ...paged({ ...found, filter: { userId: actorField, q: query } }),
    status: 200,
    message: 'Messages found',
  }),
};
