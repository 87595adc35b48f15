import { transaction, type Context } from '../../service/context.ts';
import { chatEvents } from '../../contract/chat/events.ts';
import type { ContextType } from '../../contract/chat/conversation.ts';
import { Problem } from '../../base/problem.ts';
import { publish } from '../../platform/realtime/publish.ts';
import { recordId } from '../../platform/store/record-id.ts';
import type { ConversationRow } from '../../platform/store/tables/conversations.ts';
import { insertRows, onlyRow, writtenQuery } from '../../platform/store/written-query.ts';
import { rotating } from '../group-keys/rotate.ts';
import { join } from '../groups/membership.ts';
import { openRoom } from '../groups/room.ts';
import { pairOf, roomOf, seatOfPair, topicOfInbox, type Seat } from './conversation.ts';
import { aboutConversation } from './events.ts';
import { assertRoomForAll, newPlace } from './members.ts';
import { requireReachable } from './reach.ts';

const HOUR = 3_600_000;

interface Two {
  readonly type: ContextType;
  readonly memberId: string;
  readonly otherId: string;
}

/**
 * Does something in the conversation of two members, in a transaction. The conversation begins with it if there is none. Its first key is made
 * before the transaction.
 * @throws Problem missing MEMBER_NOT_FOUND; tooMany RATE_LIMITED; conflict CONVERSATIONS_FULL
 */
export async function inConversationOfTwo<T>(
  ctx: Context,
  two: Two,
  work: (tx: Context, seat: Seat) => Promise<T>,
): Promise<T> {
  const { type, memberId, otherId } = two;
  await requireReachable(ctx, memberId, otherId);
  const working = async (tx: Context, seat: Seat): Promise<T> => {
    await requireReachable(tx, memberId, otherId);
    return await work(tx, seat);
  };
  const known = await seatOfPair(ctx, type, memberId, otherId);
  if (known !== undefined)
    return await transaction(ctx, async (tx) => {
      const seat = await seatOfPair(tx, type, memberId, otherId);
      // It has become a group meanwhile. Sent again, the message begins a new one.
      if (seat === undefined) throw new Problem('missing', 'CONVERSATION_NOT_FOUND', 'There is no such conversation.');
      return await working(tx, seat);
    });
  const room = roomOf(recordId(ctx.clock.now(), ctx.random));
  const members = { members: [memberId, otherId], historyVisible: false };
  return await rotating(
    ctx,
    room,
    async () => members,
    async (tx, rotateNow) => {
      const meanwhile = await seatOfPair(tx, type, memberId, otherId);
      if (meanwhile !== undefined) return await working(tx, meanwhile);
      await assertMayBegin(tx, two);
      await openRoom(tx, { ...room, ownerId: memberId });
      await join(tx, room, otherId, { role: 'owner' });
      const row = newConversation(tx, room.id, two);
      await insertRows(tx.db, 'conversations', [row]);
      await insertRows(
        tx.db,
        'conversation_places',
        [memberId, otherId].map((id) => newPlace(room.id, id)),
      );
      await rotateNow({ ...members, reason: 'created' });
      for (const id of [memberId, otherId].toSorted())
        await publish(tx, topicOfInbox(id), chatEvents.added, aboutConversation(row));
      const { conversation_id: _, member_id: __, ...place } = newPlace(room.id, memberId);
      return await working(tx, { ...row, ...place, role: 'owner' });
    },
  );
}

function newConversation(tx: Context, id: string, { type, memberId, otherId }: Two): ConversationRow {
  const now = tx.clock.now();
  return {
    id,
    type,
    mode: 'server',
    pair: pairOf(type, memberId, otherId),
    name: null,
    name_key: null,
    topic: null,
    visibility: null,
    history_visible: 0,
    created_by: memberId,
    created_at: now,
    last_seq: 0,
    active_at: now,
    told_at: 0,
    noticed_seq: 0,
  };
}

const begun = writtenQuery<{ count: number; first: number | null }>(`
  select count(*) as count, min(created_at) as first from conversations
  where created_by = $1 and type = $2 and created_at > $3`);

async function assertMayBegin(tx: Context, { type, memberId, otherId }: Two): Promise<void> {
  const now = tx.clock.now();
  const { count, first } = onlyRow((await tx.db.executeQuery(begun(memberId, type, now - HOUR))).rows);
  const { begunPerHour } = tx.config.chat;
  if (count >= begunPerHour) {
    const retryAfterSeconds = Math.max(1, Math.ceil(((first ?? now) + HOUR - now) / 1000));
    const minutes = Math.ceil(retryAfterSeconds / 60);
    const message = `You began ${begunPerHour} conversations within an hour. Wait ${minutes} min before you begin another.`;
    throw new Problem('tooMany', 'RATE_LIMITED', message, { retryAfterSeconds });
  }
  await assertRoomForAll(tx, memberId, [memberId, otherId]);
}
