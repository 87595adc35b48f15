import type { Context } from '../../service/context.ts';
import { chatEvents } from '../../contract/chat/events.ts';
import { publish } from '../../platform/realtime/publish.ts';
import { writtenQuery } from '../../platform/store/written-query.ts';
import { withdraw } from '../notifications/withdraw.ts';
import { hearFromNow } from '../groups/membership.ts';
import { roomOf, topicOfConversation, topicOfInbox, type Seat } from './conversation.ts';
import { aboutConversation } from './events.ts';
import { conversationNoticeTypes } from './notices.ts';
import { acceptRequest, declineRequest, isSettled } from './requests.ts';

/** Whether a member has deleted a conversation from their view, and nothing was said since then. */
export function isClosed({ closed, last_seq: lastSeq, cleared_seq: clearedSeq }: Seat): boolean {
  return closed === 1 && lastSeq <= clearedSeq;
}

const close = writtenQuery(`
  update conversation_places set closed = 1, cleared_seq = $1, read_seq = $1, pinned = 0, archived = 0
  where conversation_id = $2 and member_id = $3`);
const open = writtenQuery('update conversation_places set closed = 0 where conversation_id = $1 and member_id = $2');

/** Deletes a conversation of two from the view of one of them. The other one sees nothing of that. */
export async function closeConversation(tx: Context, seat: Seat, memberId: string): Promise<void> {
  if (seat.request === 'pending' && seat.created_by !== memberId) await declineRequest(tx, seat);
  await tx.db.executeQuery(close(seat.last_seq, seat.id, memberId));
  for (const type of conversationNoticeTypes) await withdraw(tx, { targetId: seat.id, type, recipientId: memberId });
  // Nor does the topic tell them again what was said until now.
  await hearFromNow(tx, roomOf(seat.id), [memberId], topicOfConversation(seat.id));
  await publish(tx, topicOfInbox(memberId), chatEvents.removed, aboutConversation(seat));
}

/** Opens it again, without what was said before. @returns the seat as it is then */
export async function openAgain(tx: Context, seat: Seat, memberId: string): Promise<Seat> {
  await tx.db.executeQuery(open(seat.id, memberId));
  const now = { ...seat, closed: 0 };
  // Whoever was asked and writes to who asked has accepted, and hears of the conversation by that.
  if (!isSettled(now) && now.created_by !== memberId) return await acceptRequest(tx, now);
  await publish(tx, topicOfInbox(memberId), chatEvents.added, aboutConversation(now));
  return now;
}
