import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { messages } from '../../../contract/social/messages.ts';
import type { InputOf, ReplyOf } from '../../../contract/operation.ts';
import { once } from '../../../service/repeats.ts';
import { addReaction, removeReaction } from '../../../shared/conversations/reactions.ts';
import { acceptRequest, isSettled } from '../../../shared/conversations/requests.ts';
import type { Seat } from '../../../shared/conversations/conversation.ts';
import { noMessage, requireMessageOf } from '../../../shared/conversations/send.ts';
import { socialTypes } from '../../../shared/conversations/types.ts';
import { requireNoBlock, requireVoice } from '../../../shared/conversations/voice.ts';
import { memberSummaries } from '../../../shared/members/summaries.ts';
import { withdraw } from '../../../shared/notifications/withdraw.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { tell } from '../notices.ts';

type Contract = typeof messages;

export async function reactToMessage(
  ctx: Context,
  actor: Actor,
  { messageId, emoji }: InputOf<Contract['reactToMessage']>,
): Promise<ReplyOf<Contract['reactToMessage']>> {
  const { memberId } = actor;
  return await transaction(ctx, async (tx) => {
    const { seat, row } = await requireMessageOf(tx, actor, socialTypes, messageId);
    if (row.deleted_at !== null) throw noMessage();
    await requireVoice(tx, seat, memberId);
    await requireNoBlock(tx, row, memberId);
    return await once(tx, async () => {
      // It is an answer as well.
      if (!isSettled(seat) && seat.created_by !== memberId) await acceptRequest(tx, seat);
      const added = await addReaction(tx, seat, memberId, row, emoji);
      await notifyOf(tx, seat, memberId, row.sender_id, added.emoji);
      return { messageId, userId: memberId, emoji: added.emoji };
    });
  });
}

export async function unreactToMessage(
  ctx: Context,
  actor: Actor,
  { messageId, emoji }: InputOf<Contract['unreactToMessage']>,
): Promise<object> {
  const { memberId } = actor;
  return await transaction(ctx, async (tx) => {
    const { seat, row } = await requireMessageOf(tx, actor, socialTypes, messageId);
    await removeReaction(tx, seat, memberId, row, { emoji });
    const about = { targetId: seat.id, type: 'message_reaction', actorId: memberId } as const;
    await withdraw(tx, { ...about, recipientId: row.sender_id });
    return {};
  });
}

const wanting = writtenQuery(`
  select 1 from conversation_places where conversation_id = $1 and member_id = $2 and left_seq is null
    and (muted_until is null or muted_until <= $3) and (level is null or level = 'all')`);

/** Notifies the sender of a message, unless they have muted the conversation. */
async function notifyOf(tx: Context, seat: Seat, actorId: string, recipientId: string, emoji: string): Promise<void> {
  if (recipientId === actorId) return;
  if ((await tx.db.executeQuery(wanting(seat.id, recipientId, tx.clock.now()))).rows.length === 0) return;
  const name = (await memberSummaries(tx, [actorId])).get(actorId)?.username ?? 'Somebody';
  const content = `${name} reacted to your message with ${emoji}.`;
  await tell(tx, { recipientId, type: 'message_reaction', actorId, targetId: seat.id, content });
}
