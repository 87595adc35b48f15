import type { Context } from '../../../service/context.ts';
import type { ConversationMessageRow, ConversationRow } from '../../../platform/store/tables/conversations.ts';
import { writtenList, writtenQuery } from '../../../platform/store/written-query.ts';
import { isSocial } from '../types.ts';

/** What a message answers. */
export type Answered = Pick<ConversationMessageRow, 'id' | 'sender_id' | 'thread_id'>;

/** The thread of what answers a message: the message that answers nothing. The social network has none. */
export function threadOfAnswer(
  conversation: Pick<ConversationRow, 'type'>,
  answered: Answered | undefined,
): string | null {
  return answered === undefined || isSocial(conversation) ? null : (answered.thread_id ?? answered.id);
}

const counted = writtenQuery(
  'update conversation_messages set reply_count = reply_count + 1, last_reply_seq = $1 where id = $2',
);
// Whoever has left has no place in its threads either.
const follow = writtenList(
  2,
  (ids) => `
  insert into conversation_thread_places (thread_id, member_id, conversation_id, read_seq, following)
  select $1, p.member_id, p.conversation_id, 0, 1 from conversation_places p
  where p.conversation_id = $2 and p.member_id in ${ids} and p.left_seq is null
  on conflict (thread_id, member_id) do update
    set following = coalesce(conversation_thread_places.following, excluded.following)`,
);

/**
 * Counts an answer. Whoever began the thread, answers or is named follows it from then on, unless they have chosen not to.
 * @param mentioned ids of those whom it names; all at once are nobody
 */
export async function countAnswer(
  { db }: Pick<Context, 'db'>,
  { conversation_id: conversationId, seq, sender_id: senderId, thread_id: threadId }: ConversationMessageRow,
  answered: Answered,
  mentioned: readonly string[],
): Promise<void> {
  await db.executeQuery(counted(seq, threadId));
  // An answer to an answer: who began the thread has followed since the first one.
  const began = answered.id === threadId ? [answered.sender_id] : [];
  await db.executeQuery(follow([...new Set([senderId, ...began, ...mentioned])], threadId, conversationId));
}
