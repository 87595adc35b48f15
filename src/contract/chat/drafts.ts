import * as v from 'valibot';
import { operation, prefixed } from '../operation.ts';
import { recordId, timestamp } from '../text.ts';
import { base64, onlyForClients } from './client-mode.ts';
import type { ContextType } from './conversation.ts';
import { chatLimits } from './limits.ts';
import { messageText } from './message.ts';
import { inConversation, roots } from './paths.ts';

const notThere = ['FORBIDDEN', 'CONVERSATION_NOT_FOUND'] as const;

const draft = v.object({
  conversationId: recordId,
  content: v.pipe(v.nullable(v.string()), v.description('null in mode `client`')),
  sealed: v.optional(v.pipe(v.string(), v.description('in mode `client`: what you sent, as it was'))),
  replyToMessageId: v.nullable(recordId),
  updatedAt: timestamp,
});
export type Draft = v.InferOutput<typeof draft>;

/** What a member has written in a conversation of one type and not sent. */
function draftOf<const T extends ContextType>(type: T) {
  const common = {
    envelope: 'social',
    auth: 'member',
    scope: 'chat',
    path: `${roots[type]}/:conversationId/draft`,
  } as const;
  return {
    draft: operation({
      ...common,
      id: `chat.${type}-draft`,
      method: 'GET',
      summary: 'Read your draft in a conversation',
      description: 'Nobody else can read it. It is the same on all your devices.',
      input: v.object(inConversation),
      reply: v.object({ draft: v.pipe(v.nullable(draft), v.description('null if there is none')) }),
      status: 200,
      message: 'Draft',
      errors: notThere,
    }),
    saveDraft: operation({
      ...common,
      id: `chat.${type}-save-draft`,
      method: 'PUT',
      summary: 'Keep a draft in a conversation, instead of the one before',
      description:
        'A conversation has one draft of each member. Sending a message does not change it. It counts to your storage, and ends when you leave.',
      input: v.object({
        ...inConversation,
        content: v.optional(
          v.pipe(messageText, v.description('required in mode `server`, and refused in mode `client`')),
        ),
        sealed: v.optional(
          v.pipe(
            base64({ max: chatLimits.ciphertext }),
            v.metadata(onlyForClients),
            v.description('required in mode `client`, and only there: the draft, encrypted by your client to yourself'),
          ),
        ),
        replyToMessageId: v.optional(recordId),
      }),
      reply: draft,
      status: 200,
      message: 'Draft kept',
      errors: [...notThere, 'MESSAGE_NOT_FOUND', 'CLIENT_ENCRYPTED', 'STORAGE_QUOTA_EXCEEDED'],
      limit: { name: 'chatRead' },
    }),
    deleteDraft: operation({
      ...common,
      id: `chat.${type}-delete-draft`,
      method: 'DELETE',
      summary: 'Delete your draft in a conversation',
      description: 'If there is none, nothing changes.',
      input: v.object(inConversation),
      reply: v.object({ deleted: v.literal(true) }),
      status: 200,
      message: 'Draft deleted',
      errors: notThere,
      limit: { name: 'chatRead' },
    }),
  };
}

export const drafts = {
  ...prefixed('direct', draftOf('direct')),
  ...prefixed('group', draftOf('group')),
  ...prefixed('channel', draftOf('channel')),
};
