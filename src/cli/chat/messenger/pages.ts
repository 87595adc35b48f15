import { perform } from '../../../client/perform.ts';
import type { Conversation } from '../../../contract/chat/conversation.ts';
import type { ChatMessage } from '../../../contract/chat/message.ts';
import { Problem } from '../../../base/problem.ts';
import { socialPagesOf } from '../../social/messages/messages.ts';
import { operationsOf } from '../operations.ts';
import { pagesOf, type PageReader } from '../read-messages.ts';
import { isPassing } from '../../kit/passing.ts';
import type { Desk } from './desk.ts';
import { isSocial, withTalk, withTalks, type OpenThread, type Place, type Said } from './state.ts';
import { newAfterIn, threadOf } from './threads.ts';

/** Pages of a conversation, or of the thread of it that is open under an id. */
export function pagesIn(desk: Desk, place: Place, id: string): PageReader<Said> {
  if (isSocial(place)) return socialPagesOf(desk.client, place);
  const thread = desk.state().talks.get(id)?.thread;
  if (thread !== undefined) return threadPages(desk, place, id, thread);
  const read = pagesOf(desk.client, place);
  return async (asked) => {
    const page = await read(asked);
    return { ...page, items: await readable(desk, place, page.items) };
  };
}

/** Answers, and before them the message that began the thread, unless those after a number are wanted. */
function threadPages(desk: Desk, place: Conversation, talkId: string, opened: OpenThread): PageReader<Said> {
  const { id: conversationId, type } = place;
  const read = operationsOf[type].thread;
  return async ({ limit, cursor, after }) => {
    const part = { limit, ...(cursor !== undefined && { cursor }), ...(after !== undefined && { after }) };
    const { thread, items, hasMore, ...next } = await perform(desk.client, read, {
      conversationId,
      messageId: opened.id,
      ...part,
    });
    const page = await readable(desk, place, after === undefined ? [thread.root, ...items] : items, opened);
    if (cursor === undefined && after === undefined) {
      const newAfter = newAfterIn(page, desk.state().me.id, thread.unread);
      desk.change((state) =>
        withTalk(state, talkId, (talk) => ({
          ...talk,
          thread: threadOf(thread),
          newAfter: newAfter ?? talk.newAfter,
        })),
      );
    }
    return { items: page, hasMore, cursor: next.cursor };
  };
}

/** Reads what the person has in a thread, which changes when they write in it. */
export async function readThreadFacts(desk: Desk, place: Conversation, talkId: string): Promise<void> {
  const messageId = desk.state().talks.get(talkId)?.thread?.id;
  if (messageId === undefined) return;
  const input = { conversationId: place.id, messageId, limit: 1 };
  const { thread } = await perform(desk.client, operationsOf[place.type].thread, input);
  desk.change((state) => withTalk(state, talkId, (talk) => ({ ...talk, thread: threadOf(thread) })));
}

/**
 * Messages as this machine can show them: without texts if the key is missing, or something does not fit.
 * @param thread for its answers, of which what the node alone calls one has no text
 */
export async function readable(
  desk: Desk,
  place: Conversation,
  items: readonly ChatMessage[],
  thread?: OpenThread,
): Promise<Said[]> {
  const { side } = desk;
  try {
    if (!(await side.isSealed(place))) return [...items];
    if ((await side.selfIfGiven()) !== undefined) {
      const opened = await side.read(place, items);
      desk.change((state) => withTalks(state, place.id, (talk) => ({ ...talk, isLocked: false })));
      if (thread === undefined) return opened;
      const { provenAnswers } = await import('../../../client/chat/open-messages.ts');
      return opened.flatMap((one) => (one.id === thread.id ? [one] : provenAnswers([one])));
    }
    desk.change((state) => withTalks(state, place.id, (talk) => ({ ...talk, isLocked: true })));
  } catch (error) {
    if (isPassing(error) || !(error instanceof Problem)) throw error;
    const doubt = error.message;
    desk.change((state) => withTalks(state, place.id, (talk) => ({ ...talk, doubt })));
  }
  const { unproven } = await import('../../../client/chat/open-messages.ts');
  return items.map(unproven);
}
