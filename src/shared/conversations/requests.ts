import type { Context } from '../../service/context.ts';
import { chatEvents } from '../../contract/chat/events.ts';
import { Problem } from '../../base/problem.ts';
import { publish } from '../../platform/realtime/publish.ts';
import type { ConversationRow } from '../../platform/store/tables/conversations.ts';
import { followEachOther } from '../members/follows.ts';
import { withdraw } from '../notifications/withdraw.ts';
import { otherOf, topicOfInbox, type Seat } from './conversation.ts';
import { aboutConversation } from './events.ts';
import { tellUpdated } from './social-facts.ts';

/** Whether both of two want to talk. Until then one of them has said something once, and nothing is told of the other. */
export function isSettled({ request }: Pick<ConversationRow, 'request'>): boolean {
  return request === null || request === 'accepted';
}

/**
 * Whether a member may say something while a request waits: who sent it, once. What the other one says accepts it, and so does following each
 * other.
 * @returns the seat as it is then
 * @throws Problem forbidden REQUEST_PENDING
 */
export async function admitMessage(tx: Context, seat: Seat, memberId: string): Promise<Seat> {
  if (isSettled(seat)) return seat;
  const isSender = memberId === seat.created_by;
  if (!isSender || (await followEachOther(tx, memberId, otherOf(seat, memberId)))) return await acceptRequest(tx, seat);
  if (seat.last_seq === 0) return seat;
  const message = 'Your message request waits for an answer. You can send more when it is accepted.';
  throw new Problem('forbidden', 'REQUEST_PENDING', message);
}

/** @returns the seat as it is then */
export async function acceptRequest(tx: Context, seat: Seat): Promise<Seat> {
  // What was said until now was shown with the request, so nobody is notified of it again.
  const changed = { request: 'accepted', noticed_seq: seat.last_seq };
  await tx.db.updateTable('conversations').set(changed).where('id', '=', seat.id).execute();
  const recipientId = recipientOf(seat);
  await withdrawRequest(tx, seat);
  await publish(tx, topicOfInbox(recipientId), chatEvents.added, aboutConversation(seat));
  await tellUpdated(tx, seat.id);
  return { ...seat, ...changed };
}

/** Nobody but its recipient learns of it. */
export async function declineRequest(tx: Context, seat: Seat): Promise<Seat> {
  await tx.db.updateTable('conversations').set({ request: 'declined' }).where('id', '=', seat.id).execute();
  await withdrawRequest(tx, seat);
  return { ...seat, request: 'declined' };
}

/** Who was asked. */
export function recipientOf(conversation: Pick<ConversationRow, 'pair' | 'created_by'>): string {
  return otherOf(conversation, conversation.created_by);
}

async function withdrawRequest(tx: Context, seat: Seat): Promise<void> {
  await withdraw(tx, { targetId: seat.id, type: 'message_request', recipientId: recipientOf(seat) });
}
