import type { Context } from '../../service/context.ts';
import { chatEvents } from '../../contract/chat/events.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import { publish } from '../../platform/realtime/publish.ts';
import { writtenQuery } from '../../platform/store/written-query.ts';
import { showingReceipts } from '../members/privacy.ts';
import { withdraw } from '../notifications/withdraw.ts';
import { topicOfInbox, type Seat } from './conversation.ts';
import { aboutConversation, memberIdsOf, tell } from './events.ts';
import { mentionCountIn } from './mentions.ts';
import { partedFrom } from './parted.ts';
import { noteRead } from './read-board.ts';
import { isSettled } from './requests.ts';
import { unreadIn } from './visible-range.ts';

const markAsRead = writtenQuery(`
  update conversation_places set read_seq = $1, read_at = $2 where conversation_id = $3 and member_id = $4`);

/**
 * Marks what a member may see as read up to a number. What was read stays read. Their own sockets hear of it, and others if they and the member
 * show that to each other and no block parts them.
 * @returns the seat as it is then
 */
export async function markRead(tx: Context, seat: Seat, memberId: string, upTo = seat.last_seq): Promise<Seat> {
  const seq = Math.min(upTo, seat.last_seq);
  if (seq <= seat.read_seq) return seat;
  const now = tx.clock.now();
  await tx.db.executeQuery(markAsRead(seq, now, seat.id, memberId));
  const read = { ...seat, read_seq: seq, read_at: now };
  const unread = unreadIn(read);
  if (unread === 0)
    for (const type of ['new_message', 'message_mention'] as const)
      await withdraw(tx, { targetId: seat.id, type, recipientId: memberId });
  const about = aboutConversation(seat);
  await publish(tx, topicOfInbox(memberId), chatEvents.readElsewhere, {
    ...about,
    seq,
    unread,
    mentionCount: await mentionCountIn(tx, read, memberId),
  });
  if (!isSettled(seat)) return read;
  // By name among few. Where many read, senders see how many have: `read-counts.ts`.
  if (seat.member_count > chatLimits.notifiesOfAll) {
    noteRead(tx, seat, memberId, seq);
    return read;
  }
  const members = await memberIdsOf(tx, seat.id);
  const showing = await showingReceipts(tx, members);
  if (!showing.has(memberId)) return read;
  const parted = new Set(await partedFrom(tx, seat, memberId));
  await tell(
    tx,
    seat,
    'messageRead',
    { memberId, seq, readAt: new Date(now).toISOString() },
    { withheldFrom: members.filter((id) => !showing.has(id) || parted.has(id)) },
  );
  return read;
}
