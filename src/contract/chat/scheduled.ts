import * as v from 'valibot';
import { operation, prefixed } from '../operation.ts';
import { paged } from '../page.ts';
import { moment, recordId, timestamp } from '../text.ts';
import { onlyForClients } from './client-mode.ts';
import type { ContextType } from './conversation.ts';
import { chatLimits } from './limits.ts';
import { clientId, messageText } from './message.ts';
import { inConversation, roots } from './paths.ts';

const sendAt = v.pipe(moment, v.description('when it is sent: from one minute to one year ahead'));

const states = ['waiting', 'failed'] as const;

const scheduledMessage = v.object({
  id: recordId,
  conversationId: recordId,
  content: v.pipe(
    v.nullable(v.string()),
    v.description('null if you are not in the conversation any more: the text is erased then'),
  ),
  replyToMessageId: v.nullable(recordId),
  clientId: v.nullable(v.string()),
  sendAt: timestamp,
  status: v.pipe(v.picklist(states), v.description('`failed`: it was refused when it was due, and is not sent')),
  reason: v.pipe(v.nullable(v.string()), v.description('of a failed one: the code of the error')),
  createdAt: timestamp,
});
export type ScheduledMessage = v.InferOutput<typeof scheduledMessage>;

const common = { envelope: 'social', auth: 'member', scope: 'chat' } as const;
const limit = { name: 'chatMessage' } as const;

function scheduleIn<const T extends ContextType>(type: T) {
  return {
    schedule: operation({
      ...common,
      id: `chat.${type}-schedule`,
      method: 'POST',
      path: `${roots[type]}/:conversationId/scheduled`,
      summary: 'Have a message sent later',
      description: `It is checked again when it is due. What is refused then becomes your draft in the conversation, or stays in the list as \`failed\`. A member has at most ${chatLimits.scheduled}. It counts to your storage.`,
      input: v.object({
        ...inConversation,
        content: messageText,
        attachments: v.optional(
          v.pipe(
            v.array(recordId, 'must be a list of ids'),
            v.maxLength(0, 'cannot be scheduled: uploads do not wait so long'),
            v.metadata(onlyForClients),
            v.description('refused: a scheduled message has no files'),
          ),
        ),
        replyToMessageId: v.optional(recordId),
        clientId: v.optional(clientId),
        sendAt,
      }),
      reply: scheduledMessage,
      status: 201,
      message: 'Message scheduled',
      errors: [
        'FORBIDDEN',
        'CONVERSATION_NOT_FOUND',
        'MEMBER_NOT_FOUND',
        'MESSAGE_NOT_FOUND',
        'CLIENT_ENCRYPTED',
        'SCHEDULED_FULL',
        'STORAGE_QUOTA_EXCEEDED',
      ],
      limit,
    }),
  };
}

const one = { path: '/api/chat/scheduled/:scheduledId' } as const;
const byId = { scheduledId: recordId };

export const scheduled = {
  ...prefixed('direct', scheduleIn('direct')),
  ...prefixed('group', scheduleIn('group')),
  ...prefixed('channel', scheduleIn('channel')),
  listScheduled: operation({
    ...common,
    id: 'chat.scheduled',
    method: 'GET',
    path: '/api/chat/scheduled',
    summary: 'List your messages that are sent later, the next one first',
    description: 'Those of all conversations, with those that failed. Nobody else can see them.',
    ...paged({
      name: 'items',
      of: scheduledMessage,
      filter: { conversationId: v.optional(v.pipe(recordId, v.description('only those of this conversation'))) },
      limit: chatLimits.page,
      most: chatLimits.mostOnPage,
      end: 'null',
    }),
    status: 200,
    message: 'Scheduled messages',
  }),
  changeScheduled: operation({
    ...common,
    ...one,
    id: 'chat.change-scheduled',
    method: 'PUT',
    summary: 'Change the text or the time of a scheduled message',
    description: 'What is left out stays. A failed one waits again with a new time.',
    input: v.object({ ...byId, content: v.optional(messageText), sendAt: v.optional(sendAt) }),
    reply: scheduledMessage,
    status: 200,
    message: 'Scheduled message changed',
    errors: [
      'FORBIDDEN',
      'SCHEDULED_NOT_FOUND',
      'CONVERSATION_NOT_FOUND',
      'MEMBER_NOT_FOUND',
      'STORAGE_QUOTA_EXCEEDED',
    ],
    limit,
  }),
  removeScheduled: operation({
    ...common,
    ...one,
    id: 'chat.remove-scheduled',
    method: 'DELETE',
    summary: 'Remove a scheduled message, which is not sent then',
    description: 'A message that was sent already is not among them any more.',
    input: v.object(byId),
    reply: v.object({ removed: v.literal(true) }),
    status: 200,
    message: 'Scheduled message removed',
    errors: ['SCHEDULED_NOT_FOUND'],
    limit,
  }),
};
