import type { Actor } from '../../service/actor.ts';
import { transaction, type Context } from '../../service/context.ts';
import type { ChatMessage } from '../../contract/chat/message.ts';
import { once } from '../../service/repeats.ts';
import type { ConversationMessageRow } from '../../platform/store/tables/conversations.ts';
import { requireSeat, type Seat } from './conversation.ts';
import { toMessages } from './dto.ts';
import { addMessage, type NewMessage } from './send.ts';
import { requireVoice } from './voice.ts';

type Show<Shown> = (tx: Context, seat: Seat, row: ConversationMessageRow) => Promise<Shown>;

export const showInChat: Show<ChatMessage> = async (tx, seat, row) =>
  (await toMessages(tx, seat, [row], { history: true }))[0] as ChatMessage;

/**
 * Says something in a conversation that the member is in, for an operation.
 * @throws Problem missing CONVERSATION_NOT_FOUND; forbidden FORBIDDEN; those of `addMessage`
 */
export async function say<Shown>(
  ctx: Context,
  actor: Pick<Actor, 'memberId' | 'bot'>,
  types: readonly string[],
  { conversationId, ...message }: NewMessage & { readonly conversationId: string },
  show: Show<Shown>,
): Promise<Shown> {
  return await transaction(ctx, async (tx) => {
    const seat = await requireSeat(tx, actor, types, conversationId);
    await requireVoice(tx, seat, actor.memberId);
    return await once(tx, async () => {
      const row = await addMessage(tx, seat, actor.memberId, { ...message, bot: actor.bot });
      return await show(tx, seat, row);
    });
  });
}
