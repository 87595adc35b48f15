import * as v from 'valibot';
import { archivedFilter, roomName } from '../chat/conversation.ts';
import { attachedIds, attachingErrors, textOfMessage } from '../chat/message.ts';
import { operation } from '../operation.ts';
import { paged } from '../page.ts';
import { actorField, line, memberId, recordId, timestamp } from '../text.ts';
import { chatLimits } from '../chat/limits.ts';
import { conversationTypes, messageRequest, socialConversation } from './message.ts';
import { messageLimits } from './messages/limits.ts';
import { personName } from './person.ts';

const root = '/api/social/messages/conversations';
const one = `${root}/:id`;
const common = { envelope: 'social', auth: 'member' } as const;
const notThere = ['FORBIDDEN', 'CONVERSATION_NOT_FOUND'] as const;
const own = { id: recordId, userId: actorField };

const others = messageLimits.participants - 1;
const people = v.pipe(
  v.array(personName, 'must be a list of members'),
  v.minLength(1, 'must not be empty'),
  v.maxLength(others, `must be at most ${others} members`),
);

/** Settings of a conversation that are on or off: both answer with a message only. */
function mark(id: string, method: 'POST' | 'DELETE', path: string, texts: { summary: string; message: string }) {
  return operation({
    ...common,
    ...texts,
    id: `social.${id}`,
    method,
    path: `${one}/${path}`,
    description: 'Only you see it, and the others are told nothing.',
    input: v.object(own),
    reply: v.object({}),
    status: 200,
    errors: notThere,
  });
}

