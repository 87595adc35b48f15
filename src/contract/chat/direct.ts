import * as v from 'valibot';
import { operation } from '../operation.ts';
import { paged } from '../page.ts';
import { actorField, memberId, recordId } from '../text.ts';
import { archivedFilter, chatMember, conversation, roomName } from './conversation.ts';
import { beginningFields, epochErrors, epochOfAddition } from './client-mode.ts';
import { chatLimits } from './limits.ts';
import { memberIds } from './members.ts';
import { retentionChange, retentionMs } from './room-rules.ts';
import { messageErrors, chatMessage, newMessage } from './message.ts';

const root = '/api/conversations';

/** Conversations of two members. */
export const direct = {
  sendDirect: operation({
    id: 'chat.send-direct',
    method: 'POST',
    path: root,
    envelope: 'social',
    auth: 'member',
    scope: 'chat',
    bot: 'write',
    summary: 'Send a message to a member',
    description:
      'The conversation of the two begins with the first message. Somebody who is suspended, or parted from you by a block, is as unknown as one who does not exist. Members of other nodes are reached by e-mail.',
    input: v.object({
      senderId: actorField,
      recipientId: memberId,
      ...newMessage,
      ...beginningFields,
    }),
    reply: chatMessage,
    status: 201,
    message: 'Message sent',
    errors: [
      'MEMBER_NOT_FOUND',
      'MESSAGE_NOT_FOUND',
      'CONVERSATIONS_FULL',
      'STORAGE_QUOTA_EXCEEDED',
      ...messageErrors,
      'CONVERSATION_ID_TAKEN',
      'MODE_FIXED',
    ],
    limit: { name: 'chatMessage' },
  }),
  listConversations: operation({
    id: 'chat.conversations',
    method: 'GET',
    path: root,
    envelope: 'social',
    auth: 'member',
    scope: 'chat',
    summary: 'List your direct conversations, the newest activity first',
    description:
      'Without `archived` those that you archived are left out. The beginning of the last message is opened when it is shown, so it follows edits and deletions.',
    ...paged({
      name: 'items',
      of: conversation,
      filter: {
        memberId: v.optional(
          v.pipe(memberId, v.description('only the conversation with this member, archived or not')),
        ),
        archived: archivedFilter,
      },
      limit: chatLimits.page,
      most: chatLimits.mostOnPage,
      end: 'null',
    }),
    status: 200,
    message: 'Conversations',
  }),
  setRetention: operation({
    id: 'chat.direct-retention',
    method: 'PUT',
    path: `${root}/:conversationId`,
    envelope: 'social',
    auth: 'member',
    summary: 'Decide how long a direct conversation keeps its messages',
    description:
      'Either of the two can, and both hear of it. What is older is not shown any more, and erased with all that belongs to it.',
    input: v.object({ conversationId: recordId, retentionMs: retentionChange }),
    reply: v.object({ id: recordId, retentionMs }),
    status: 200,
    message: 'Conversation changed',
    errors: ['FORBIDDEN', 'CONVERSATION_NOT_FOUND', 'MEMBER_NOT_FOUND'],
  }),
  promote: operation({
    id: 'chat.promote',
    method: 'POST',
    path: `${root}/:conversationId/promote`,
    envelope: 'social',
    auth: 'member',
    summary: 'Make a group of a direct conversation, with more members',
    description:
      'The conversation becomes the group, with all that was said: you are its owner and the other one an admin. Those who are added see what is said from then on. The two of you can begin a new direct conversation.',
    input: v.object({
      conversationId: recordId,
      newMemberIds: memberIds,
      name: v.optional(roomName),
      epoch: epochOfAddition,
    }),
    reply: v.object({
      groupId: recordId,
      name: v.string(),
      members: v.array(chatMember),
      promotedFromConversation: recordId,
    }),
    status: 200,
    message: 'Group created',
    creates: true,
    errors: [
      'FORBIDDEN',
      'CONVERSATION_NOT_FOUND',
      'MEMBER_NOT_FOUND',
      'ROOM_FULL',
      'CONVERSATIONS_FULL',
      ...epochErrors,
    ],
    limit: { name: 'chatMembership' },
  }),
};
