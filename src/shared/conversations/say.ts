import type { Actor } from '../../service/actor.ts';
import { transaction, type Context } from '../../service/context.ts';
import type { ChatMessage } from '../../contract/chat/message.ts';
import { once } from '../../service/repeats.ts';
import { requireSeat } from './conversation.ts';
import { toMessages } from './dto.ts';
import { addMessage, type NewMessage } from './send.ts';
import { requireVoice } from './voice.ts';

/**
 * Says something in a conversation that the member is in, for an operation.
 * @throws Problem missing CONVERSATION_NOT_FOUND; forbidden FORBIDDEN; those of `addMessage`
 */
export async function say(
  ctx: Context,
  actor: Pick<Actor, 'memberId'>,
  types: readonly string[],
  { conversationId, ...message }: NewMessage & { readonly conversationId: string },
): Promise<ChatMessage> {
  return await transaction(ctx, async (tx) => {
    const seat = await requireSeat(tx, actor, types, conversationId);
    await requireVoice(tx, seat, actor.memberId);
    return await once(tx, async () => {
      const row = await addMessage(tx, seat, actor.memberId, message);
      return (await toMessages(tx, seat, [row], { history: true }))[0] as ChatMessage;
    });
  });
}