/** Conversations of the social network, prefix `/api/social/messages/conversations`. */
export const conversations = {
  listConversations: operation({
    ...common,
    id: 'social.conversations',
    method: 'GET',
    path: root,
    scope: 'chat',
    summary: 'List your conversations, the newest activity first',
    description:
      'Without `archived` those that you archived are left out, and so are requests that you have not accepted. What you deleted comes back with the next message.',
    ...paged({
      name: 'conversations',
      of: socialConversation,
      filter: { userId: actorField, archived: archivedFilter },
      end: 'null',
    }),
    status: 200,
    message: 'Conversations',
  }),
  beginConversation: operation({
    ...common,
    id: 'social.begin-conversation',
    method: 'POST',
    path: root,
    summary: 'Begin a conversation with a member, or a group of members',
    description:
      'Two who follow each other begin at once. Otherwise the other one gets a request: until it is accepted you can send one message. A conversation of two that you deleted is opened again, empty. Whoever makes a group is its owner.',
    input: v.object({
      userId: actorField,
      type: v.optional(v.picklist(conversationTypes, `must be one of ${conversationTypes.join(', ')}`), 'direct'),
      otherUserId: v.optional(v.pipe(personName, v.description('for a conversation of two: the other one'))),
      participantIds: v.optional(v.pipe(people, v.description('for a group: the others'))),
      name: v.optional(v.pipe(roomName, v.description('of a group'))),
      content: v.optional(v.pipe(textOfMessage(messageLimits.text), v.description('the first message'))),
      attachments: attachedIds,
    }),
    reply: v.union([socialConversation, v.object({ request: messageRequest, conversationId: recordId })]),
    status: 201,
    message: 'Conversation created',
    outcomes: {
      others: [{ status: 200, message: 'Message request sent' }],
      of: (reply) => ('conversationId' in reply ? { status: 200, message: 'Message request sent' } : undefined),
    },
    errors: [
      'FORBIDDEN',
      'MEMBER_NOT_FOUND',
      'CONVERSATION_EXISTS',
      'MEMBER_BLOCKED',
      'DMS_CLOSED',
      'CONVERSATIONS_FULL',
      'REQUEST_PENDING',
      'TOO_MANY_MENTIONS',
      'STORAGE_QUOTA_EXCEEDED',
      ...attachingErrors,
    ],
    limit: { name: 'chatMembership' },
  }),
  showConversation: operation({
    ...common,
    id: 'social.conversation',
    method: 'GET',
    path: one,
    scope: 'chat',
    summary: 'Show a conversation of yours',
    description: 'Also one that somebody asks you for with a message request.',
    input: v.object(own),
    reply: socialConversation,
    status: 200,
    message: 'Conversation',
    errors: notThere,
  }),
  deleteConversation: operation({
    ...common,
    id: 'social.delete-conversation',
    method: 'DELETE',
    path: one,
    summary: 'Delete a conversation from your view',
    description:
      'You do not see any more what was said until now; the others do. A group is left, and the last one who leaves deletes it for good. An owner who leaves hands the group over to whoever has been in it the longest.',
    input: v.object(own),
    reply: v.null(),
    status: 204,
    message: 'Conversation deleted',
    errors: notThere,
    limit: { name: 'chatMembership' },
  }),
  readConversation: operation({
    ...common,
    id: 'social.read-conversation',
    method: 'POST',
    path: `${one}/read`,
    scope: 'chat',
    summary: 'Mark messages as read',
    description: 'What was read stays read. Others hear of it if you and they show that in the privacy settings.',
    input: v.object({
      ...own,
      messageId: v.optional(v.pipe(recordId, v.description('up to this message; without it, all of them'))),
    }),
    reply: v.object({
      conversationId: recordId,
      userId: memberId,
      lastReadAt: v.nullable(timestamp),
      lastReadMessageId: v.nullable(recordId),
    }),
    status: 200,
    message: 'Read',
    errors: [...notThere, 'MESSAGE_NOT_FOUND'],
    limit: { name: 'chatRead' },
  }),
  typeInConversation: operation({
    ...common,
    id: 'social.type-in-conversation',
    method: 'POST',
    path: `${one}/typing`,
    scope: 'chat',
    summary: 'Tell the others that you are typing',
    description: `It is told once in ${chatLimits.typingEveryMs / 1000} seconds, and holds for ${chatLimits.typingMs / 1000}.`,
    input: v.object(own),
    reply: v.object({ expiresAt: v.nullable(timestamp) }),
    status: 200,
    message: 'Told',
    errors: [...notThere, 'MEMBER_NOT_FOUND'],
    limit: { name: 'chatRead' },
  }),
  pinConversation: operation({
    ...mark('pin-conversation', 'POST', 'pin', { summary: 'Pin a conversation', message: 'Conversation pinned' }),
    description: `Only you see it. At most ${messageLimits.pinned} are pinned.`,
    errors: [...notThere, 'TOO_MANY_PINNED'],
  }),
  unpinConversation: mark('unpin-conversation', 'DELETE', 'pin', {
    summary: 'Unpin a conversation',
    message: 'Conversation unpinned',
  }),
  archiveConversation: mark('archive-conversation', 'POST', 'archive', {
    summary: 'Archive a conversation',
    message: 'Conversation archived',
  }),
  unarchiveConversation: mark('unarchive-conversation', 'POST', 'unarchive', {
    summary: 'Take a conversation out of the archive',
    message: 'Conversation taken out of the archive',
  }),
  muteConversation: operation({
    ...mark('mute-conversation', 'POST', 'mute', { summary: 'Mute a conversation', message: 'Conversation muted' }),
    description: 'You are not notified of its messages. Only you see it.',
    input: v.object({
      ...own,
      expiresAt: v.optional(v.pipe(timestamp, v.description('until when; without it, until you unmute it'))),
    }),
  }),
  unmuteConversation: mark('unmute-conversation', 'DELETE', 'mute', {
    summary: 'Unmute a conversation',
    message: 'Conversation unmuted',
  }),
  addParticipants: operation({
    ...common,
    id: 'social.add-participants',
    method: 'POST',
    path: `${one}/participants`,
    summary: 'Add members to a group',
    description:
      'Everybody in the group can. All are added, or nobody is. They see what is said from then on. Whoever takes messages only from members who follow them cannot be added by others.',
    input: v.object({ id: recordId, userIds: people }),
    reply: socialConversation,
    status: 200,
    message: 'Members added',
    creates: true,
    errors: [...notThere, 'MEMBER_NOT_FOUND', 'DMS_CLOSED', 'ALREADY_IN_ROOM', 'ROOM_FULL', 'CONVERSATIONS_FULL'],
    limit: { name: 'chatMembership' },
  }),
  removeParticipant: operation({
    ...common,
    id: 'social.remove-participant',
    method: 'DELETE',
    path: `${one}/participants/:userId`,
    summary: 'Remove a member from a group',
    description: 'For its owner. To leave a group, delete it from your view.',
    input: v.object({ id: recordId, userId: personName }),
    reply: socialConversation,
    status: 200,
    message: 'Member removed',
    errors: [...notThere, 'NOT_IN_ROOM'],
    limit: { name: 'chatMembership' },
  }),
  changeConversation: operation({
    ...common,
    id: 'social.change-conversation',
    method: 'PUT',
    path: `${one}/settings`,
    summary: 'Change the name or the picture of a group',
    description: 'Everybody in the group can. Fields that are left out stay.',
    input: v.object({
      ...own,
      name: v.optional(roomName),
      avatarUrl: v.optional(
        v.pipe(
          v.nullable(line(200)),
          v.description('`url` of a picture that you uploaded to `/api/social/media`; null: no picture'),
        ),
      ),
    }),
    reply: socialConversation,
    status: 200,
    message: 'Conversation changed',
    errors: [...notThere, 'INVALID_MEDIA'],
  }),
};
