import * as v from 'valibot';
import { operation, prefixed } from '../operation.ts';
import { paged } from '../page.ts';
import { integer, recordId, timestamp, trueOrFalse } from '../text.ts';
import type { ContextType } from './conversation.ts';
import { chatLimits } from './limits.ts';
import { chatMessage } from './message.ts';
import { inConversation, roots } from './paths.ts';

const ofThread = { ...inConversation, messageId: recordId };
const notThere = ['FORBIDDEN', 'CONVERSATION_NOT_FOUND', 'MESSAGE_NOT_FOUND'] as const;
const number = v.number();

const threadId = v.pipe(recordId, v.description('id of the message that began the thread'));

/** What a member has in a thread. */
const own = {
  unread: v.pipe(number, v.description('answers that you have read neither here nor in the conversation')),
  mentionCount: v.pipe(number, v.description('those of them that name you')),
  following: v.pipe(v.boolean(), v.description('whether you are notified of answers')),
};

/** A thread as a member of its conversation sees it. */
const chatThread = v.object({
  threadId,
  root: v.pipe(chatMessage, v.description('the message that began it, without its earlier texts')),
  replyCount: v.pipe(
    number,
    v.description('answers to it and to its answers; deleted and hidden ones keep their places'),
  ),
  lastSeq: v.pipe(v.nullable(number), v.description('number of the last answer; null: there is none')),
  lastReplyAt: v.nullable(timestamp),
  ...own,
});
export type ChatThread = v.InferOutput<typeof chatThread>;

const flag = (description: string) => v.optional(v.pipe(trueOrFalse, v.description(description)));

/** The threads of conversations of one type. */
function threadsOf<const T extends ContextType>(type: T) {
  const list = `${roots[type]}/:conversationId/threads`;
  const one = `${list}/:messageId`;
  const common = { envelope: 'social', auth: 'member', scope: 'chat' } as const;
  return {
    threads: operation({
      ...common,
      id: `chat.${type}-threads`,
      method: 'GET',
      path: list,
      summary: 'List the threads of a conversation, the newest activity first',
      description:
        'A thread is a message that answers nothing, with all that answer it or one of its answers. A thread whose first message you cannot see is not among them; its answers are in the conversation.',
      ...paged({
        name: 'items',
        of: chatThread,
        filter: {
          ...inConversation,
          following: flag('true: only those that you follow'),
          unread: flag('true: only those with answers that you have not read'),
        },
        limit: chatLimits.page,
        most: chatLimits.mostOnPage,
        end: 'null',
        errors: ['FORBIDDEN', 'CONVERSATION_NOT_FOUND'],
      }),
      status: 200,
      message: 'Threads',
    }),
    thread: operation({
      ...common,
      id: `chat.${type}-thread`,
      method: 'GET',
      path: one,
      summary: 'List the answers of a thread in their order, the newest page first',
      description:
        'Named by its first message or by any answer. A message without answers is a thread of its own. Without `cursor` and `after` it is the newest page, and `cursor` leads to older ones; the first message comes with each page, as `thread.root`.',
      ...paged({
        name: 'items',
        of: chatMessage,
        filter: {
          ...ofThread,
          after: v.optional(
            v.pipe(
              integer(0, Number.MAX_SAFE_INTEGER),
              v.description('only answers after this number; `hasMore` says whether more follow'),
            ),
          ),
        },
        more: { thread: chatThread },
        limit: chatLimits.page,
        most: chatLimits.mostOnPage,
        end: 'null',
        errors: notThere,
      }),
      status: 200,
      message: 'Thread',
    }),
    readThread: operation({
      ...common,
      id: `chat.${type}-read-thread`,
      method: 'POST',
      path: `${one}/read`,
      summary: 'Mark answers of a thread as read up to a number',
      description:
        'Nothing else of the conversation is read by that, and nobody else hears of it. Whoever reads the conversation has read its threads.',
      input: v.object({
        ...ofThread,
        seq: v.optional(
          v.pipe(integer(0, Number.MAX_SAFE_INTEGER), v.description('number of the answer; without it, the last one')),
        ),
      }),
      reply: v.object({
        threadId,
        seq: v.pipe(number, v.description('you have read the thread up to this number')),
        unread: own.unread,
        mentionCount: own.mentionCount,
      }),
      status: 200,
      message: 'Read',
      errors: notThere,
      limit: { name: 'chatRead' },
    }),
    followThread: operation({
      ...common,
      id: `chat.${type}-follow-thread`,
      method: 'PUT',
      path: one,
      summary: 'Choose whether you follow a thread',
      description:
        'Without a choice whoever wrote the first message, answered, or is named in an answer follows it. Followers are notified of answers where they are otherwise notified of mentions only. What you choose holds until you choose again, or leave.',
      input: v.object({ ...ofThread, following: v.boolean('must be true or false') }),
      reply: v.object({ threadId, following: own.following }),
      status: 200,
      message: 'Chosen',
      errors: notThere,
      limit: { name: 'chatRead' },
    }),
  };
}

export const threads = {
  ...prefixed('direct', threadsOf('direct')),
  ...prefixed('group', threadsOf('group')),
  ...prefixed('channel', threadsOf('channel')),
};
