import type { Actor } from '../../service/actor.ts';
import { withReadCounts } from '../../shared/conversations/read-counts.ts';
import { transaction, type Context } from '../../service/context.ts';
import type { ContextType } from '../../contract/chat/conversation.ts';
import type { ChatMessage } from '../../contract/chat/message.ts';
import type { messages } from '../../contract/chat/messages.ts';
import type { InputOf, ReplyOf } from '../../contract/operation.ts';
import { once } from '../../service/repeats.ts';
import { requireOwnOfBot } from '../../shared/conversations/bot-rights.ts';
import * as change from '../../shared/conversations/change.ts';
import { requireSeat } from '../../shared/conversations/conversation.ts';
import { toMessages } from '../../shared/conversations/dto.ts';
import { readHistory } from '../../shared/conversations/history.ts';
import { listPinned, pinMessage, unpinMessage } from '../../shared/conversations/pins.ts';
import { addReaction, removeReaction } from '../../shared/conversations/reactions.ts';
import { showInChat } from '../../shared/conversations/say.ts';
import { requireMessage, requireUndeleted } from '../../shared/conversations/send.ts';
import { requireNoBlock, requirePermission, requireVoice } from '../../shared/conversations/voice.ts';

type Contract = typeof messages;

/** What members do with the messages of conversations of one type. */
function messagesOf(type: ContextType) {
  const types = [type];
  return {
    list: async (
      ctx: Context,
      actor: Actor,
      { conversationId, ...request }: InputOf<Contract['directMessages']>,
    ): Promise<ReplyOf<Contract['directMessages']>> => {
      const seat = await requireSeat(ctx, actor, types, conversationId);
      const { memberId } = actor;
      const { rows, ...next } = await readHistory(ctx, seat, { list: `chat.${type}-messages`, memberId }, request);
      const items = await toMessages(ctx, seat, rows, { history: true, viewer: memberId });
      return { items: await withReadCounts(ctx, seat, memberId, items), ...next };
    },

    show: async (
      ctx: Context,
      actor: Actor,
      { conversationId, messageId }: InputOf<Contract['directMessage']>,
    ): Promise<ChatMessage> => {
      const seat = await requireSeat(ctx, actor, types, conversationId);
      const row = await requireMessage(ctx, seat, messageId);
      const shown = await toMessages(ctx, seat, [row], { history: true, viewer: actor.memberId });
      return (await withReadCounts(ctx, seat, actor.memberId, shown))[0] as ChatMessage;
    },

    edit: async (
      ctx: Context,
      actor: Actor,
      { conversationId, messageId, ...text }: InputOf<Contract['directEditMessage']>,
    ): Promise<ChatMessage> => {
      return await transaction(ctx, async (tx) => {
        const seat = await requireSeat(tx, actor, types, conversationId);
        const row = await requireUndeleted(tx, seat, messageId);
        requireOwnOfBot(actor.bot, row);
        await requireVoice(tx, seat, actor.memberId);
        return await showInChat(tx, seat, await change.editMessage(tx, seat, actor.memberId, row, text));
      });
    },

    delete: async (
      ctx: Context,
      actor: Actor,
      { conversationId, messageId }: InputOf<Contract['directDeleteMessage']>,
    ): Promise<{ deleted: true }> => {
      return await transaction(ctx, async (tx) => {
        const seat = await requireSeat(tx, actor, types, conversationId);
        const row = await requireUndeleted(tx, seat, messageId);
        requireOwnOfBot(actor.bot, row);
        await change.deleteMessage(tx, seat, actor.memberId, row);
        return { deleted: true };
      });
    },

    react: async (
      ctx: Context,
      actor: Actor,
      { conversationId, messageId, emoji }: InputOf<Contract['directReact']>,
    ): Promise<ReplyOf<Contract['directReact']>> => {
      return await transaction(ctx, async (tx) => {
        const seat = await requireSeat(tx, actor, types, conversationId);
        const row = await requireUndeleted(tx, seat, messageId);
        await requireVoice(tx, seat, actor.memberId);
        await requireNoBlock(tx, row, actor.memberId);
        return await once(tx, async () => {
          const reaction = await addReaction(tx, seat, actor.memberId, row, emoji);
          return { reactionId: reaction.id, emoji: reaction.emoji };
        });
      });
    },

    unreact: async (
      ctx: Context,
      actor: Actor,
      { conversationId, messageId, reactionId }: InputOf<Contract['directUnreact']>,
    ): Promise<{ removed: true }> => {
      return await transaction(ctx, async (tx) => {
        const seat = await requireSeat(tx, actor, types, conversationId);
        const row = await requireUndeleted(tx, seat, messageId);
        await removeReaction(tx, seat, actor.memberId, row, { id: reactionId });
        return { removed: true };
      });
    },

    pin: async (
      ctx: Context,
      actor: Actor,
      { conversationId, messageId }: InputOf<Contract['directPin']>,
    ): Promise<{ pinned: true }> => {
      return await transaction(ctx, async (tx) => {
        const seat = await requireSeat(tx, actor, types, conversationId);
        requirePermission(seat, 'PIN_MESSAGES');
        const row = await requireUndeleted(tx, seat, messageId);
        await requireVoice(tx, seat, actor.memberId);
        await pinMessage(tx, seat, actor.memberId, row);
        return { pinned: true };
      });
    },

    unpin: async (
      ctx: Context,
      actor: Actor,
      { conversationId, messageId }: InputOf<Contract['directUnpin']>,
    ): Promise<{ unpinned: true }> => {
      return await transaction(ctx, async (tx) => {
        const seat = await requireSeat(tx, actor, types, conversationId);
        requirePermission(seat, 'PIN_MESSAGES');
        const row = await requireUndeleted(tx, seat, messageId);
        await requireVoice(tx, seat, actor.memberId);
        await unpinMessage(tx, seat, actor.memberId, row);
        return { unpinned: true };
      });
    },

    pins: async (
      ctx: Context,
      actor: Actor,
      { conversationId }: InputOf<Contract['directPins']>,
    ): Promise<ReplyOf<Contract['directPins']>> => {
      const seat = await requireSeat(ctx, actor, types, conversationId);
      return {
        items: await toMessages(ctx, seat, await listPinned(ctx, seat), { history: true, viewer: actor.memberId }),
      };
    },
  };
}

export const {
  list: directMessages,
  show: directMessage,
  edit: directEditMessage,
  delete: directDeleteMessage,
  react: directReact,
  unreact: directUnreact,
  pin: directPin,
  unpin: directUnpin,
  pins: directPins,
} = messagesOf('direct');

export const {
  list: groupMessages,
  show: groupMessage,
  edit: groupEditMessage,
  delete: groupDeleteMessage,
  react: groupReact,
  unreact: groupUnreact,
  pin: groupPin,
  unpin: groupUnpin,
  pins: groupPins,
} = messagesOf('group');

export const {
  list: channelMessages,
  show: channelMessage,
  edit: channelEditMessage,
  delete: channelDeleteMessage,
  react: channelReact,
  unreact: channelUnreact,
  pin: channelPin,
  unpin: channelUnpin,
  pins: channelPins,
} = messagesOf('channel');
