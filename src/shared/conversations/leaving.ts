import { transaction, type Context } from '../../service/context.ts';
import { apart } from '../../service/sweep.ts';
import type { ConversationMessageRow, ConversationReactionRow } from '../../platform/store/tables/conversations.ts';
import { writtenQuery } from '../../platform/store/written-query.ts';
import { eraseMessage } from './change.ts';
import { eraseEvents } from '../../platform/store/event-rows.ts';
import { eraseWrapsIn } from '../group-keys/erase.ts';
import { withdraw } from '../notifications/withdraw.ts';
import { requireSeat, roomOf, topicOfConversation, type Seat } from './conversation.ts';
import { tell } from './events.ts';
import { leaveConversation } from './moderation.ts';
import { conversationNoticeTypes } from './notices.ts';
import { deleteRoom } from './rooms.ts';
import type { ManyType } from './types.ts';
import { eraseUnsentOf } from './unsent/ending.ts';

interface Leaving {
  /** of the conversations that are left: those of two of these types are deleted, and of others what the member said */
  readonly types: { readonly ofTwo: string; readonly ofMany: ManyType };
  /** what else goes with leaving one of many, in its transaction. @param isGone whether it was deleted, because nobody else was in it */
  readonly and?: (tx: Context, seat: Seat, isGone: boolean) => Promise<void>;
}

interface Place {
  readonly id: string;
  readonly type: string;
  readonly pair: string | null;
  readonly left_seq: number | null;
  readonly last_seq: number;
}

const nextPlace = writtenQuery<Place>(`
  select c.id, c.type, c.pair, p.left_seq, c.last_seq
  from conversation_places p join conversations c on c.id = p.conversation_id
  where p.member_id = $1 and c.type in ($2, $3) and c.id > $4 order by c.id limit 1`);

/** Stands for somebody who is not there any more. */
const NOBODY = 'f'.repeat(24);

/** Messages that one transaction looks at. */
const WINDOW = 500;

/**
 * Erases what a member has in conversations, one after the other, also in those that they left before. It finds what is left, so it can begin
 * anew at any time. One that fails does not stop those behind it.
 * @throws the first of the failures, at the end
 */
export async function eraseMember(
  ctx: Context,
  memberId: string,
  { types, and }: Leaving,
  signal: AbortSignal,
): Promise<void> {
  const failures = apart(ctx, 'erasing what a member has in a conversation');
  for (let after = ''; ;) {
    signal.throwIfAborted();
    const [place] = (await ctx.db.executeQuery(nextPlace(memberId, types.ofTwo, types.ofMany, after))).rows;
    if (place === undefined) {
      failures.end();
      if (after === '') return;
      // Some of these ids are chosen by clients, so what began meanwhile may stand before the last one.
      after = '';
      continue;
    }
    after = place.id;
    await failures.run({ id: place.id, memberId }, async () => {
      if (place.pair !== null) await transaction(ctx, async (tx) => await deletePair(tx, memberId, place));
      else await erasePlace(ctx, memberId, place, { types, ...(and && { and }) }, signal);
    });
  }
}

async function deletePair(tx: Context, memberId: string, { id, type }: Place): Promise<void> {
  await deleteRoom(tx, await requireSeat(tx, { memberId }, [type], id));
  await eraseEvents(tx.db, topicOfConversation(id));
}

/** It ends where it is when it is aborted, which is no failure of the conversation. */
async function erasePlace(
  ctx: Context,
  memberId: string,
  { id, type, left_seq: leftSeq, last_seq: lastSeq }: Place,
  { types, and }: Leaving,
  signal: AbortSignal,
): Promise<void> {
  if (leftSeq === null)
    await leaveConversation(ctx, memberId, { types: [types.ofMany], id }, { handsOver: true, ...(and && { and }) });
  for (let from = 0; from <= lastSeq; from += WINDOW) {
    if (signal.aborted) return;
    await transaction(ctx, async (tx) => await eraseWindow(tx, memberId, { id, type }, from));
  }
  await transaction(ctx, async (tx) => await eraseTraces(tx, memberId, id));
}

/** All that names the member in a conversation of many, but what stands in texts of others. The place goes last: it is what leads here. */
async function eraseTraces(tx: Context, memberId: string, id: string): Promise<void> {
  const room = roomOf(id);
  for (const type of conversationNoticeTypes) await withdraw(tx, { targetId: id, type, actorId: memberId });
  // It names who was in it. Whoever was away reads the conversation again.
  await eraseEvents(tx.db, topicOfConversation(id));
  await eraseWrapsIn(tx, room, memberId);
  await eraseUnsentOf(tx, id, memberId);
  await tx.db.deleteFrom('room_log').where('room_id', '=', id).where('subject_id', '=', memberId).execute();
  await tx.db
    .updateTable('room_log')
    .set({ actor_id: '' })
    .where('room_id', '=', id)
    .where('actor_id', '=', memberId)
    .execute();
  await tx.db
    .updateTable('conversations')
    .set({ created_by: NOBODY })
    .where('id', '=', id)
    .where('created_by', '=', memberId)
    .execute();
  await tx.db
    .updateTable('conversation_pins')
    .set({ pinned_by: NOBODY })
    .where('conversation_id', '=', id)
    .where('pinned_by', '=', memberId)
    .execute();
  // What keeps others out goes on without who decided it.
  const { kind } = room;
  await tx.db
    .updateTable('room_bans')
    .set({ banned_by: null })
    .where('kind', '=', kind)
    .where('room_id', '=', id)
    .where('banned_by', '=', memberId)
    .execute();
  await tx.db
    .updateTable('room_mutes')
    .set({ muted_by: null })
    .where('kind', '=', kind)
    .where('room_id', '=', id)
    .where('muted_by', '=', memberId)
    .execute();
  for (const table of ['conversation_mentions', 'conversation_thread_places', 'conversation_places'] as const)
    await tx.db.deleteFrom(table).where('conversation_id', '=', id).where('member_id', '=', memberId).execute();
}

const ownMessages = writtenQuery<ConversationMessageRow>(`
  select * from conversation_messages
  where conversation_id = $1 and seq > $2 and seq <= $3 and sender_id = $4 and deleted_at is null order by seq`);
const withoutSender = writtenQuery(`
  update conversation_messages set sender_id = $1, client_id = null
  where conversation_id = $2 and seq > $3 and seq <= $4 and sender_id = $5`);
const ownReactions = writtenQuery<ConversationReactionRow>(`
  delete from conversation_reactions where member_id = $1 and message_id in (
    select id from conversation_messages where conversation_id = $2 and seq > $3 and seq <= $4) returning *`);

async function eraseWindow(
  tx: Context,
  memberId: string,
  conversation: Pick<Seat, 'id' | 'type'>,
  from: number,
): Promise<void> {
  const { id } = conversation;
  for (const row of (await tx.db.executeQuery(ownMessages(id, from, from + WINDOW, memberId))).rows) {
    await eraseMessage(tx, conversation, row);
    await tell(tx, conversation, 'messageDeleted', { seq: row.seq, messageId: row.id, deletedBy: memberId });
  }
  // The places of messages stay, and a member who comes back is not their sender.
  await tx.db.executeQuery(withoutSender(NOBODY, id, from, from + WINDOW, memberId));
  const { rows } = await tx.db.executeQuery(ownReactions(memberId, id, from, from + WINDOW));
  for (const { message_id: messageId, emoji, id: reactionId } of rows)
    await tell(tx, conversation, 'reactionRemoved', { messageId, memberId, emoji, reactionId });
}
