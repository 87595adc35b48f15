import type { Context } from '../../../service/context.ts';
import { chatEvents } from '../../../contract/chat/events.ts';
import type { ChatThread } from '../../../contract/chat/threads.ts';
import { publish } from '../../../platform/realtime/publish.ts';
import { writtenList, writtenQuery } from '../../../platform/store/written-query.ts';
import { topicOfInbox, type Seat } from '../conversation.ts';
import { aboutConversation } from '../events.ts';
import { mentionsInThreads, ownIn, readIn, threadOf, type ThreadRow } from './list.ts';

const read = writtenQuery(`
  insert into conversation_thread_places (thread_id, member_id, conversation_id, read_seq, following)
  values ($1, $2, $3, $4, null) on conflict (thread_id, member_id) do update set read_seq = excluded.read_seq
  where excluded.read_seq > conversation_thread_places.read_seq`);
const follow = writtenQuery(`
  insert into conversation_thread_places (thread_id, member_id, conversation_id, read_seq, following)
  values ($1, $2, $3, 0, $4) on conflict (thread_id, member_id) do update set following = excluded.following`);

/** What is answered to a member who reads a thread. */
export type ThreadRead = Pick<ChatThread, 'threadId' | 'unread' | 'mentionCount'> & { readonly seq: number };

/**
 * Marks answers as read up to a number, and nothing else of the conversation. What was read stays read. The member's own sockets hear of it.
 * @param thread as `requireThread` has it, in the same transaction
 */
export async function markThreadRead(
  tx: Context,
  seat: Seat,
  memberId: string,
  thread: ThreadRow,
  upTo = Number.MAX_SAFE_INTEGER,
): Promise<ThreadRead> {
  const threadId = thread.id;
  const before = Math.max(thread.thread_read_seq ?? 0, readIn(seat));
  const seq = Math.min(upTo, thread.last_reply_seq ?? 0);
  const isNew = seq > before;
  if (isNew) await tx.db.executeQuery(read(threadId, memberId, seat.id, seq));
  const now = isNew ? await threadOf(tx, seat, memberId, threadId) : thread;
  const { unread, mentionCount } = ownIn(now, await mentionsInThreads(tx, seat, memberId, [now]));
  const answer = { threadId, seq: Math.max(seq, before), unread, mentionCount };
  if (isNew)
    await publish(tx, topicOfInbox(memberId), chatEvents.threadRead, { ...aboutConversation(seat), ...answer });
  return answer;
}

/** Chooses whether a member is notified of the answers in a thread. It holds until they choose again. */
export async function followThread(
  tx: Context,
  seat: Seat,
  memberId: string,
  thread: ThreadRow,
  following: boolean,
): Promise<Pick<ChatThread, 'threadId' | 'following'>> {
  const answer = { threadId: thread.id, following };
  if (thread.following === (following ? 1 : 0)) return answer;
  await tx.db.executeQuery(follow(thread.id, memberId, seat.id, following ? 1 : 0));
  await publish(tx, topicOfInbox(memberId), chatEvents.threadFollowed, { ...aboutConversation(seat), ...answer });
  return answer;
}

const forget = writtenList(
  1,
  (ids) => `delete from conversation_thread_places where conversation_id = $1 and member_id in ${ids}`,
);

/** Erases what members have in the threads of a conversation. */
export async function forgetThreads(
  { db }: Pick<Context, 'db'>,
  conversationId: string,
  memberIds: readonly string[],
): Promise<void> {
  if (memberIds.length > 0) await db.executeQuery(forget(memberIds, conversationId));
}

const forgetErased = writtenQuery(`
  delete from conversation_thread_places where thread_id in (
    select id from conversation_messages
    where conversation_id = $1 and last_reply_seq > $2 and last_reply_seq <= $3)`);
const forgetUnanswered = writtenQuery(`
  delete from conversation_thread_places where thread_id in (
    select id from conversation_messages
    where conversation_id = $1 and seq > $2 and seq <= $3 and thread_id is null and last_reply_seq is null)`);

/** The same for threads of which nothing is left after the messages between two numbers were erased. */
export async function forgetErasedThreads(
  { db }: Pick<Context, 'db'>,
  conversationId: string,
  after: number,
  upTo: number,
): Promise<void> {
  await db.executeQuery(forgetErased(conversationId, after, upTo));
  await db.executeQuery(forgetUnanswered(conversationId, after, upTo));
}
