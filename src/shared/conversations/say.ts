import type { Actor } from '../../service/actor.ts';
import { transaction, type Context } from '../../service/context.ts';
import type { ChatMessage } from '../../contract/chat/message.ts';
import { onceAnew } from '../../service/repeats.ts';
import type { ConversationMessageRow } from '../../platform/store/tables/conversations.ts';
import { requireSeat, type Seat } from './conversation.ts';
import { toMessages } from './dto.ts';
import { addMessage, requireMessage, type NewMessage } from './send.ts';
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
    return await sayOnce(
      tx,
      seat,
      async () => await addMessage(tx, seat, actor.memberId, { ...message, bot: actor.bot }),
      show,
    );
  });
}

/**
 * Says it, unless the request is a repeat: that gets the message as it is by then, without a text that was erased meanwhile.
 * @throws Problem missing MESSAGE_NOT_FOUND if the member does not see it any more; those of `add`
 */
export async function sayOnce<Shown>(
  tx: Context,
  seat: Seat,
  add: () => Promise<ConversationMessageRow>,
  show: Show<Shown>,
): Promise<Shown> {
  return await onceAnew(
    tx,
    async () => {
      const row = await add();
      return { reply: await show(tx, seat, row), kept: { id: row.id } };
    },
    async ({ id }) => await show(tx, seat, await requireMessage(tx, seat, id)),
  );
}
