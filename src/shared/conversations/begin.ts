import { transaction, type Context } from '../../service/context.ts';
import { chatEvents } from '../../contract/chat/events.ts';
import { Problem } from '../../base/problem.ts';
import { publish } from '../../platform/realtime/publish.ts';
import { recordId } from '../../platform/store/record-id.ts';
import { onlyRow, writtenQuery } from '../../platform/store/written-query.ts';
import { epochChanged } from '../group-keys/problems.ts';
import { join } from '../groups/membership.ts';
import { openRoom } from '../groups/room.ts';
import { beginningWithKey, requireFreeId, type ClientBeginning } from './client-mode.ts';
import { isClientMode, noConversation, pairOf, roomOf, seatOfPair, topicOfInbox, type Seat } from './conversation.ts';
import { aboutConversation } from './events.ts';
import { assertRoomForAll, beginConversation } from './members.ts';
import { requireReachable } from './reach.ts';
import { hasStranger } from './strangers.ts';
import type { ConversationType } from './types.ts';

const HOUR = 3_600_000;

interface Two {
  readonly type: Extract<ConversationType, 'direct' | 'social_direct'>;
  readonly memberId: string;
  readonly otherId: string;
  /** whether a new one waits for the other one's consent; asked before anything is written */
  readonly asks?: (tx: Context) => Promise<boolean>;
  /** to begin one that only the two can read; refused if there is one that the node can read */
  readonly client?: ClientBeginning | undefined;
}

/**
 * Does something in the conversation of two members, in a transaction. The conversation begins with it if there is none. Its first key is made
 * before the transaction.
 * @param work its third argument says whether the conversation is new
 * @throws Problem missing MEMBER_NOT_FOUND; tooMany RATE_LIMITED; conflict CONVERSATIONS_FULL, MODE_FIXED, CONVERSATION_ID_TAKEN; those of
 *   `storeSentEpoch`
 */
export async function inConversationOfTwo<T>(
  ctx: Context,
  two: Two,
  work: (tx: Context, seat: Seat, isNew: boolean) => Promise<T>,
): Promise<T> {
  const { type, memberId, otherId, client } = two;
  await requireReachable(ctx, memberId, otherId);
  const working = async (tx: Context, seat: Seat, isNew = false): Promise<T> => {
    await requireReachable(tx, memberId, otherId);
    // The same request may have come before, and what it began is there.
    if (client !== undefined && !isNew && seat.id !== client.id) assertBeginsNothing(seat);
    return await work(tx, seat, isNew);
  };
  const known = await seatOfPair(ctx, type, memberId, otherId);
  if (known !== undefined)
    return await transaction(ctx, async (tx) => {
      const seat = await seatOfPair(tx, type, memberId, otherId);
      // It has become a group meanwhile. Sent again, the message begins a new one.
      if (seat === undefined) throw noConversation();
      return await working(tx, seat);
    });
  const room = roomOf(client?.id ?? recordId(ctx.clock.now(), ctx.random));
  const mode = client === undefined ? 'server' : 'client';
  return await beginningWithKey(
    ctx,
    { id: room.id, authorId: memberId, members: [memberId, otherId] },
    client,
    async (tx, rotateNow) => {
      const meanwhile = await seatOfPair(tx, type, memberId, otherId);
      if (meanwhile !== undefined) return await working(tx, meanwhile);
      const request = (await two.asks?.(tx)) === true ? 'pending' : undefined;
      if (client !== undefined) await requireFreeId(tx, client);
      const withStrangers = await assertMayBegin(tx, memberId, [otherId]);
      await assertRoomForAll(tx, memberId, [memberId, otherId]);
      await openRoom(tx, { ...room, ownerId: memberId });
      await join(tx, room, otherId, { role: 'owner' });
      const pair = pairOf(type, memberId, otherId);
      const conversation = { type, mode, pair, request, withStrangers } as const;
      const seat = await beginConversation(tx, room.id, conversation, [memberId, otherId], rotateNow);
      // Of a request its recipient is notified, and nothing else tells of it.
      for (const id of request === undefined ? [memberId, otherId].toSorted() : [memberId])
        await publish(tx, topicOfInbox(id), chatEvents.added, aboutConversation(seat));
      return await working(tx, seat, true);
    },
  );
}

/** A first key is for a conversation that does not exist. */
function assertBeginsNothing(seat: Seat): never {
  if (isClientMode(seat)) throw epochChanged(1);
  const message =
    'You have a conversation with this member that the node can read, and a mode never changes. Create a group of you two in mode client instead.';
  throw new Problem('conflict', 'MODE_FIXED', message);
}

const begun = writtenQuery<{ count: number; first: number | null }>(`
  select count(*) as count, min(created_at) as first from conversations
  where created_by = $1 and begun_with_strangers = 1 and created_at > $2`);

/**
 * Refuses to begin one more conversation with strangers within an hour. A group counts as one if one of those who are first put into it is a
 * stranger. Those of chat and of the social network count together.
 * @returns whether it counts, which the conversation has to be made with: who is in it may change
 * @throws Problem tooMany RATE_LIMITED
 */
export async function assertMayBegin(tx: Context, memberId: string, others: readonly string[]): Promise<boolean> {
  if (!(await hasStranger(tx, memberId, others))) return false;
  const now = tx.clock.now();
  const { count, first } = onlyRow((await tx.db.executeQuery(begun(memberId, now - HOUR))).rows);
  const { begunPerHour } = tx.config.chat;
  if (count < begunPerHour) return true;
  const retryAfterSeconds = Math.max(1, Math.ceil(((first ?? now) + HOUR - now) / 1000));
  const minutes = Math.ceil(retryAfterSeconds / 60);
  const message = `You began ${begunPerHour} conversations with strangers within an hour. Wait ${minutes} min before you begin another.`;
  throw new Problem('tooMany', 'RATE_LIMITED', message, { retryAfterSeconds });
}
